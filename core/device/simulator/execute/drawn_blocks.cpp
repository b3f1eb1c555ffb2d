// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/execute/drawn_blocks.h"

#include "base/rng.h"

#include <algorithm>
#include <array>

namespace sparserl::sim {

namespace {

constexpr std::uint64_t share = 16, least = 8, most = 128;

} // namespace

DrawnBlocks::DrawnBlocks(const LaunchShape& shape, std::uint64_t seed)
{
    const auto total = static_cast<std::uint64_t>(shape.blocks());
    const std::uint64_t count = std::min(total, std::clamp(total / share, least, most));
    if (count == total) {
        add(0, total);
        return;
    }
    Rng rng = Rng(seed).derive("checked blocks");
    const std::uint64_t length = std::clamp<std::uint64_t>(count / 8, 2, 16), runs = count / length;
    add(0, length);
    add(total - length, length);
    // Pairs of runs that may meet as well: in the same columns of a grid, or at the same place in parts of
    // all blocks.
    const auto row = static_cast<std::uint64_t>(shape.grid[0]),
               plane = row * static_cast<std::uint64_t>(shape.grid[1]);
    std::array<std::uint64_t, 4> steps{total / 2, total / 3, total / 4, total / 8};
    if (plane < total)
        steps = {plane, row, plane, row};
    else if (row < total)
        steps.fill(row);
    rng.shuffle(steps);
    for (std::uint64_t run = 2; run + 1 < runs; run += 2) {
        const std::uint64_t step = std::min(steps[run / 2 % steps.size()], total - length);
        const std::uint64_t from = rng.below(total - length - step + 1);
        add(from, length);
        add(from + step, length);
    }
}

void DrawnBlocks::add(std::uint64_t from, std::uint64_t count)
{
    m_runs.emplace_back(static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(from + count));
}

bool DrawnBlocks::contains(std::uint32_t block) const
{
    return std::any_of(m_runs.begin(), m_runs.end(),
                       [block](const auto& run) { return block >= run.first && block < run.second; });
}

} // namespace sparserl::sim

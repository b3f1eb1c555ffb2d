// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/execute/drawn_blocks.h"

#include "base/rng.h"

#include <algorithm>

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
    const auto row = static_cast<std::uint64_t>(shape.grid[0]),
               plane = row * static_cast<std::uint64_t>(shape.grid[1]);
    for (std::uint64_t run = 2; run < runs; ++run) {
        const std::uint64_t from = rng.below(total - length + 1);
        add(from, length);
        // The same columns one row or plane further.
        const std::uint64_t step = shape.grid[2] > 1 && (shape.grid[1] == 1 || rng.below(2)) ? plane : row;
        if (step < total && from + step + length <= total && ++run < runs)
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

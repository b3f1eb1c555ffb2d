// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/memory/faults.h"

#include <utility>
#include <vector>

namespace sparserl::sim {

/// The blocks of a launch that are checked where not all are: runs of neighbours, for those meet in memory.
/// The first and the last ones are always among them; the others come in pairs, a row or plane of the grid
/// from each other, or half of all blocks, a third, a quarter or an eighth. At most one block in 16, and 128,
/// but never less than 8.
class DrawnBlocks
{
public:
    DrawnBlocks() = default;
    DrawnBlocks(const LaunchShape& shape, std::uint64_t seed);

    bool contains(std::uint32_t block) const;

private:
    void add(std::uint64_t from, std::uint64_t count);

    std::vector<std::pair<std::uint32_t, std::uint32_t>> m_runs; ///< First and behind the last.
};

} // namespace sparserl::sim

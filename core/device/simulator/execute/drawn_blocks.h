// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/memory/faults.h"

#include <utility>
#include <vector>

namespace sparserl::sim {

/// The blocks of a launch that are checked if not all are. They are drawn as runs of neighbours, because
/// neighbours share memory. The first and the last run are always included. The other runs come in pairs that
/// are a row or plane of the grid apart, or half, a third, a quarter or an eighth of all blocks. The set
/// contains at most one block in 16 and at most 128 blocks, but at least 8.
class DrawnBlocks
{
public:
    DrawnBlocks() = default;
    DrawnBlocks(const LaunchShape& shape, std::uint64_t seed);

    bool contains(std::uint32_t block) const;

private:
    void add(std::uint64_t from, std::uint64_t count);

    std::vector<std::pair<std::uint32_t, std::uint32_t>>
        m_runs; ///< The first block of each run, and the block after its last one.
};

} // namespace sparserl::sim

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/simulator/memory/faults.h"

#include <utility>
#include <vector>

namespace sparserl::sim {

/// The checked blocks of a launch if not all are checked: runs of neighbours, because neighbours share
/// memory. The first and the last runs are always included. The others come in pairs, a row or plane of the
/// grid apart, or half, a third, a quarter or an eighth of all blocks apart. The set contains at most one
/// block in 16 and at most 128 blocks, but at least 8.
class DrawnBlocks
{
public:
    DrawnBlocks() = default;
    DrawnBlocks(const LaunchShape& shape, std::uint64_t seed);

    bool contains(std::uint32_t block) const;

private:
    void add(std::uint64_t from, std::uint64_t count);

    std::vector<std::pair<std::uint32_t, std::uint32_t>> m_runs; ///< First block, and end (exclusive).
};

} // namespace sparserl::sim

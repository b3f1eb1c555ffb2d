// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/module.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sparserl {

/// Traits derived from the reachable instructions of the launched kernels. Other instructions do not count.
struct CodeTraits
{
    bool atomics = false; ///< Reads and writes memory in one instruction (atom, red).
    /// Some of them operate on float32 in global memory. Those flush subnormal numbers.
    bool flushes = false;
    /// Hashes of all chains of three dependent instructions, sorted and without duplicates. Programs have
    /// equal hashes if they differ only in names, numbers, layout and the order of independent instructions.
    /// If a program has more than `mostChains` hashes, only the lowest are kept.
    std::vector<std::uint32_t> shape;
    static constexpr std::ptrdiff_t mostChains = 1 << 14;
};

/// `kernels`: the kernels called by the plan. Kernels that are not in the module are ignored.
CodeTraits codeTraits(const ptx::Module& module, const std::vector<std::string>& kernels);

} // namespace sparserl

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
    bool atomics = false; ///< An instruction reads and writes memory at once (atom, red).
    /// Some of these instructions operate on float32 in global memory, where they flush subnormal numbers.
    bool flushes = false;
    /// Hashes of all chains of three dependent instructions, sorted and without duplicates. Programs have
    /// equal hashes if they differ only in names, numbers, layout and the order of independent instructions.
    /// If a program has more than `mostChains` hashes, only the lowest are kept.
    std::vector<std::uint32_t> shape;
    static constexpr std::ptrdiff_t mostChains = 1 << 14;
};

/// Derives the traits of a module. `kernels` are the kernels that the plan calls. Ignores kernels that are
/// not in the module.
CodeTraits codeTraits(const ptx::Module& module, const std::vector<std::string>& kernels);

} // namespace sparserl

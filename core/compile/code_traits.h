// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/module.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sparserl {

/// What can be told from the instructions that launched kernels reach; others say nothing about a program.
struct CodeTraits
{
    bool atomics = false; ///< Reads and writes memory in one instruction (atom, red).
    bool flushes = false; ///< Some of them are of float32 in global memory: those flush subnormal numbers.
    /// Hashes of every chain of three instructions that feed one another, sorted, each once: equal for
    /// programs that differ in names, numbers, layout and the order of what does not depend on one another.
    /// Of a program with more than `mostChains` the lowest so many.
    std::vector<std::uint32_t> shape;
    static constexpr std::ptrdiff_t mostChains = 1 << 14;
};

/// `kernels`: those that the plan calls; what the module lacks is passed over.
CodeTraits codeTraits(const ptx::Module& module, const std::vector<std::string>& kernels);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/module.h"

#include <string>
#include <string_view>

namespace sparserl::ptx {

/// PTX with read-only data moved to constant memory, or the reason why that is impossible.
struct ConstantTables
{
    std::string text;     ///< The resulting PTX; equal to the input if nothing had to change.
    bool changed = false; ///< `text` differs from the input and must be parsed again.
    std::optional<Unsupported> refused;
};

/// In PTX, `constexpr int WARP = 32;`, `static const float T[] = {...}`, strings and `__device__` variables
/// without stores become writable `.global` variables. This function removes unused ones and makes the others
/// `.const`. Their loads become a generic `ld` after `cvta.const`, or `ld.const`. A launch cannot write this
/// memory on any device, so no data persist between calls. The condition is that their addresses (and those
/// of the program's own `.const` variables) flow only into addresses of loads: through moves, sums,
/// selections, conversions and parameters of direct calls, in all functions and independently of order. Any
/// other use of such an address refuses the program: storing or modifying memory through it, storing it,
/// comparing it with other values, taking it apart. `text` is the source of `module`. Takes time linear in
/// the text.
ConstantTables constantTables(std::string_view text, const Module& module);

/// Size of a module's constant memory on every device (PTX ISA, state spaces: 64 KiB).
inline constexpr std::int64_t maxConstantBytes = 64 * 1024;
/// Bytes of a module's `.const` variables, with alignment.
std::int64_t constantBytes(const Module& module);

} // namespace sparserl::ptx

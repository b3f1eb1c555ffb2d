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

/// Moves read-only data to constant memory. In PTX, `constexpr int WARP = 32;`, `static const float T[] =
/// {...}`, strings and `__device__` variables without stores are writable `.global` variables. This function
/// removes the unused variables and declares the others `.const`. Their loads become `ld.const`, or a generic
/// `ld` after `cvta.const`. No launch can write this memory on any device, so no data persist between calls.
/// The address of such a variable, or of one that the program itself declares `.const`, may flow only into
/// addresses of loads: through moves, sums, selections, conversions and parameters of direct calls, in all
/// functions and independently of order. The program is refused if it uses the address in another way: if it
/// writes memory through the address, stores the address, compares it with other values or takes it apart.
/// `text` is the source of `module`. Takes time linear in the length of the text.
ConstantTables constantTables(std::string_view text, const Module& module);

/// Size of a module's constant memory on every device (PTX ISA, state spaces: 64 KiB).
inline constexpr std::int64_t maxConstantBytes = 64 * 1024;
/// Returns the bytes of a module's `.const` variables, with alignment.
std::int64_t constantBytes(const Module& module);

} // namespace sparserl::ptx

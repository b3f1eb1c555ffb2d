// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/module.h"

#include <string>
#include <string_view>

namespace sparserl::ptx {

/// PTX with what a program only reads in constant memory, or why that is not all it does.
struct ConstantTables
{
    std::string text;     ///< The PTX that counts from here on; the given one where nothing had to change.
    bool changed = false; ///< `text` is another one and must be parsed again.
    std::optional<Unsupported> refused;
};

/// `constexpr int WARP = 32;`, `static const float T[] = {...}`, a string or a `__device__` variable that
/// nothing stores to become writable `.global` variables in PTX. Those that no instruction names are left
/// out; the others become `.const`, and what reads them a generic `ld` behind `cvta.const`, or `ld.const`:
/// memory that a launch cannot write on any device, so that nothing is kept from call to call. That holds if
/// their addresses (and those of the program's own `.const` variables) go nowhere but into the addresses of
/// loads: followed through moves, sums, selections, conversions and the parameters of direct calls, in every
/// function at once and without regard to order. Anything else done with such an address refuses the program:
/// a store or atomic operation on it, storing it, comparing it with other values, taking it apart. `text` is
/// what `module` was parsed from. Takes time linear in the text.
ConstantTables constantTables(std::string_view text, const Module& module);

/// Constant memory of a module on every device (PTX ISA, state spaces: 64 KiB).
inline constexpr std::int64_t maxConstantBytes = 64 * 1024;
/// What the `.const` variables of a module need, with their alignment.
std::int64_t constantBytes(const Module& module);

} // namespace sparserl::ptx

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/module.h"

#include <optional>
#include <span>
#include <string>

namespace sparserl {

/// Why PTX is not run: verdict `rejected`.
struct Rejection
{
    int line = 0; ///< In the program text, from 1; 0 if unknown.
    std::string reason;
    bool outOfMemory = false; ///< More memory was asked for than there is.
};

/// The gate (docs/design.md 5): PTX passes only if every opcode form, operand, special register and directive
/// is on the list that the simulator shares, nothing is kept between launches (no writable .global at any
/// scope, at most 64 KiB of .const, whose addresses stay in loads), nothing outside is called, and `kernels`
/// are entries of it. Reads PTX, so macros, comments and inline asm hide nothing.
std::optional<Rejection> gate(const ptx::Module& module, std::span<const std::string> kernels);

/// PTX that passed, and what was read from it.
struct AdmittedPtx
{
    std::string text;
    ptx::Module module;
};
/// The compiler's PTX, with data that is only read moved to constant memory (ptx/constant_tables.h), if it
/// passes the gate. This text is the one that is hashed, simulated, assembled and launched.
tl::expected<AdmittedPtx, Rejection> admit(std::string ptx, std::span<const std::string> kernels);

} // namespace sparserl

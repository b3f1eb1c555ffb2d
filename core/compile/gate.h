// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/ptx/module.h"

#include <optional>
#include <span>
#include <string>

namespace sparserl {

/// Why PTX is not run: verdict `rejected`.
struct Rejection
{
    int line = 0; ///< In the program text, from 1; 0 if unknown.
    std::string reason;
};

/// The gate (DESIGN 5): PTX passes only if every opcode form, operand, special register and directive is on
/// the list that the simulator shares, nothing is kept between launches (no writable .global at any scope),
/// nothing outside is called, and `kernels` are entries of it. Reads PTX, so macros, comments and inline asm
/// hide nothing.
std::optional<Rejection> gate(const ptx::Module& module, std::span<const std::string> kernels);

} // namespace sparserl

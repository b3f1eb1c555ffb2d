// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ptx/module.h"

#include <optional>
#include <span>
#include <string>

namespace sparserl {

/// The reason for the verdict `rejected`. Rejected PTX is not run.
struct Rejection
{
    int line = 0; ///< The line in the program text, from 1; 0 if unknown.
    std::string reason;
    bool outOfMemory = false; ///< The program requested more memory than is available.
};

/// The gate (docs/design.md 5). Returns the reason to reject a module, or nullopt. PTX passes only if every
/// opcode form, operand, special register and directive is on the list shared with the simulator, no data
/// persists between launches, no external function is called, and the `kernels` are entries of the module. To
/// prevent persistent data, the gate refuses writable .global variables at any scope and allows at most 64
/// KiB of .const, whose addresses only loads may use. The gate reads PTX, so macros, comments and inline asm
/// cannot hide anything.
std::optional<Rejection> gate(const ptx::Module& module, std::span<const std::string> kernels);

/// PTX that has passed the gate, and the module parsed from it.
struct AdmittedPtx
{
    std::string text;
    ptx::Module module;
};
/// Moves read-only data of the compiler's PTX to constant memory (ptx/constant_tables.h) and returns the new
/// text if it passes the gate. This text is hashed, simulated, assembled and launched.
tl::expected<AdmittedPtx, Rejection> admit(std::string ptx, std::span<const std::string> kernels);

} // namespace sparserl

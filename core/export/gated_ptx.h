// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "compile/program_compiler.h"
#include "kernel/bundle.h"

#include <filesystem>
#include <string>

namespace sparserl {

/// Compiles a program in a locked runner and passes what came back through the gate once more, in this
/// process. `runner`: sparserl-runner; empty: where findRunner looks. Fails with a sentence where the program
/// does not get through today.
Result<BundleCode> compileForBundle(const KernelProgram& program, const std::filesystem::path& runner);

/// The same, where the caller has a use for what the program is guilty of, and for its line.
Result<tl::expected<BundleCode, CompileFailure>> compileAndGate(const KernelProgram& program,
                                                                const std::filesystem::path& runner);

/// What compileForBundle does, of PTX that is at hand.
Result<BundleCode> gateForBundle(const Plan& plan, const std::string& ptx);

/// Fails with a sentence where `code` is not what a verdict was about: another compiler, or none noted.
Status checkVerified(const BundleCode& code, const std::string& verifiedPtxHash);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "compile/program_compiler.h"
#include "kernel/bundle.h"

#include <filesystem>
#include <string>

namespace sparserl {

/// Compiles a program in a sandboxed runner and checks the result with the gate again in this process.
/// `runner`: path of sparserl-runner; empty: see findRunner. Fails if the program does not pass.
Result<BundleCode> compileForBundle(const KernelProgram& program, const std::filesystem::path& runner);

/// The same, for callers that use the program's fault and its line.
Result<tl::expected<BundleCode, CompileFailure>> compileAndGate(const KernelProgram& program,
                                                                const std::filesystem::path& runner);

/// The same checks as compileForBundle, for existing PTX.
Result<BundleCode> gateForBundle(const Plan& plan, const std::string& ptx);

/// Fails if `code` differs from the code of a verdict: another compiler, or no recorded hash.
Status checkVerified(const BundleCode& code, const std::string& verifiedPtxHash);

} // namespace sparserl

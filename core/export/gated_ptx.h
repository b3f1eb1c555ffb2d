// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "compile/program_compiler.h"
#include "kernel/bundle.h"

#include <filesystem>
#include <string>

namespace sparserl {

/// Compiles a program in a sandboxed runner and checks the result with the gate again in this process.
/// `runner` is the path of sparserl-runner, or empty for the runner that findRunner() finds. Fails if the
/// program does not compile or does not pass the gate.
Result<BundleCode> compileForBundle(const KernelProgram& program, const std::filesystem::path& runner);

/// The same for callers that need the fault of the program and its line.
Result<tl::expected<BundleCode, CompileFailure>> compileAndGate(const KernelProgram& program,
                                                                const std::filesystem::path& runner);

/// Performs the checks of compileForBundle() on existing PTX.
Result<BundleCode> gateForBundle(const Plan& plan, const std::string& ptx);

/// Fails if the hash of `code` is not the hash that a verdict recorded. This happens if the compiler has
/// changed, or if the verdict recorded no hash.
Status checkVerified(const BundleCode& code, const std::string& verifiedPtxHash);

} // namespace sparserl

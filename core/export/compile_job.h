// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/program_compiler.h"
#include "kernel/plan.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace sparserl {

/// The kernels that a plan calls, each once.
std::vector<std::string> kernelNames(const Plan& plan);

/// Runs one compile job in a new sandboxed runner. `runner`: path of sparserl-runner; empty: see findRunner.
/// An Error is a failure of our machinery; a CompileFailure is a fault of the program.
Result<tl::expected<CompiledProgram, CompileFailure>> runCompileJob(const std::filesystem::path& runner,
                                                                    nlohmann::json body);

} // namespace sparserl

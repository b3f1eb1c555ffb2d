// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/program_compiler.h"
#include "kernel/plan.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace sparserl {

/// The names of the kernels that a plan calls, without duplicates.
std::vector<std::string> kernelNames(const Plan& plan);

/// Runs a compile job in a new sandboxed runner. `runner` is the path of sparserl-runner, or empty for the
/// runner that findRunner() finds. An Error means that our own code or this machine failed; a CompileFailure
/// is a fault of the program.
Result<tl::expected<CompiledProgram, CompileFailure>> runCompileJob(const std::filesystem::path& runner,
                                                                    nlohmann::json body);

} // namespace sparserl

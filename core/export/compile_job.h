// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "compile/program_compiler.h"
#include "kernel/plan.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace sparserl {

/// Kernels that a plan calls, each once.
std::vector<std::string> kernelNames(const Plan& plan);

/// Lets a fresh locked runner answer one job of the role compile. `runner`: sparserl-runner; empty: where
/// findRunner looks. The Error is a failure of our machinery, the CompileFailure is the program's own.
Result<tl::expected<CompiledProgram, CompileFailure>> runCompileJob(const std::filesystem::path& runner,
                                                                    nlohmann::json body);

} // namespace sparserl

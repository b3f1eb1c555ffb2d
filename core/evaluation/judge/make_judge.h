// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "evaluation/judge.h"
#include "evaluation/judge_options.h"

#include <memory>
#include <string_view>
#include <vector>

namespace sparserl {

/// Parses GPU ordinals such as "0,2". Fails for any other text.
Result<std::vector<int>> gpuNumbers(std::string_view text);

/// Creates a judge on the simulated device with its own runner pool (docs/design.md 5). Fails if the runner,
/// NVRTC or nvJitLink is missing, or if the device model is unknown.
Result<std::unique_ptr<Judge>> makeSimulatorJudge(JudgeOptions options = {});

/// Creates a judge with a GPU. It simulates the battery with every check, and runs and times programs on the
/// matrix itself on the GPU. Fails if there is no working GPU.
Result<std::unique_ptr<Judge>> makeCudaJudge(JudgeOptions options = {});

/// Creates a judge for a device: "sim", "cuda" or "auto". "auto" uses a GPU if one works. Otherwise it uses
/// the simulated device, and `options.log` receives the reason.
Result<std::unique_ptr<Judge>> makeJudge(std::string_view device, JudgeOptions options = {});

} // namespace sparserl

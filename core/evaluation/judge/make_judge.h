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

/// A judge on the simulated device with its own runner pool (docs/design.md 5). Fails if the runner, NVRTC or
/// nvJitLink is missing, or if the device model is unknown.
Result<std::unique_ptr<Judge>> makeSimulatorJudge(JudgeOptions options = {});

/// The same with a GPU: the battery is simulated with every check; the matrix itself runs and is timed on the
/// GPU. Fails if there is no working GPU.
Result<std::unique_ptr<Judge>> makeCudaJudge(JudgeOptions options = {});

/// `device`: "sim", "cuda" or "auto". "auto" is the GPU if one works, otherwise the simulated device;
/// `options.log` then receives the reason.
Result<std::unique_ptr<Judge>> makeJudge(std::string_view device, JudgeOptions options = {});

} // namespace sparserl

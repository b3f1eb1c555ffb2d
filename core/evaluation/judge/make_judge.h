// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "evaluation/judge.h"
#include "evaluation/judge_options.h"

#include <memory>
#include <string_view>
#include <vector>

namespace sparserl {

/// "0,2": ordinals of GPUs. Fails for anything else.
Result<std::vector<int>> gpuNumbers(std::string_view text);

/// A judge on the simulated device with its own pool of runners (docs/design.md 5). Fails with a sentence
/// where the runner, NVRTC or nvJitLink is missing, or the device model is unknown.
Result<std::unique_ptr<Judge>> makeSimulatorJudge(JudgeOptions options = {});

/// The same with a GPU: the battery is simulated with every check, the matrix itself runs and is timed on the
/// GPU. Fails with the runner's sentence where there is no GPU that works.
Result<std::unique_ptr<Judge>> makeCudaJudge(JudgeOptions options = {});

/// `device`: "sim", "cuda", or "auto": the GPU where one works, else the simulated device, with a sentence to
/// `options.log` that says why.
Result<std::unique_ptr<Judge>> makeJudge(std::string_view device, JudgeOptions options = {});

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/judge.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace sparserl {

/// How a judge that runs programs on the simulated device works. Everything has a usable default.
struct JudgeOptions
{
    /// sparserl-runner; empty: beside the running program, or in ../bin, or $SPARSERL_RUNNER.
    std::filesystem::path runnerPath;
    int compileRunners = 0; ///< 0: one for every two cores.
    int simRunners = 0;     ///< 0: one per core.
    std::string deviceModel = "h200";
    /// Mixed into every input: a program that knows the request's seed still does not know its inputs. Part
    /// of run.toml, so that a resumed run sees the same inputs.
    std::uint64_t secretSeed = 0x7c6f2d51b3a9e084ULL;
    std::string architecture = "sm_90"; ///< For nvJitLink, where the resources come from.
    std::uint64_t stepBudget = 0;       ///< Warp instructions per execution; 0: from the size of the matrix.
    /// Every check (races, uninitialised memory) also on the target matrix up to this many non-zeros; beyond
    /// it only the battery has them.
    std::int64_t fullCheckNnz = 0;
    /// Sentences about the runners: what the sandbox lacks here, replacements. May be empty.
    std::function<void(std::string_view)> log;
};

/// A judge on the simulated device with its own pool of runners (DESIGN 5). Fails with a sentence where the
/// runner, NVRTC or nvJitLink is missing, or the device model is unknown.
Result<std::unique_ptr<Judge>> makeSimulatorJudge(JudgeOptions options = {});

} // namespace sparserl

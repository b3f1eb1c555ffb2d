// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/sandbox_level.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

struct JudgeObserver;

/// What a judge spent, over all calls of judge() so far.
struct JudgeMetrics
{
    double wallSeconds = 0;                                             ///< In judge().
    double compileCpuSeconds = 0, simCpuSeconds = 0, gpuCpuSeconds = 0; ///< CPU time of the runners.
    double measuringSeconds = 0; ///< Wall time in measuring sections on GPUs.
    double gpuBusySeconds = 0;   ///< Wall time of jobs on GPUs, measuring included.
    std::int64_t compiled = 0, simulated = 0, measured = 0, quarantined = 0, baselines = 0, drifts = 0;
};

/// How a judge works. Everything has a usable default.
struct JudgeOptions
{
    /// sparserl-runner; empty: beside the running program, or in ../bin, or $SPARSERL_RUNNER.
    std::filesystem::path runnerPath;
    int compileRunners = 0;           ///< 0: one for every two cores, at least two.
    int simRunners = 0;               ///< 0: one per core.
    std::string deviceModel = "h200"; ///< A name, or a file of `sparserl device calibrate`.
    /// What inputs, test matrices and schedules derive from, with the request's seed. Nothing: the judge
    /// draws one, which is what a program that knows all about us cannot foresee; who wants the same verdicts
    /// and the same bits again gives one (`judge.seed` of a run, `--judge-seed`).
    std::optional<std::uint64_t> secretSeed;
    std::uint64_t secret() const { return secretSeed.value_or(0); } ///< In a judge, which has one.
    /// On the simulated device the target itself meets every kind of input (input_kinds.h) in each judgement:
    /// for verdicts that count. Else it meets some by lot, which takes half of the time; tests and relatives
    /// of the target still have all.
    bool everyKind = true;
    std::string architecture = "sm_90"; ///< For nvJitLink, where the resources come from; a GPU says its own.
    std::uint64_t stepBudget = 0;       ///< Warp instructions per execution; 0: from the size of the matrix.
    /// On the simulated device, every check (races, uninitialised memory) also on the matrix itself up to so
    /// many non-zeros times dense columns; beyond it on a relative of several thousand rows.
    std::int64_t fullCheckNnz = 1'000'000;
    /// On a GPU every program is simulated on the matrix itself, with every check, up to so many non-zeros
    /// times columns (in fours): a tenth of a second of one core. What is found there does not depend on the
    /// programs before.
    std::int64_t gpuSimulateAll = 1'000'000;
    /// Those that would be the fastest of their matrix are simulated on it once more up to so many, and on
    /// rows of it beyond.
    std::int64_t gpuSimulateWhole = 4'000'000;
    double gpuWallSeconds = 180; ///< Of one job on a GPU; beyond it the runner is killed.
    int gpuSamples = 30;         ///< Of warm calls; half as many of cold ones.
    bool gpuCold = true;         ///< Also with caches flushed, which takes longer than the rest.
    bool gpuInTurn = false;   ///< Correct programs in turn with the baseline (ABAB): for figures that count.
    std::vector<int> gpus{0}; ///< Ordinals, for a judge on GPUs: one runner each.
    /// "standard": median of 30 samples against the best cuSPARSE CSR routine. "paper": the mean of 1,000
    /// calls against cuSPARSE's DEFAULT algorithm (docs/design.md 5.3).
    std::string timing = "standard";
    SandboxLevel requiredSandbox = SandboxLevel::None; ///< Processes that are locked less well are not used.
    bool countRefusedCalls =
        false; ///< For Judge::sandboxes(); takes time where a library asks in vain often.
    /// Sentences about the runners: what the sandbox lacks here, replacements. May be empty.
    std::function<void(std::string_view)> log;
    std::shared_ptr<JudgeMetrics> metrics;         ///< Kept up to date where given.
    std::shared_ptr<const JudgeObserver> observer; ///< Audits only (cases/judged_call.h).
};

} // namespace sparserl

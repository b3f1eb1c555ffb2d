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

/// Resources used by a judge in all calls to judge() so far.
struct JudgeMetrics
{
    double wallSeconds = 0;                                             ///< In judge().
    double compileCpuSeconds = 0, simCpuSeconds = 0, gpuCpuSeconds = 0; ///< CPU time of the runners.
    double measuringSeconds = 0; ///< Wall time of measuring sections on GPUs.
    double gpuBusySeconds = 0;   ///< Wall time of jobs on GPUs, including measuring.
    std::int64_t compiled = 0, simulated = 0, measured = 0, quarantined = 0, baselines = 0, drifts = 0;
};

/// The settings of a judge. Every option has a usable default.
struct JudgeOptions
{
    /// Path of sparserl-runner. If empty: beside the running program, in ../bin, or $SPARSERL_RUNNER.
    std::filesystem::path runnerPath;
    int compileRunners = 0; ///< 0: one per two cores, at least two.
    int simRunners = 0;     ///< 0: one per core.
    /// Threads that make inputs and compare results; 0: one per two cores, at least two.
    int backgroundThreads = 0;
    std::string deviceModel = "h200"; ///< A name, or a file from `sparserl device calibrate`.
    /// Source of inputs, test matrices and schedules, together with the request's seed. If unset, the judge
    /// draws a secret that no program can predict. Set it to reproduce the same verdicts and bits
    /// (`judge.seed` of a run, `--judge-seed`).
    std::optional<std::uint64_t> secretSeed;
    std::uint64_t secret() const { return secretSeed.value_or(0); } ///< Always set in a judge.
    /// On the simulated device, each judgement tests the target itself with every kind of input
    /// (input_kinds.h). Use it for verdicts that count. If false, a random subset halves the time; tests and
    /// relatives of the target still use all kinds.
    bool everyKind = true;
    std::string architecture = "sm_90"; ///< For nvJitLink, which reports the resources; a GPU reports its
                                        ///< own.
    std::uint64_t stepBudget = 0;       ///< Warp instructions per execution; 0: from the matrix size.
    /// On the simulated device, runs every check (races, uninitialised memory) also on the matrix itself up
    /// to this many non-zeros times dense columns. Larger matrices use a relative with several thousand rows.
    std::int64_t fullCheckNnz = 1'000'000;
    /// On a GPU, simulates every program on the matrix itself, with every check, up to this many non-zeros
    /// times columns (in fours): a tenth of a second of one core. The findings do not depend on earlier
    /// programs.
    std::int64_t gpuSimulateAll = 1'000'000;
    /// Programs that would be the fastest for their matrix are simulated on it once more up to this size, and
    /// beyond it on a subset of its rows.
    std::int64_t gpuSimulateWhole = 4'000'000;
    double gpuWallSeconds = 180; ///< Limit of one job on a GPU; the runner is then killed.
    int gpuSamples = 30;         ///< Warm samples; half as many cold ones.
    bool gpuCold = true;         ///< Also with flushed caches, which takes most of the time.
    bool gpuInTurn = false;      ///< Interleaves correct programs with the baseline (ABAB), for reported
                                 ///< figures.
    std::vector<int> gpus{0};    ///< Ordinals for a judge on GPUs: one runner each.
    /// "standard": median of 30 samples against the best cuSPARSE CSR routine. "paper": mean of 1,000 calls
    /// against cuSPARSE's DEFAULT algorithm (docs/design.md 5.3).
    std::string timing = "standard";
    SandboxLevel requiredSandbox = SandboxLevel::None; ///< Processes with a weaker sandbox are not used.
    bool countRefusedCalls = false; ///< Counts refused system calls for Judge::sandboxes(). Slow if a library
                                    ///< often makes a refused call.
    /// Receives sentences about the runners: missing sandbox features, replacements. May be empty.
    std::function<void(std::string_view)> log;
    std::shared_ptr<JudgeMetrics> metrics;         ///< Updated if set.
    std::shared_ptr<const JudgeObserver> observer; ///< For audits only (cases/judged_call.h).
};

} // namespace sparserl

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
    double wallSeconds = 0;                                             ///< Wall time in judge().
    double compileCpuSeconds = 0, simCpuSeconds = 0, gpuCpuSeconds = 0; ///< CPU time of the runners.
    double measuringSeconds = 0; ///< Wall time of measuring sections on GPUs.
    double gpuBusySeconds = 0;   ///< Wall time of jobs on GPUs, including measuring.
    std::int64_t compiled = 0, simulated = 0, measured = 0, quarantined = 0, baselines = 0, drifts = 0;
};

/// The settings of a judge. Every option has a usable default.
struct JudgeOptions
{
    /// Path of sparserl-runner. If empty: $SPARSERL_RUNNER, or else beside the running program or in ../bin.
    std::filesystem::path runnerPath;
    int compileRunners = 0; ///< Number of runners; 0: one per two cores, at least two.
    int simRunners = 0;     ///< Number of runners; 0: one per core.
    /// Threads that make inputs and compare results; 0: one per two cores, at least two.
    int backgroundThreads = 0;
    std::string deviceModel = "h200"; ///< A name, or a file from `sparserl device calibrate`.
    /// The secret from which, with the request's seed, the judge derives inputs, test matrices and schedules.
    /// If unset, the judge draws a secret that no program can predict. Set it to reproduce verdicts and bits
    /// exactly (`judge.seed` of a run, `--judge-seed`).
    std::optional<std::uint64_t> secretSeed;
    /// Returns the secret, which is always set in a judge.
    std::uint64_t secret() const { return secretSeed.value_or(0); }
    /// On the simulated device, each judgement tests the target itself with every kind of input
    /// (input_kinds.h). Set it for verdicts that count. If false, a random subset of the kinds is used on the
    /// target, which halves the time. Test matrices and relatives of the target still use all kinds.
    bool everyKind = true;
    /// Architecture for nvJitLink, which reports resources. A judge on GPUs sets it to the GPU's own.
    std::string architecture = "sm_90";
    /// Limit of warp instructions per execution; 0: derived from the matrix size.
    std::uint64_t stepBudget = 0;
    /// On the simulated device, runs every check (races, uninitialised memory) also on the matrix itself up
    /// to this many non-zeros times dense columns. For larger matrices, these checks run on a relative with
    /// several thousand rows.
    std::int64_t fullCheckNnz = 1'000'000;
    /// For a GPU, simulates every program on the matrix itself, with every check, up to this many non-zeros
    /// times columns (rounded up to a multiple of four), which takes a tenth of a second on one core. The
    /// findings do not depend on earlier programs.
    std::int64_t gpuSimulateAll = 1'000'000;
    /// If a program would be the fastest for its matrix, it is also simulated on the matrix, up to this size
    /// (in the same unit). On larger matrices, a subset of the rows is used.
    std::int64_t gpuSimulateWhole = 4'000'000;
    double gpuWallSeconds = 180; ///< Limit of one job on a GPU. After it, the runner is killed.
    int gpuSamples = 30;         ///< Number of warm samples. Half as many cold samples are taken.
    bool gpuCold = true;         ///< Also measures with flushed caches, which takes most of the time.
    /// Times correct programs and the baseline in alternation (ABAB), for reported figures.
    bool gpuInTurn = false;
    std::vector<int> gpus{0}; ///< Ordinals of the GPUs that a judge uses; each has one runner.
    /// "standard": median of 30 samples against the best cuSPARSE CSR routine. "paper": mean of 1,000 calls
    /// against cuSPARSE's DEFAULT algorithm (docs/design.md 5.3).
    std::string timing = "standard";
    SandboxLevel requiredSandbox = SandboxLevel::None; ///< Processes with a weaker sandbox are not used.
    bool countRefusedCalls = false; ///< Counts refused system calls for Judge::sandboxes(). This is slow if a
                                    ///< library often makes a refused call.
    /// Receives sentences about the runners, such as missing sandbox features and replacements. May be empty.
    std::function<void(std::string_view)> log;
    std::shared_ptr<JudgeMetrics> metrics;         ///< Updated if set.
    std::shared_ptr<const JudgeObserver> observer; ///< For audits only (cases/judged_call.h).
};

} // namespace sparserl

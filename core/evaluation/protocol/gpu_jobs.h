// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/baselines.h"
#include "device/cuda/gpu_info.h"
#include "device/cuda/measurement.h"
#include "evaluation/protocol/jobs.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Inputs that a cuda runner keeps between jobs travel as files beside contents; their keys start so.
constexpr std::string_view inputsKeyPrefix = "inputs/";

/// One execution on a GPU: outputs go to the job's memory.
struct GpuCase
{
    std::string contents, inputsKey;
    std::vector<CallRanges> calls; ///< Inputs are of those under `inputsKey`, the rest is of the memory.
    std::uint64_t seed = 0;
    bool mayNotBind = false; ///< A plan that does not bind here is an answer, and what follows runs.
};

/// Timing between the cases.
struct GpuTiming
{
    std::string contents, inputsKey;
    std::vector<NumberRanges> ring; ///< The inputs of each call.
    int samples = 30;
    double sampleMicroseconds = 200;
    bool cold = true;
    bool counters = false;
    double dropAbove = 0; ///< As in MeasureRequest: so slow that the first estimate is enough.
    std::string against;  ///< A library routine to time in turn with the program (ABAB); empty: none.
    int meanCalls = 0;    ///< > 0: also the mean of this many calls in one batch (the paper's protocol).
    double underflow = 0; ///< As in CompareRequest; 0: what is timed is not compared.
    std::uint64_t seed = 0;
};

/// What the cuda role is asked for about a program. It checks the gate again and gives up at the first fault.
struct GpuJob
{
    std::string program, ptx;
    std::string cubin; ///< Of the compile role; empty: the runner assembles the PTX itself.
    TargetVariant variant;
    std::vector<std::string> drop, take; ///< As in SimulationJob.
    std::vector<GpuCase> before, after;
    std::optional<GpuTiming> timing;
    double limitMicroseconds = 1e6; ///< What takes longer, a launch of a case or a timed call, is a Timeout.
};

/// The record's share of a Measurement.
struct GpuMeasured
{
    std::optional<Fault> fault;
    Timing warm;
    std::optional<Timing> cold;
    double meanMicroseconds = 0; ///< Of `meanCalls`; 0 where not asked for.
    double setupMicroseconds = 0, wallMicroseconds = 0, measuringSeconds = 0, conversionSeconds = 0;
    bool clocksAgree = true;
    bool dropped = false;   ///< `warm` is an estimate, and nothing was compared.
    ComparedCalls compared; ///< Of all that was timed.
    /// In turn with the routine that was named: the figures that count.
    struct InTurn
    {
        Timing program, baseline;
    };
    std::optional<InTurn> inTurn;
    std::vector<Occupancy> occupancy;
};

struct GpuAnswer
{
    std::vector<CaseAnswer> before, after;
    std::optional<GpuMeasured> timing;
    bool poisoned = false;  ///< The runner ends after this.
    double busySeconds = 0; ///< Wall time on the GPU's thread; what was prepared beside it is not in it.
};

/// Library routines to be timed on contents.
struct BaselineJob
{
    std::string contents;
    TargetVariant variant;
    BaselineSet set = BaselineSet::Csr;
    bool cold = true;
    int meanCalls = 0; ///< As in GpuTiming: one batch of this many calls.
    std::uint64_t seed = 0;
    std::vector<std::string> drop, take;
};

struct BaselineAnswer
{
    std::vector<BaselineTiming> timings; ///< Best first.
    double busySeconds = 0;
};

nlohmann::json toJson(const GpuJob& job);
Result<GpuJob> gpuJobFromJson(const nlohmann::json& json);
nlohmann::json toJson(const GpuAnswer& answer);
Result<GpuAnswer> gpuAnswerFromJson(const nlohmann::json& json);
nlohmann::json toJson(const BaselineJob& job);
Result<BaselineJob> baselineJobFromJson(const nlohmann::json& json);
nlohmann::json toJson(const BaselineAnswer& answer);
Result<BaselineAnswer> baselineAnswerFromJson(const nlohmann::json& json);
/// Travels in the cuda runner's first message.
nlohmann::json toJson(const GpuInfo& info);
Result<GpuInfo> gpuInfoFromJson(const nlohmann::json& json);

} // namespace sparserl

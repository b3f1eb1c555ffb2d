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

/// Key prefix of inputs that a cuda runner keeps between jobs. They are sent as files together with contents.
constexpr std::string_view inputsKeyPrefix = "inputs/";

/// One execution on a GPU. Outputs go to the job's memory.
struct GpuCase
{
    std::string contents, inputsKey;
    std::vector<CallRanges> calls; ///< Inputs are in the file `inputsKey`, everything else in the memory.
    std::uint64_t seed = 0;
    bool mayNotBind = false; ///< A plan that does not bind here is reported, and the following cases run.
};

/// The timing between the cases.
struct GpuTiming
{
    std::string contents, inputsKey;
    std::vector<NumberRanges> ring; ///< Inputs of each call.
    int samples = 30;
    double sampleMicroseconds = 200;
    bool cold = true;
    bool counters = false;
    double dropAbove = 0; ///< As in MeasureRequest: if slower, the first estimate suffices.
    std::string against;  ///< A library routine to interleave with the program (ABAB); empty: none.
    int meanCalls = 0;    ///< > 0: also the mean of this many calls in one batch (the paper's protocol).
    double underflow = 0; ///< As in CompareRequest; 0: timed results are not compared.
    std::uint64_t seed = 0;
};

/// A request to the cuda role about a program. The runner repeats the gate's checks and stops at the first
/// fault.
struct GpuJob
{
    std::string program, ptx;
    std::string cubin; ///< From the compile role; if empty, the runner assembles the PTX itself.
    TargetVariant variant;
    std::vector<std::string> drop, take; ///< As in SimulationJob.
    std::vector<GpuCase> before, after;
    std::optional<GpuTiming> timing;
    double limitMicroseconds = 1e6; ///< A launch of a case or a timed call that takes longer is a Timeout.
};

/// The part of a Measurement that goes into the record.
struct GpuMeasured
{
    std::optional<Fault> fault;
    Timing warm;
    std::optional<Timing> cold;
    double meanMicroseconds = 0; ///< Mean of `meanCalls` calls; 0 if not requested.
    double setupMicroseconds = 0, wallMicroseconds = 0, measuringSeconds = 0, conversionSeconds = 0;
    bool clocksAgree = true;
    bool dropped = false;   ///< `warm` is an estimate, and no results were compared.
    ComparedCalls compared; ///< For all timed calls.
    /// Interleaved with the requested routine: the reported figures.
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
    bool poisoned = false;  ///< The runner exits after this answer.
    double busySeconds = 0; ///< Wall time on the GPU thread, without concurrent preparation.
};

/// Library routines to time on contents.
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
/// Part of the cuda runner's first message.
nlohmann::json toJson(const GpuInfo& info);
Result<GpuInfo> gpuInfoFromJson(const nlohmann::json& json);

} // namespace sparserl

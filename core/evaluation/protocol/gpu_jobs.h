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

/// Prefix of the keys of inputs. A cuda runner keeps inputs between jobs; they are sent as files, like
/// contents.
constexpr std::string_view inputsKeyPrefix = "inputs/";

/// One execution on a GPU. The outputs go to the job's memory.
struct GpuCase
{
    std::string contents, inputsKey;
    /// The inputs are in the file `inputsKey`, everything else is in the job's memory.
    std::vector<CallRanges> calls;
    std::uint64_t seed = 0;
    bool mayNotBind = false; ///< If the plan does not bind, this is reported, and the following cases run.
};

/// The timing of a program, between the cases before and after it.
struct GpuTiming
{
    std::string contents, inputsKey;
    std::vector<NumberRanges> ring; ///< Inputs of the calls, used cyclically.
    int samples = 30;
    double sampleMicroseconds = 200;
    bool cold = true;
    bool counters = false;
    double dropAbove = 0; ///< As in MeasureRequest: if the program is slower, its first estimate suffices.
    /// A library routine that is timed in alternation with the program (ABAB); empty: none.
    std::string against;
    /// If above 0, also measures the mean of this many calls in one batch (the paper's protocol).
    int meanCalls = 0;
    double underflow = 0; ///< As in CompareRequest; 0: timed results are not compared.
    std::uint64_t seed = 0;
};

/// A request to the cuda role about a program. The runner repeats the gate's checks and stops at the first
/// fault.
struct GpuJob
{
    std::string program, ptx;
    std::string cubin; ///< Code from the role compile. If empty, the runner assembles the PTX itself.
    TargetVariant variant;
    std::vector<std::string> drop, take; ///< As in SimulationJob.
    std::vector<GpuCase> before, after;
    std::optional<GpuTiming> timing;
    double limitMicroseconds = 1e6; ///< If a launch of a case or a timed call takes longer, it is a Timeout.
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
    ComparedCalls compared; ///< Comparison of all timed calls.
    /// The reported figures: times of the program and the requested routine, measured in alternation.
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

/// A request to the cuda role to time library routines on contents.
struct BaselineJob
{
    std::string contents;
    TargetVariant variant;
    BaselineSet set = BaselineSet::Csr;
    bool cold = true;
    int meanCalls = 0; ///< As in GpuTiming: the number of calls in one batch.
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

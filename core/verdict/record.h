// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "target/target_id.h"
#include "verdict/counters.h"
#include "verdict/flags.h"
#include "verdict/timing.h"
#include "verdict/verdict.h"

#include <array>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// The first wrong element of an output.
struct WrongElement
{
    std::int64_t row = 0;    ///< Position along all dimensions but the last, or in a vector.
    std::int64_t column = 0; ///< Position along the last dimension; 0 in a vector.
    double expected = 0, got = 0, bound = 0;
    /// Number of the output among the task's outputs. Unset: the task has only one.
    std::optional<std::int64_t> output = {};
};

/// Version of the judging method. It increases with each change of the criteria for correct results or of the
/// measurement of times.
/// 1: row bound 4 u (n + 2) sum |a||x|, battery and small relative with every check.
/// 2: row bound 6 u (sqrt(n) + 2) ||a o x||_2 with inputs of all magnitudes, every check also on a large
/// relative and on the matrix itself, calls renewed between timed samples.
constexpr int currentProtocol = 2;

/// The complete result of judging one program on one target (docs/formats.md 2).
struct VerdictRecord
{
    std::string programHash, ptxHash;
    TargetId target;
    std::string device; ///< "simulated h200", "NVIDIA H200 (driver 580.82)"
    bool simulated = true;
    Verdict verdict = Verdict::PlanError;
    VerdictFlags flags;
    std::string message; ///< A sentence: what went wrong and where.
    std::string log;     ///< Compile log, at most 16 KiB.
    int line = 0;        ///< Source line in the program text, 0 if unknown.
    std::optional<std::array<std::int64_t, 3>> block, thread;
    std::string batteryCase; ///< The battery shape that failed; empty if the matrix itself failed.
    std::optional<WrongElement> wrong;
    double boundShare = 0; ///< For correct programs: largest error over its bound (`Reference`), 0 to 1.
    int registers = 0;
    std::int64_t staticShared = 0, dynamicShared = 0, localBytes = 0;
    double occupancy = 0;
    std::string occupancyLimiter;
    std::optional<Timing> warm, cold; ///< Microseconds per call.
    /// For a correct program that was not measured: the predicted microseconds that training rewarded, and
    /// their source (`predicted_from` in names.h). Only training may use the prediction. 0: none.
    double predictedMicroseconds = 0;
    std::string predictedFrom;
    double setupMicroseconds = 0;
    std::string baselineName, baselineAlgorithm;
    double baselineMicroseconds = 0; ///< 0: none
    /// Times of cuSPARSE's DEFAULT algorithm and its best CSR routine on this matrix, regardless of the
    /// baseline; 0: not timed. They are the two bars of the reward `milestone`.
    double defaultRoutineMicroseconds = 0, bestRoutineMicroseconds = 0;
    std::int64_t compulsoryBytes = 0;
    double shareOfLimit = 0;            ///< Lower limit of the time / time, in [0, 1].
    std::vector<LineCounters> lines;    ///< By line of the program; only on request.
    std::vector<LineCounters> ptxLines; ///< By line of the program's PTX.
    std::uint64_t seed = 0;
    int protocolVersion = currentProtocol;
    double judgeSeconds = 0;

    bool correct() const { return verdict == Verdict::Correct; }
    /// baseline / warm median, or 0 if either is missing.
    double speedup() const;
};

/// The flags for lists: those of the record, and `not-finite` if its first wrong element is NaN or infinite
/// but should not be. An element that the program never wrote is also NaN.
VerdictFlags listedFlags(const VerdictRecord& record);

/// Whether the verdict's time cannot be trusted: the program is flagged as suspicious.
bool isDoubtful(const VerdictRecord& record);

nlohmann::json toJson(const VerdictRecord& record);
Result<VerdictRecord> verdictRecordFromJson(const nlohmann::json& json);

} // namespace sparserl

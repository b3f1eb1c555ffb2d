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
    /// Index over all dimensions except the last, or in a vector. For an operator, the position in row-major
    /// order.
    std::int64_t row = 0;
    std::int64_t column = 0; ///< Index in the last dimension; 0 in a vector and for an operator.
    double expected = 0, got = 0, bound = 0;
    /// Index among the task's outputs; unset if the task has only one output.
    std::optional<std::int64_t> output = {};
};

/// Version of the judging method. It increases with each change of the criteria for correct results or of the
/// measurement of times.
/// 1: The row bound is 4 u (n + 2) sum |a||x|. The battery and the small relative run with every check.
/// 2: The row bound is 6 u (sqrt(n) + 2) ||a o x||_2, and inputs have all magnitudes. A large relative and
/// the matrix itself also run with every check. Timed samples get new calls.
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
    std::string message; ///< A sentence that says what went wrong and where.
    std::string log;     ///< Compile log, at most 16 KiB.
    int line = 0;        ///< Source line in the program text, 0 if unknown.
    std::optional<std::array<std::int64_t, 3>> block, thread;
    std::string batteryCase; ///< The test shape on which the program failed; empty: the matrix itself.
    std::optional<WrongElement> wrong;
    double boundShare = 0; ///< Largest ratio of error to bound (`Reference`) of a correct program.
    int registers = 0;
    std::int64_t staticShared = 0, dynamicShared = 0, localBytes = 0;
    double occupancy = 0;
    std::string occupancyLimiter;
    std::optional<Timing> warm, cold; ///< Microseconds per call.
    /// For a correct program that was not measured: the predicted time that training rewarded (0: none) and
    /// its source (`predicted_from` in names.h). Only training may use the prediction.
    double predictedMicroseconds = 0;
    std::string predictedFrom;
    double setupMicroseconds = 0;
    std::string baselineName, baselineAlgorithm;
    double baselineMicroseconds = 0; ///< 0 if there is no baseline.
    /// Times of cuSPARSE's DEFAULT algorithm and of its best CSR routine on this matrix, whatever the
    /// baseline is; 0: not timed. The reward `milestone` uses them as its two thresholds.
    double defaultRoutineMicroseconds = 0, bestRoutineMicroseconds = 0;
    std::int64_t compulsoryBytes = 0;
    double shareOfLimit = 0;            ///< Lower limit of the time, divided by the time; in [0, 1].
    std::vector<LineCounters> lines;    ///< Counters per line of the program; only on request.
    std::vector<LineCounters> ptxLines; ///< Counters per line of its PTX; only on request.
    std::uint64_t seed = 0;
    int protocolVersion = currentProtocol;
    double judgeSeconds = 0;

    bool correct() const { return verdict == Verdict::Correct; }
    /// Baseline time divided by the warm median; 0 if either is missing.
    double speedup() const;
};

/// Returns the flags to show in lists: the record's own, and `not-finite` if its first wrong element is NaN
/// or infinite but should be finite. An element that the program never wrote is NaN, too.
VerdictFlags listedFlags(const VerdictRecord& record);

/// Returns whether the time cannot be trusted because the program is flagged as suspicious.
bool isDoubtful(const VerdictRecord& record);

nlohmann::json toJson(const VerdictRecord& record);
Result<VerdictRecord> verdictRecordFromJson(const nlohmann::json& json);

} // namespace sparserl

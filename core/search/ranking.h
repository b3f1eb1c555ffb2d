// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "evaluation/judge.h"
#include "search/archive.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// Options of the final ranking of a search.
struct RankingOptions
{
    std::size_t finalists = 6;      ///< Number of finalists chosen as the fastest of all programs.
    std::size_t benchFinalists = 3; ///< Number of finalists chosen as the fastest of bench's own programs.
    int rankingRounds = 2;          ///< Rounds of measurements that choose the record.
    int confirmingRounds = 3;       ///< Rounds that then measure the record, in separate processes.
    std::uint64_t seed = 0;
    CancelToken cancel;
    std::function<void(const std::string& phase)> progress; ///< Called at each verdict.
};

/// The result of the final ranking, which measures the finalists again, interleaved with the baseline, by the
/// protocol for reported figures.
struct Ranking
{
    std::size_t record = 0, bench = 0; ///< Numbers of the record and of bench's best in the archive; equal if
                                       ///< bench's best is the record.
    std::vector<std::size_t> refused;  ///< Numbers of the finalists that the full protocol found incorrect.
    std::string device, baseline;
    double recordMicroseconds = 0, benchMicroseconds = 0, baselineMicroseconds = 0; ///< Geometric means.
    double recordSpeedup = 0, benchSpeedup = 0; ///< Speed-ups over the baseline.
    /// The speed-up of the record over bench's best: geometric mean, minimum and maximum over the confirming
    /// rounds. The rounds that chose the record are not included.
    double gain = 1, leastGain = 1, mostGain = 1;
    double shareOfLimit = 0; ///< VerdictRecord::shareOfLimit of the record.
    /// The last verdict on each finalist under the full protocol, by the finalist's number.
    std::map<std::size_t, VerdictRecord> verdicts;
};

using MakeJudge = std::function<Result<std::unique_ptr<Judge>>()>;

/// Ranks the best programs of a search together with those of bench. Each stage creates a new judge with
/// `makeJudge`, which must follow the protocol for reported figures. Returns nullopt if no finalist is
/// correct.
Result<std::optional<Ranking>> rankSearch(const Archive& archive, const Target& target,
                                          const MakeJudge& makeJudge, const RankingOptions& options);

} // namespace sparserl

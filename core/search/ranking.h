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

/// How the end of a search is judged.
struct RankingOptions
{
    std::size_t finalists = 6;      ///< Of all programs, the fastest.
    std::size_t benchFinalists = 3; ///< Of bench's own, the fastest.
    int rankingRounds = 2;          ///< In which the record is chosen.
    int confirmingRounds = 3;       ///< In which it is measured, in processes of their own.
    std::uint64_t seed = 0;
    CancelToken cancel;
    std::function<void(const std::string& phase)> progress; ///< At each verdict.
};

/// Programs measured again, in turn with the baseline, by the protocol of verdicts that count.
struct Ranking
{
    std::size_t record = 0, bench = 0; ///< Numbers in the archive. Equal: nothing was better.
    std::vector<std::size_t> refused;  ///< Finalists that the full protocol refused.
    std::string device, baseline;
    double recordMicroseconds = 0, benchMicroseconds = 0, baselineMicroseconds = 0; ///< Geometric means.
    double recordSpeedup = 0, benchSpeedup = 0;                                     ///< Over the baseline.
    /// Bench's best over the record, from the speed-ups of each confirming round: geometric mean, least and
    /// greatest. Rounds that chose the record are not among them.
    double gain = 1, leastGain = 1, mostGain = 1;
    double shareOfLimit = 0; ///< Of the record.
    /// What the full protocol says of each finalist, by its number: the last verdict, or the one that refused
    /// it.
    std::map<std::size_t, VerdictRecord> verdicts;
};

using MakeJudge = std::function<Result<std::unique_ptr<Judge>>()>;

/// Ranks the best of a search and of bench among them. `makeJudge` makes judges for figures that count: each
/// stage has one of its own. Nothing where no finalist is correct.
Result<std::optional<Ranking>> rankSearch(const Archive& archive, const Target& target,
                                          const MakeJudge& makeJudge, const RankingOptions& options);

} // namespace sparserl

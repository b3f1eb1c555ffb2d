// SPDX-License-Identifier: Apache-2.0
#include "search/ranking.h"

#include "base/geometric_mean.h"

#include <algorithm>
#include <map>
#include <utility>

namespace sparserl {

namespace {

/// What several rounds say of one program.
struct Measured
{
    std::vector<VerdictRecord> rounds;
    bool correct = true;
    double speedup() const
    {
        GeometricMean mean;
        for (const VerdictRecord& record : rounds)
            mean.add(record.speedup());
        return mean.value();
    }
    double microseconds() const
    {
        GeometricMean mean;
        for (const VerdictRecord& record : rounds)
            mean.add(record.warm ? record.warm->median : 0);
        return mean.value();
    }
    double baseline() const
    {
        GeometricMean mean;
        for (const VerdictRecord& record : rounds)
            mean.add(record.baselineMicroseconds);
        return mean.value();
    }
};

using Measurements = std::map<std::size_t, Measured>; ///< By number in the archive.

Result<Measurements> measure(const Archive& archive, const std::vector<std::size_t>& numbers,
                             const Target& target, const MakeJudge& makeJudge, int rounds,
                             std::uint64_t firstSeed, const CancelToken& cancel,
                             const std::function<void()>& said)
{
    said();
    SPARSERL_TRY(auto judge, makeJudge());
    std::vector<JudgeRequest> requests;
    std::vector<std::size_t> asked;
    // One round after the other, so that what a device does over time meets all programs alike.
    for (int round = 0; round < rounds; ++round) {
        for (const std::size_t number : numbers) {
            JudgeRequest request;
            request.program = archive.find(number)->text;
            request.target = target;
            request.seed = firstSeed + static_cast<std::uint64_t>(round);
            requests.push_back(std::move(request));
            asked.push_back(number);
        }
    }
    SPARSERL_TRY(const auto records,
                 judge->judge(requests, cancel, [&](std::size_t, const VerdictRecord&) { said(); }));
    Measurements out;
    for (std::size_t i = 0; i < records.size(); ++i) {
        Measured& one = out[asked[i]];
        one.correct = one.correct && records[i].correct() && records[i].warm.has_value();
        one.rounds.push_back(records[i]);
    }
    return out;
}

/// The last verdict on each program, or the first that is not correct.
std::map<std::size_t, VerdictRecord> verdictsOf(const Measurements& measurements)
{
    std::map<std::size_t, VerdictRecord> verdicts;
    for (const auto& [number, measured] : measurements) {
        for (const VerdictRecord& record : measured.rounds) {
            verdicts[number] = record;
            if (!record.correct())
                break;
        }
    }
    return verdicts;
}

/// Finalists: the fastest of all, and the fastest of bench.
std::vector<std::size_t> finalists(const Archive& archive, const RankingOptions& options)
{
    std::vector<std::size_t> numbers;
    for (const SearchedProgram* program : archive.ranked(options.finalists))
        numbers.push_back(program->number);
    std::size_t ofBench = 0;
    for (const SearchedProgram* program : archive.ranked(archive.all().size())) {
        if (program->source != "bench" || ofBench >= options.benchFinalists)
            continue;
        ++ofBench;
        if (std::find(numbers.begin(), numbers.end(), program->number) == numbers.end())
            numbers.push_back(program->number);
    }
    return numbers;
}

} // namespace

Result<std::optional<Ranking>> rankSearch(const Archive& archive, const Target& target,
                                          const MakeJudge& makeJudge, const RankingOptions& options)
{
    const auto numbers = finalists(archive, options);
    if (numbers.empty())
        return std::nullopt;
    const auto say = [&options](const char* phase) {
        return [&options, phase] {
            if (options.progress)
                options.progress(phase);
        };
    };
    SPARSERL_TRY(const auto first,
                 measure(archive, numbers, target, makeJudge, options.rankingRounds, options.seed,
                         options.cancel, say("the best once more, in new processes")));
    Ranking ranking;
    ranking.verdicts = verdictsOf(first);
    const SearchedProgram *record = nullptr, *bench = nullptr;
    // Of equal ones the older: what bench has found nothing has to find.
    std::vector<std::size_t> byAge = numbers;
    std::sort(byAge.begin(), byAge.end());
    for (const std::size_t number : byAge) {
        const Measured& one = first.at(number);
        const SearchedProgram* program = archive.find(number);
        if (!one.correct) {
            ranking.refused.push_back(number);
            continue;
        }
        if (!record || one.speedup() > first.at(record->number).speedup())
            record = program;
        if (program->source == "bench" && (!bench || one.speedup() > first.at(bench->number).speedup()))
            bench = program;
    }
    if (!record)
        return std::nullopt;
    if (!bench)
        bench = record; // None of bench's programs is correct here.
    std::vector<std::size_t> two{bench->number};
    if (record != bench)
        two.push_back(record->number);
    SPARSERL_TRY(const auto last,
                 measure(archive, two, target, makeJudge, options.confirmingRounds, options.seed + 1000,
                         options.cancel, say("the record against bench's best")));
    for (auto& [number, verdict] : verdictsOf(last))
        ranking.verdicts[number] = std::move(verdict);
    if (!last.at(record->number).correct) { // Right twice and wrong now: bench's is what can be relied on.
        ranking.refused.push_back(record->number);
        record = bench;
    }
    const Measured &best = last.at(record->number), &known = last.at(bench->number);
    if (!best.correct)
        return std::nullopt;
    ranking.record = record->number;
    ranking.bench = bench->number;
    ranking.device = best.rounds.front().device;
    ranking.baseline = best.rounds.front().baselineName;
    if (!best.rounds.front().baselineAlgorithm.empty())
        ranking.baseline += " " + best.rounds.front().baselineAlgorithm;
    ranking.recordMicroseconds = best.microseconds();
    ranking.benchMicroseconds = known.microseconds();
    ranking.baselineMicroseconds = best.baseline();
    ranking.recordSpeedup = best.speedup();
    ranking.benchSpeedup = known.speedup();
    ranking.shareOfLimit = best.rounds.front().shareOfLimit;
    GeometricMean gain;
    for (std::size_t round = 0; round < best.rounds.size(); ++round) {
        const double of = known.rounds[round].speedup(), one = of > 0 ? best.rounds[round].speedup() / of : 0;
        gain.add(one);
        ranking.leastGain = round == 0 ? one : std::min(ranking.leastGain, one);
        ranking.mostGain = round == 0 ? one : std::max(ranking.mostGain, one);
    }
    ranking.gain = gain.value();
    return ranking;
}

} // namespace sparserl

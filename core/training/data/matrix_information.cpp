// SPDX-License-Identifier: Apache-2.0
#include "training/data/matrix_information.h"

#include "base/quantile.h"
#include "base/rng.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>

namespace sparserl {

namespace {

/// Families as numbers, so that shuffling and counting are cheap.
struct Coded
{
    std::vector<int> matrix, family;
    int matrices = 0, families = 0;
};

Coded coded(std::span<const FamilyChoice> choices)
{
    Coded result;
    std::map<int, int> matrices;
    std::map<std::string, int> families;
    for (const auto& choice : choices) {
        result.matrix.push_back(
            matrices.try_emplace(choice.matrix, static_cast<int>(matrices.size())).first->second);
        result.family.push_back(
            families.try_emplace(choice.family, static_cast<int>(families.size())).first->second);
    }
    result.matrices = static_cast<int>(matrices.size());
    result.families = static_cast<int>(families.size());
    return result;
}

double entropyOf(std::span<const double> counts, double total)
{
    double sum = 0;
    for (const double count : counts) {
        if (count > 0)
            sum -= count / total * std::log(count / total);
    }
    return sum;
}

/// Sets both entropies; the information follows.
void measure(const Coded& table, FamilyInformation& into)
{
    const auto families = static_cast<std::size_t>(table.families);
    std::vector<double> marginal(families, 0.0);
    std::vector<double> joint(families * static_cast<std::size_t>(table.matrices), 0.0);
    std::vector<double> samples(static_cast<std::size_t>(table.matrices), 0.0);
    for (std::size_t i = 0; i < table.matrix.size(); ++i) {
        const auto m = static_cast<std::size_t>(table.matrix[i]),
                   f = static_cast<std::size_t>(table.family[i]);
        ++marginal[f];
        ++joint[m * families + f];
        ++samples[m];
    }
    const auto total = static_cast<double>(table.matrix.size());
    into.entropy = entropyOf(marginal, total);
    into.conditionalEntropy = 0;
    for (std::size_t m = 0; m < samples.size(); ++m) {
        const std::span<const double> row(joint.data() + m * families, families);
        into.conditionalEntropy += samples[m] / total * entropyOf(row, samples[m]);
    }
    into.information = into.entropy - into.conditionalEntropy;
}

FamilyInformation informationOf(Coded table, int permutations, Rng rng)
{
    FamilyInformation result;
    if (table.matrix.empty())
        return result;
    measure(table, result);
    FamilyInformation shuffled;
    for (int i = 0; i < permutations; ++i) {
        rng.shuffle(table.family);
        measure(table, shuffled);
        result.permuted += shuffled.information / permutations;
    }
    return result;
}

} // namespace

FamilyInformation familyInformation(std::span<const FamilyChoice> choices, int permutations,
                                    std::uint64_t seed)
{
    return informationOf(coded(choices), permutations, Rng(seed).derive("family-information"));
}

Interval familyInformationInterval(std::span<const FamilyChoice> choices, double level, int draws,
                                   std::uint64_t seed)
{
    constexpr int permutations = 20;
    Interval interval;
    if (choices.empty())
        return interval;
    const Coded all = coded(choices);
    const Rng base = Rng(seed).derive("family-information-interval");
    interval.mean = informationOf(all, 10 * permutations, base).corrected();
    std::vector<std::vector<int>> byMatrix(static_cast<std::size_t>(all.matrices));
    for (std::size_t i = 0; i < all.matrix.size(); ++i)
        byMatrix[static_cast<std::size_t>(all.matrix[i])].push_back(all.family[i]);
    std::vector<double> values;
    for (int draw = 0; draw < draws; ++draw) {
        Rng rng = base.derive(static_cast<std::uint64_t>(draw));
        Coded drawn;
        drawn.matrices = all.matrices;
        drawn.families = all.families;
        for (int m = 0; m < all.matrices; ++m) {
            for (const int family : byMatrix[rng.below(byMatrix.size())]) {
                drawn.matrix.push_back(m);
                drawn.family.push_back(family);
            }
        }
        values.push_back(informationOf(std::move(drawn), permutations, rng).corrected());
    }
    std::sort(values.begin(), values.end());
    interval.low = sortedQuantile(values, (1 - level) / 2);
    interval.high = sortedQuantile(values, 1 - (1 - level) / 2);
    return interval;
}

BestFamilyShares bestFamilyShares(std::span<const FamilyChoice> choices, std::span<const std::string> best)
{
    struct Counts
    {
        double right = 0, all = 0;
    };
    std::vector<Counts> byMatrix(best.size());
    std::map<std::string, double> marginal;
    double samples = 0;
    for (const auto& choice : choices) {
        const auto m = static_cast<std::size_t>(choice.matrix);
        assert(m < best.size());
        if (best[m].empty())
            continue;
        byMatrix[m].all += 1;
        byMatrix[m].right += choice.family == best[m] ? 1 : 0;
        marginal[choice.family] += 1;
        samples += 1;
    }
    BestFamilyShares result;
    for (std::size_t m = 0; m < best.size(); ++m) {
        if (byMatrix[m].all == 0)
            continue;
        ++result.matrices;
        result.share += byMatrix[m].right / byMatrix[m].all;
        result.hit += byMatrix[m].right > 0 ? 1 : 0;
        if (const auto found = marginal.find(best[m]); found != marginal.end())
            result.chance += found->second / samples;
    }
    const double n = std::max(result.matrices, 1);
    result.share /= n;
    result.hit /= n;
    result.chance /= n;
    return result;
}

std::vector<ProgramReading> readingsOf(const ProgramScores& scores)
{
    std::vector<ProgramReading> result;
    for (std::size_t i = 0; i < scores.scores.size(); ++i) {
        const auto& row = scores.scores[i];
        const double own = row[static_cast<std::size_t>(scores.own[i])];
        const double largest = *std::max_element(row.begin(), row.end());
        double sum = 0, higher = 0, ties = -1; // the own one ties with itself
        for (const double score : row) {
            sum += std::exp(score - largest);
            higher += score > own ? 1 : 0;
            ties += score == own ? 1 : 0;
        }
        const auto n = static_cast<double>(row.size());
        ProgramReading reading;
        reading.information = own - (largest + std::log(sum / n));
        reading.rank = n > 1 ? (n - 1 - higher - ties / 2) / (n - 1) : 0.5;
        for (double place = higher + 1; place <= higher + ties + 1; ++place)
            reading.reciprocalRank += 1 / place / (ties + 1);
        result.push_back(reading);
    }
    return result;
}

double reciprocalRankByChance(int matrices)
{
    double sum = 0;
    for (int place = 1; place <= matrices; ++place)
        sum += 1.0 / place;
    return matrices > 0 ? sum / matrices : 0;
}

Interval intervalByMatrix(std::span<const double> values, std::span<const int> matrices, double level,
                          int draws, std::uint64_t seed)
{
    assert(values.size() == matrices.size());
    std::map<int, std::pair<double, double>> sums;
    for (std::size_t i = 0; i < values.size(); ++i) {
        auto& [sum, n] = sums[matrices[i]];
        sum += values[i];
        n += 1;
    }
    std::vector<double> means;
    means.reserve(sums.size());
    for (const auto& [matrix, sum] : sums)
        means.push_back(sum.first / sum.second);
    return pairedBootstrap(means, level, draws, seed);
}

Metrics readingMetrics(const ProgramScores& scores, std::uint64_t seed)
{
    Metrics metrics;
    if (scores.scores.empty())
        return metrics;
    std::vector<double> information, rank, reciprocal;
    for (const auto& reading : readingsOf(scores)) {
        information.push_back(reading.information);
        rank.push_back(reading.rank);
        reciprocal.push_back(reading.reciprocalRank);
    }
    constexpr int draws = 1000;
    const auto informed = intervalByMatrix(information, scores.own, 0.95, draws, seed);
    const auto ranked = intervalByMatrix(rank, scores.own, 0.95, draws, seed);
    metrics[metric::programInformation] = informed.mean;
    metrics[metric::programInformationInterval.part("low")] = informed.low;
    metrics[metric::programInformationInterval.part("high")] = informed.high;
    metrics[metric::ownRank] = ranked.mean;
    metrics[metric::ownRankInterval.part("low")] = ranked.low;
    metrics[metric::ownRankInterval.part("high")] = ranked.high;
    metrics[metric::ownReciprocalRank] = intervalByMatrix(reciprocal, scores.own, 0.95, 1, seed).mean;
    metrics[metric::ownReciprocalRankChance] =
        reciprocalRankByChance(static_cast<int>(scores.scores.front().size()));
    return metrics;
}

} // namespace sparserl

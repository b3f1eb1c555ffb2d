// SPDX-License-Identifier: Apache-2.0
#include "corpus/recommend_estimated.h"

#include <algorithm>
#include <string>
#include <utility>

namespace sparserl {

namespace {

constexpr std::size_t mostCandidates = 40; ///< Worth timing for one matrix.
constexpr std::size_t mostOfFamily = 8;
constexpr std::size_t mostByFactors = 5;
constexpr std::size_t fewest = 32;
constexpr std::size_t twins = 5;     ///< So many of the first are tried in both ways of loading.
constexpr double worthTrying = 2.5;  ///< Times the best estimate.
constexpr double representative = 8; ///< The same for the best of each family.
constexpr double crowding = 0.07;    ///< Each further candidate of a family stands back by this share.

struct Timed
{
    FamilyParameters parameters;
    double time = 0;
    double plain = 0; ///< Without the factors of parameter values, which rest on fewer measurements.
};

void layOut(const EstimatedFamily& one, const ParameterGrid& grid, std::size_t axis,
            FamilyParameters& parameters, std::vector<Timed>& out)
{
    if (axis == grid.size()) {
        // Predicates are about batches.
        const auto predicate = parameters.find("predicate");
        if (predicate != parameters.end() && predicate->second == 1 && parameters.at("batch") == 1)
            return;
        const double time = one.microseconds(parameters);
        if (time < 1e9)
            out.push_back({parameters, time, time / one.factor(parameters)});
        return;
    }
    const auto& [name, values] = grid[axis];
    const std::int64_t first = parameters[name];
    for (std::int64_t value : values) {
        parameters[name] = value;
        layOut(one, grid, axis + 1, parameters, out);
    }
    parameters[name] = first;
}

/// Every program of the family's grids with its estimate.
std::vector<Timed> laidOut(const EstimatedFamily& one)
{
    FamilyParameters parameters;
    for (const FamilyParameter& parameter : one.family->parameters)
        parameters[parameter.name] = parameter.values.front();
    std::vector<Timed> all;
    for (const ParameterGrid& grid : *one.grids)
        layOut(one, grid, 0, parameters, all);
    return all;
}

int differences(const FamilyParameters& a, const FamilyParameters& b)
{
    int count = 0;
    for (const auto& [name, value] : a) {
        const auto other = b.find(name);
        count += other == b.end() || other->second != value ? 1 : 0;
    }
    return count;
}

/// To `chosen` the best of a family by `key`, and then the best that differ from all before in `apart`
/// parameters at least, until there are `most`.
void choose(std::vector<Timed>& all, double Timed::*key, int apart, std::size_t most,
            std::vector<Timed>& chosen)
{
    std::stable_sort(all.begin(), all.end(), [&](const Timed& a, const Timed& b) { return a.*key < b.*key; });
    for (const Timed& candidate : all) {
        if (chosen.size() >= most)
            return;
        const bool alike = std::any_of(chosen.begin(), chosen.end(), [&](const Timed& other) {
            return differences(candidate.parameters, other.parameters) < apart;
        });
        if (!alike)
            chosen.push_back(candidate);
    }
}

struct Placed
{
    Candidate candidate;
    double time, place;
    bool wholeLines = false;
};

/// The few of each family that are worth timing, and the best estimate of all.
std::pair<std::vector<Placed>, double> placedCandidates(const std::vector<EstimatedFamily>& families)
{
    std::vector<std::vector<Timed>> byFamily;
    double best = 1e300, bestPlain = 1e300;
    for (const EstimatedFamily& one : families) {
        byFamily.push_back(laidOut(one));
        for (const Timed& timed : byFamily.back()) {
            best = std::min(best, timed.time);
            bestPlain = std::min(bestPlain, timed.plain);
        }
    }
    std::vector<Placed> placed;
    for (std::size_t k = 0; k < families.size(); ++k) {
        const EstimatedFamily& one = families[k];
        std::vector<Timed> chosen;
        choose(byFamily[k], &Timed::time, one.apart, mostByFactors, chosen);
        const std::size_t adjusted = chosen.size();
        choose(byFamily[k], &Timed::plain, one.apart, mostOfFamily, chosen);
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            const double time = i < adjusted ? chosen[i].time : chosen[i].plain * best / bestPlain;
            const double behind = static_cast<double>(i < adjusted ? i : i - adjusted + 1);
            placed.push_back({{one.family->id, chosen[i].parameters, 0, one.reason},
                              time,
                              time * (1 + crowding * behind),
                              one.wholeLines});
        }
    }
    return {std::move(placed), best};
}

/// Turns the candidate into the other way of loading where measurements went either way: predicates in
/// batches of gathers, and streaming loads of whole lines where the matrix does not stay in L2. False where
/// it has none.
bool loadOtherwise(Candidate& candidate, bool streamLines)
{
    const auto found = candidate.parameters.find(streamLines ? "stream" : "predicate");
    const auto batch = candidate.parameters.find("batch");
    const auto vector = candidate.parameters.find("vector");
    const bool batched = batch != candidate.parameters.end() && batch->second > 1 &&
                         (vector == candidate.parameters.end() || vector->second == 1);
    if (found == candidate.parameters.end() || (!batched && !streamLines))
        return false;
    found->second = 1 - found->second;
    candidate.score *= 0.999;
    return true;
}

} // namespace

std::vector<Candidate> recommendEstimated(const std::vector<EstimatedFamily>& families, bool large)
{
    auto [placed, best] = placedCandidates(families);
    std::stable_sort(placed.begin(), placed.end(),
                     [](const Placed& a, const Placed& b) { return a.place < b.place; });
    std::size_t twinned = 0;
    std::vector<Candidate> result;
    for (Placed& p : placed) {
        const bool first = p.place == p.time;
        const bool wanted = p.place <= worthTrying * best || result.size() < fewest;
        if (!(first && p.time <= representative * best) && (!wanted || result.size() >= mostCandidates))
            continue;
        const double ratio = best / p.place;
        p.candidate.score = std::clamp(ratio * ratio, 0.01, 1.0);
        result.push_back(p.candidate);
        if (twinned < twins && loadOtherwise(p.candidate, large && p.wholeLines)) {
            ++twinned;
            result.push_back(p.candidate);
        }
    }
    return result;
}

std::vector<Candidate> laidOutEstimated(const std::vector<EstimatedFamily>& families)
{
    std::vector<std::pair<double, Candidate>> all;
    for (const EstimatedFamily& one : families) {
        for (Timed& timed : laidOut(one))
            all.push_back({timed.time, {one.family->id, std::move(timed.parameters), 0, {}}});
    }
    std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<Candidate> result;
    for (auto& [time, candidate] : all) {
        candidate.score = all.front().first / time;
        result.push_back(std::move(candidate));
    }
    return result;
}

} // namespace sparserl

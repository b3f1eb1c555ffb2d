// SPDX-License-Identifier: Apache-2.0
#include "corpus/recommend_spmv.h"

#include "corpus/spmv_estimate.h"
#include "corpus/spmv_weights.h"

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

/// Values to combine, by parameter; parameters left out stay at their first value.
struct Grid
{
    const char* family;
    std::vector<std::pair<const char*, std::vector<std::int64_t>>> axes;
};

const std::vector<Grid>& grids()
{
    static const std::vector<std::int64_t> blocks{128, 64, 256, 512};
    static const std::vector<std::int64_t> narrow{0, 1};
    static const std::vector<Grid> all = {
        {"S1", {{"block", blocks}, {"batch", {1, 2, 4, 8}}, {"predicate", {0, 1}}, {"index16", narrow}}},
        {"S1", {{"block", blocks}, {"vector", {4}}, {"index16", narrow}}},
        {"S2",
         {{"block", blocks},
          {"lanes", {2, 4, 8, 16}},
          {"batch", {1, 2, 4, 8}},
          {"predicate", {0, 1}},
          {"index16", narrow}}},
        {"S2", {{"block", blocks}, {"lanes", {2, 4, 8, 16}}, {"vector", {4}}, {"index16", narrow}}},
        {"S3", {{"block", blocks}, {"batch", {1, 2, 4, 8}}, {"predicate", {0, 1}}, {"index16", narrow}}},
        {"S3", {{"block", blocks}, {"vector", {4}}, {"index16", narrow}}},
        {"S4",
         {{"block", {128, 64, 256, 512, 1024}},
          {"batch", {1, 2, 4, 8}},
          {"predicate", {0, 1}},
          {"index16", narrow}}},
        {"S4", {{"block", {128, 256}}, {"batch", {2, 4, 8}}, {"split", {2, 4, 8}}, {"index16", narrow}}},
        {"S5", {{"block", {128, 256}}, {"nnz", {1024, 256, 512, 2048}}, {"lanes", {1, 2, 4, 8}}}},
        {"S6", {{"block", {128, 64, 256}}, {"items", {7, 4, 10}}, {"atomics", {0, 1}}}},
        {"S7", {{"block", {128, 256}}, {"items", {4, 8, 16}}, {"clear", {1}}}},
        {"S8", {{"block", {128, 256}}, {"items", {1, 4, 8}}, {"reduce", {1, 2}}, {"clear", {1}}}},
        {"S9", {{"block", {128, 64, 256}}, {"sigma", {4, 8, 16, 24}}, {"clear", {1}}}},
        {"S10", {{"block", blocks}, {"lanes", {1, 2, 4, 8}}, {"batch", {1, 2, 4, 8}}}},
        {"S11",
         {{"block", {128, 64, 256}},
          {"slice", {32, 4, 8}},
          {"sigma", {1, 256, 4096, 65536}},
          {"lanes", {1, 2, 4, 8}},
          {"vector", {1, 2, 4}},
          {"batch", {1, 2, 4, 8}},
          {"index16", narrow}}},
        {"S12", {{"block", {128, 256}}, {"quantile", {80, 95, 99}}, {"fused", {0, 1}}, {"batch", {4, 8}}}},
        {"S13", {{"block", {128, 64, 256}}, {"unroll", {4, 8, 16}}, {"clamp", {1}}, {"rows", {1, 2, 4}}}},
        {"S14",
         {{"block", {128, 64, 256}},
          {"b", {4, 2, 3, 5, 6, 7, 8, 16}},
          {"groups", {1, 2, 4, 8}},
          {"batch", {1, 2, 4}},
          {"vector", {1}}}},
        {"S15",
         {{"block", {256, 128, 512, 1024}},
          {"mode", {0, 1}},
          {"short", {8, 16, 32, 64, 128}},
          {"long", {256, 512, 1024, 2048, 4096}},
          {"lanes", {1, 2, 4, 8, 16}},
          {"batch", {2, 4, 8}},
          {"predicate", {0, 1}},
          {"index16", narrow}}},
        {"S15",
         {{"block", {128, 256}},
          {"short", {32, 64, 128}},
          {"long", {512}},
          {"lanes", {8, 16}},
          {"batch", {1}},
          {"index16", narrow}}},
        {"S15",
         {{"block", {256, 512}},
          {"short", {16, 32}},
          {"long", {1024, 2048, 4096}},
          {"lanes", {1, 2, 4}},
          {"batch", {4, 8}},
          {"predicate", {1}},
          {"split", {4, 8, 16}},
          {"index16", narrow}}},
        {"S17", {{"block", {128, 256}}, {"lanes", {1, 4, 16, 32}}, {"clear", {1}}}},
        {"S18",
         {{"block", {256, 512, 1024}},
          {"width", {512, 1024, 2048, 4096, 8192}},
          {"lanes", {4, 8, 16, 32}},
          {"batch", {2, 4, 8}},
          {"rows", {1, 2, 4}}}},
        {"dense", {{"block", {128, 256, 512}}, {"lanes", {32, 8, 16, 0}}, {"batch", {2, 4, 8}}}},
    };
    return all;
}

struct Timed
{
    FamilyParameters parameters;
    double time = 0;
    double plain = 0; ///< Without the factors of parameter values, which rest on fewer measurements.
};

void layOut(const Grid& grid, std::size_t axis, FamilyParameters& parameters, const SpmvEstimate& estimate,
            std::vector<Timed>& out)
{
    if (axis == grid.axes.size()) {
        // Predicates are about batches.
        const auto predicate = parameters.find("predicate");
        if (predicate != parameters.end() && predicate->second == 1 && parameters.at("batch") == 1)
            return;
        const double time = estimate.microseconds(grid.family, parameters);
        if (time < 1e9)
            out.push_back({parameters, time, time / spmvFactor(grid.family, parameters)});
        return;
    }
    const auto& [name, values] = grid.axes[axis];
    const std::int64_t first = parameters[name];
    for (std::int64_t value : values) {
        parameters[name] = value;
        layOut(grid, axis + 1, parameters, estimate, out);
    }
    parameters[name] = first;
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

} // namespace

std::vector<Candidate> recommendSpmv(const MatrixFeatures& features)
{
    const SpmvEstimate estimate(features);
    std::vector<std::pair<std::string, std::vector<Timed>>> byFamily;
    for (const Grid& grid : grids()) {
        FamilyParameters parameters;
        for (const FamilyParameter& parameter : findFamily(grid.family)->parameters)
            parameters[parameter.name] = parameter.values.front();
        if (byFamily.empty() || byFamily.back().first != grid.family)
            byFamily.push_back({grid.family, {}});
        layOut(grid, 0, parameters, estimate, byFamily.back().second);
    }
    struct Placed
    {
        Candidate candidate;
        double time, place;
    };
    std::vector<Placed> placed;
    double best = 1e300, bestPlain = 1e300;
    for (const auto& [family, all] : byFamily) {
        for (const Timed& timed : all) {
            best = std::min(best, timed.time);
            bestPlain = std::min(bestPlain, timed.plain);
        }
    }
    for (auto& [family, all] : byFamily) {
        const int apart = family == "S9" ? 1 : 2;
        std::vector<Timed> chosen;
        choose(all, &Timed::time, apart, mostByFactors, chosen);
        const std::size_t adjusted = chosen.size();
        choose(all, &Timed::plain, apart, mostOfFamily, chosen);
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            const double time = i < adjusted ? chosen[i].time : chosen[i].plain * best / bestPlain;
            const double behind = static_cast<double>(i < adjusted ? i : i - adjusted + 1);
            placed.push_back({{family, chosen[i].parameters, 0, estimate.reason(family)},
                              time,
                              time * (1 + crowding * behind)});
        }
    }
    std::stable_sort(placed.begin(), placed.end(),
                     [](const Placed& a, const Placed& b) { return a.place < b.place; });
    const bool large = 8 * static_cast<double>(features.nnz) > 30e6;
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
        // Both ways of loading where measurements went either way: predicates in batches of gathers, and
        // streaming loads of whole lines where the matrix does not stay in L2.
        const bool lines = p.candidate.family == "S5" || p.candidate.family == "S7";
        const char* twin = large && lines ? "stream" : "predicate";
        const auto found = p.candidate.parameters.find(twin);
        const auto batch = p.candidate.parameters.find("batch");
        const auto vector = p.candidate.parameters.find("vector");
        const bool batched = batch != p.candidate.parameters.end() && batch->second > 1 &&
                             (vector == p.candidate.parameters.end() || vector->second == 1);
        if (twinned >= twins || found == p.candidate.parameters.end() || (!batched && !(large && lines)))
            continue;
        ++twinned;
        found->second = 1 - found->second;
        p.candidate.score *= 0.999;
        result.push_back(p.candidate);
    }
    return result;
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "evaluation/audit/group_difference.h"

#include "base/rng.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace sparserl {

namespace {

constexpr int shuffles = 64;

bool has(std::uint32_t word, std::size_t feature)
{
    return feature < 32 ? (word >> feature & 1) != 0 : word == 0;
}

using Differences = std::array<double, observedFeatures>;

/// Of the shares of each feature; nothing where a group is empty.
std::optional<Differences> differencesOf(const std::vector<Observed>& run, const std::vector<bool>& first)
{
    double counts[2] = {};
    std::array<std::array<double, 2>, observedFeatures> seen{};
    for (std::size_t i = 0; i < run.size(); ++i) {
        const std::size_t group = first[i] ? 0 : 1;
        ++counts[group];
        for (std::size_t f = 0; f < observedFeatures; ++f)
            seen[f][group] += has(run[i].word, f) ? 1 : 0;
    }
    if (counts[0] == 0 || counts[1] == 0)
        return std::nullopt;
    Differences found{};
    for (std::size_t f = 0; f < observedFeatures; ++f)
        found[f] = seen[f][0] / counts[0] - seen[f][1] / counts[1];
    return found;
}

double squared(const Differences& differences)
{
    double sum = 0;
    for (const double d : differences)
        sum += d * d;
    return sum;
}

/// The groups of other samples, each from another position on.
std::vector<bool> shuffled(const std::vector<Observed>& run, Rng& rng)
{
    std::map<int, std::vector<std::size_t>> samples;
    for (std::size_t i = 0; i < run.size(); ++i)
        samples[run[i].sample].push_back(i);
    std::vector<const std::vector<std::size_t>*> from;
    from.reserve(samples.size());
    for (const auto& [sample, calls] : samples)
        from.push_back(&calls);
    rng.shuffle(from);
    std::vector<bool> groups(run.size());
    std::size_t next = 0;
    for (const auto& [sample, calls] : samples) {
        const auto& other = *from[next++];
        const std::size_t shift = rng.below(other.size());
        for (std::size_t k = 0; k < calls.size(); ++k)
            groups[calls[k]] = run[other[(k + shift) % other.size()]].first;
    }
    return groups;
}

/// How far the squared differences of a run are above those of shuffled groups, in their standard deviations.
std::optional<double> excessOf(const std::vector<Observed>& run, double found, Rng& rng)
{
    std::vector<double> others;
    others.reserve(shuffles);
    for (int i = 0; i < shuffles; ++i)
        if (const auto differences = differencesOf(run, shuffled(run, rng)))
            others.push_back(squared(*differences));
    if (others.size() < std::size_t(shuffles) / 2)
        return std::nullopt;
    double mean = 0, square = 0;
    const auto n = static_cast<double>(others.size());
    for (const double one : others)
        mean += one / n;
    for (const double one : others)
        square += (one - mean) * (one - mean) / (n - 1);
    if (square <= 0)
        return std::nullopt;
    return (found - mean) / std::sqrt(square);
}

struct Moments
{
    double mean = 0, error = 0, degrees = 0;

    /// Of a mean that is 0, two-sided. Few values may be alike by chance, and their error is 0 then: no p is
    /// below that of so many values of either sign having the same one.
    double p() const
    {
        const double alike = std::exp2(-degrees);
        return error == 0 ? alike : std::max(alike, studentTail(mean / error, degrees));
    }
};

Moments momentsOf(const std::vector<double>& values)
{
    Moments m;
    const auto n = static_cast<double>(values.size());
    m.degrees = n - 1;
    for (const double value : values)
        m.mean += value / n;
    double square = 0;
    for (const double value : values)
        square += (value - m.mean) * (value - m.mean) / (n - 1);
    m.error = std::sqrt(square / n);
    return m;
}

} // namespace

/// With t = sqrt(degrees) tan(angle) the density is c cos(angle)^(degrees - 1); Simpson's rule over the tail.
double studentTail(double t, double degrees)
{
    if (!std::isfinite(t))
        return 0;
    constexpr int intervals = 4000;
    const double from = std::atan(std::abs(t) / std::sqrt(degrees)), to = std::acos(-1.0) / 2;
    const double c =
        std::exp(std::lgamma((degrees + 1) / 2) - std::lgamma(degrees / 2)) / std::sqrt(std::acos(-1.0));
    double sum = 0;
    for (int i = 0; i <= intervals; ++i) {
        const double angle = from + (to - from) * i / intervals;
        const double weight = i == 0 || i == intervals ? 1 : i % 2 == 1 ? 4 : 2;
        sum += weight * std::pow(std::max(0.0, std::cos(angle)), degrees - 1);
    }
    return std::min(1.0, 2 * c * sum * (to - from) / (3.0 * intervals));
}

double studentQuantile(double probability, double degrees)
{
    double low = 0, high = 1;
    while (studentTail(high, degrees) > probability && high < 1e9)
        high *= 2;
    for (int i = 0; i < 60; ++i) {
        const double middle = (low + high) / 2;
        (studentTail(middle, degrees) > probability ? low : high) = middle;
    }
    return (low + high) / 2;
}

int fewestRuns(std::size_t observables, double level)
{
    const auto tests = static_cast<double>(observables * (observedFeatures + 1));
    int runs = 3;
    while (std::exp2(1 - runs) * tests >= level && runs < 1000)
        ++runs;
    return runs;
}

GroupDifference compareGroups(std::span<const std::vector<Observed>> runs, std::size_t observables,
                              double level, std::uint64_t seed)
{
    constexpr std::size_t fewestRuns = 3;
    constexpr std::size_t fewestExcesses = 12; // Of few runs they are alike by chance: their values are few.
    GroupDifference result;
    Rng rng(seed);
    const auto tests = static_cast<double>(observables * (observedFeatures + 1));
    std::array<std::vector<double>, observedFeatures> differences;
    std::vector<double> excesses;
    for (const auto& run : runs) {
        std::vector<bool> first;
        first.reserve(run.size());
        for (const Observed& one : run) {
            first.push_back(one.first);
            ++(one.first ? result.first : result.second);
        }
        const auto found = differencesOf(run, first);
        if (!found)
            continue;
        for (std::size_t f = 0; f < observedFeatures; ++f)
            differences[f].push_back((*found)[f]);
        if (const auto excess = excessOf(run, squared(*found), rng))
            excesses.push_back(*excess);
    }
    for (std::size_t f = 0; f < observedFeatures && differences[f].size() >= fewestRuns; ++f) {
        const Moments m = momentsOf(differences[f]);
        if (m.mean == 0 && m.error == 0)
            continue; // It says the same everywhere.
        const double p = m.p();
        result.smallest =
            std::max(result.smallest,
                     (studentQuantile(level / tests, m.degrees) + studentQuantile(0.4, m.degrees)) * m.error);
        if (!result.feature.empty() && p * tests >= result.p)
            continue;
        result.feature = f < 32 ? fmt::format("bit {}", f) : "zero";
        result.distance = m.mean;
        result.halfWidth = studentQuantile(0.05, m.degrees) * m.error;
        result.p = p * tests;
    }
    if (excesses.size() >= fewestExcesses) {
        const Moments m = momentsOf(excesses);
        result.excess = m.mean;
        const double p = m.mean <= 0 ? 1 : m.p() / 2;
        if (p * tests < std::min(1.0, result.p)) {
            result.feature = "all";
            result.p = p * tests;
        }
    }
    result.p = std::min(1.0, result.p);
    return result;
}

} // namespace sparserl

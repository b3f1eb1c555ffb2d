// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/fields.h"
#include "operator/graph/tensor_type.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// One output of a graph in fp64.
struct OutputSummary
{
    std::string name, type;               ///< "F32 [2, 3]": as the graph says.
    double least = 0, mean = 0, most = 0; ///< Of the finite elements.
    std::int64_t elements = 0, notFinite = 0;
    double noise = 0; ///< Largest difference of fp32 from fp64 over the largest magnitude in fp64.
    /// By how much a result in the graph's types may differ from fp64, in proportion to the largest
    /// magnitude.
    double tolerance = 0;
    bool rounding = false; ///< The output is little more than rounding: no result can be told from another.
    /// The same for the result that the task itself returned when it was recorded, if it was given.
    std::optional<double> recorded = {};
    bool oneValue = false; ///< More than one element, and all are equal.
    std::string digest;    ///< SHA-256 of the elements as doubles.

    bool operator==(const OutputSummary&) const = default;
};

/// Four times the error of the graph's own calls in its own types, and eight roundings of the type.
constexpr double toleranceFor(double noise, TensorElement element)
{
    constexpr double noises = 4, roundings = 8;
    return noises * noise + roundings * roundoffOf(element);
}
/// Error of fp32 from which an output says little: 1e-4, or 64 roundings of a short type.
constexpr double noiseLimit(TensorElement element)
{
    constexpr double most = 1e-4, roundings = 64;
    const double typical = roundings * roundoffOf(element);
    return typical > most ? typical : most;
}
constexpr bool isRoundingNoise(double noise, TensorElement element)
{
    return !(noise <= noiseLimit(element));
}

/// What running a graph shows.
struct OracleReport
{
    std::vector<OutputSummary> outputs;
    std::vector<std::string> deaf; ///< Inputs to whose values no output reacts, to the last bit.
    double noise = 0;              ///< The largest of all outputs.
    double seconds64 = 0, seconds32 = 0;
    std::uint64_t peakBytes = 0; ///< In fp64.
    std::string libtorch;        ///< Its version.

    bool operator==(const OracleReport&) const = default;
};

template <>
struct Fields<OutputSummary>
{
    static constexpr bool whole = true;
    static void of(auto& r, auto& field)
    {
        field("name", r.name);
        field("type", r.type);
        field("least", r.least);
        field("mean", r.mean);
        field("most", r.most);
        field("elements", r.elements);
        field("not_finite", r.notFinite);
        field("noise", r.noise);
        field("tolerance", r.tolerance);
        field("rounding", r.rounding);
        field("recorded", r.recorded);
        field("one_value", r.oneValue);
        field("digest", r.digest);
    }
};

template <>
struct Fields<OracleReport>
{
    static constexpr bool whole = true;
    static void of(auto& r, auto& field)
    {
        field("outputs", r.outputs);
        field("deaf", r.deaf);
        field("noise", r.noise);
        field("seconds_64", r.seconds64);
        field("seconds_32", r.seconds32);
        field("peak_bytes", r.peakBytes);
        field("libtorch", r.libtorch);
    }
};

/// What programs for a task could get away with, a sentence each.
std::vector<std::string> flagsOf(const OracleReport& report);
/// Whether an output is little more than rounding.
bool isRounding(const OracleReport& report);

} // namespace sparserl

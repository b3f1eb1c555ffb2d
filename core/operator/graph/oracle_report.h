// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/fields.h"
#include "operator/graph/tensor_type.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// Describes one output of a graph that was run in fp64.
struct OutputSummary
{
    std::string name, type;               ///< `type` is the one in the graph: "F32 [2, 3]".
    double least = 0, mean = 0, most = 0; ///< Over the finite elements.
    std::int64_t elements = 0, notFinite = 0;
    double noise = 0; ///< relativeDifference() between the graph's own types and fp64.
    /// By how much a result in the graph's types may differ from fp64, in proportion to the largest
    /// magnitude.
    double tolerance = 0;
    bool rounding = false; ///< Whether it is little more than rounding, so that almost any result passes.
    /// relativeDifference() between the task's own result and fp64, if the former was recorded and given.
    std::optional<double> recorded = {};
    bool oneValue = false; ///< Whether there are several elements and all are equal.
    std::string digest;    ///< SHA-256 of the elements as doubles.

    bool operator==(const OutputSummary&) const = default;
};

/// Returns four times the error of the graph's own calls in its own types, plus eight roundings of the type.
constexpr double toleranceFor(double noise, TensorElement element)
{
    constexpr double noises = 4, roundings = 8;
    return noises * noise + roundings * roundoffOf(element);
}
/// Returns the error of the own types above which an output says little: 1e-4, or 64 roundings of a short
/// type.
constexpr double noiseLimit(TensorElement element)
{
    constexpr double most = 1e-4, roundings = 64;
    const double typical = roundings * roundoffOf(element);
    return typical > most ? typical : most;
}
/// Returns whether an error is above noiseLimit(), or NaN.
constexpr bool isRoundingNoise(double noise, TensorElement element)
{
    return !(noise <= noiseLimit(element));
}

/// The results of running a graph in fp64 and in its own types (examineGraph()).
struct OracleReport
{
    std::vector<OutputSummary> outputs;
    std::vector<std::string> deaf; ///< Inputs whose values do not change any bit of any output.
    double noise = 0;              ///< The largest `noise` of an output.
    double seconds64 = 0, seconds32 = 0;
    std::uint64_t peakBytes = 0; ///< Peak memory of the run in fp64.
    std::string libtorch;        ///< Version of LibTorch.

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

/// Returns a sentence for each way in which a wrong program for the task would pass.
std::vector<std::string> flagsOf(const OracleReport& report);
/// Returns whether an output is little more than rounding.
bool isRounding(const OracleReport& report);

} // namespace sparserl

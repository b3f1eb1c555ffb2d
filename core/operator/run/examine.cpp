// SPDX-License-Identifier: Apache-2.0
#include "operator/run/examine.h"

#include "base/hash.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sparserl {

namespace {

constexpr std::uint64_t changeSeed = 5;

std::size_t countOf(const HostTensor& tensor)
{
    return static_cast<std::size_t>(tensor.type.elements());
}

/// Returns an input with other values of the same kind. Real numbers are multiplied by 0.5 to 1.5; zeros
/// become numbers between -1 and 1. Whole numbers are drawn again from the fill, if there is one.
HostTensor changed(const HostTensor& tensor, const std::optional<Fill>& fill)
{
    Rng rng(changeSeed);
    if (!isFloating(tensor.type.element))
        return fill ? filledTensor(tensor.type, *fill, rng) : tensor;
    HostTensor other = tensor;
    for (std::size_t i = 0; i < countOf(tensor); ++i) {
        const double value = elementOf(tensor, i);
        setElement(other, i, value != 0 ? value * rng.uniform(0.5, 1.5) : rng.uniform(-1, 1));
    }
    return other;
}

OutputSummary summaryOf(const GraphOutput& output, const TensorType& type, const HostTensor& tensor,
                        const HostTensor& single)
{
    OutputSummary summary;
    summary.name = output.name;
    summary.type = type.words();
    summary.elements = tensor.type.elements();
    summary.noise = relativeDifference(single, tensor);
    summary.tolerance = toleranceFor(summary.noise, type.element);
    summary.rounding = isRoundingNoise(summary.noise, type.element);
    double least = HUGE_VAL, most = -HUGE_VAL, sum = 0;
    std::int64_t finite = 0;
    Hasher hasher;
    bool same = true;
    for (std::size_t i = 0; i < countOf(tensor); ++i) {
        const double value = elementOf(tensor, i);
        hasher.updateValue(value);
        same = same && value == elementOf(tensor, 0);
        if (!std::isfinite(value))
            continue;
        ++finite;
        least = std::min(least, value);
        most = std::max(most, value);
        sum += value;
    }
    summary.notFinite = summary.elements - finite;
    summary.oneValue = same && summary.elements > 1;
    summary.digest = hasher.hex();
    if (finite > 0) {
        summary.least = least;
        summary.most = most;
        summary.mean = sum / static_cast<double>(finite);
    }
    return summary;
}

} // namespace

double relativeDifference(const HostTensor& got, const HostTensor& expected)
{
    if (got.type.shape != expected.type.shape)
        return std::numeric_limits<double>::infinity();
    double largest = 0, difference = 0;
    for (std::size_t i = 0; i < countOf(expected); ++i) {
        const double a = elementOf(got, i), b = elementOf(expected, i);
        if (std::isfinite(b))
            largest = std::max(largest, std::fabs(b));
        if (a == b || (std::isnan(a) && std::isnan(b)))
            continue;
        if (!std::isfinite(a) || !std::isfinite(b))
            return std::numeric_limits<double>::infinity();
        difference = std::max(difference, std::fabs(a - b));
    }
    return difference == 0 ? 0 : difference / (largest > 0 ? largest : 1);
}

Result<OracleReport> examineGraph(const OperatorGraph& graph, const HostTensors& tensors,
                                  const RunLimits& limits, const HostTensors& recorded)
{
    SPARSERL_TRY(const auto prepared, PreparedGraph::prepare(graph));
    SPARSERL_TRY(const auto exact, prepared.run(tensors, RunPrecision::Double, limits));
    SPARSERL_TRY(const auto single, prepared.run(tensors, RunPrecision::AsWritten, limits));
    OracleReport report;
    report.seconds64 = exact.seconds;
    report.seconds32 = single.seconds;
    report.peakBytes = exact.peakBytes;
    report.libtorch = libtorchVersion();
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
        const GraphOutput& output = graph.outputs[i];
        report.outputs.push_back(summaryOf(output, graph.values[static_cast<std::size_t>(output.value)],
                                           exact.outputs[i], single.outputs[i]));
        report.noise = std::max(report.noise, report.outputs.back().noise);
        if (const auto found = recorded.find(output.name); found != recorded.end())
            report.outputs.back().recorded = relativeDifference(found->second, exact.outputs[i]);
    }
    for (const GraphInput& input : graph.inputs) {
        HostTensors other = tensors;
        other[input.name] = changed(tensors.at(input.name), input.fill);
        if (other.at(input.name) == tensors.at(input.name))
            continue; // The values are the same, so there is nothing to react to.
        // A call may refuse other whole numbers, such as indices. In this case, it has looked at them.
        const auto again = prepared.run(other, RunPrecision::Double, limits);
        if (again && again->outputs == exact.outputs)
            report.deaf.push_back(input.name);
    }
    return report;
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "operator/graph/task_tensors.h"

#include "base/format.h"
#include "operator/graph/shown_name.h"

#include <algorithm>
#include <cmath>

namespace sparserl {

namespace {

constexpr std::uint64_t firstSeed = 1; ///< For tensors that are not stored, if no seed is given.
constexpr std::uint64_t checkSeed = 3;

/// Returns a sample of the elements of a tensor in ascending order: fewer than twice `most`. Returns nothing
/// if one of them is NaN.
std::vector<double> sortedSample(const HostTensor& tensor)
{
    constexpr std::int64_t most = 100'000;
    const std::int64_t count = tensor.type.elements(), stride = std::max<std::int64_t>(1, count / most);
    std::vector<double> sample;
    for (std::int64_t i = 0; i < count; i += stride) {
        sample.push_back(elementOf(tensor, static_cast<std::size_t>(i)));
        if (std::isnan(sample.back()))
            return {};
    }
    std::ranges::sort(sample);
    return sample;
}

/// Returns the statistic of Kolmogorov and Smirnov: the largest difference between the distribution functions
/// of two sorted samples.
double distributionDistance(const std::vector<double>& a, const std::vector<double>& b)
{
    double largest = 0;
    std::size_t i = 0, j = 0;
    while (i < a.size() && j < b.size()) {
        const double x = std::min(a[i], b[j]);
        while (i < a.size() && a[i] == x)
            ++i;
        while (j < b.size() && b[j] == x)
            ++j;
        largest = std::max(largest, std::fabs(static_cast<double>(i) / static_cast<double>(a.size()) -
                                              static_cast<double>(j) / static_cast<double>(b.size())));
    }
    return largest;
}

bool isConstant(const Fill& fill)
{
    return fill.kind == FillKind::Constant || (fill.kind == FillKind::Uniform && fill.first == fill.second) ||
           (fill.kind == FillKind::Normal && fill.second == 0) ||
           (fill.kind == FillKind::Integers && fill.first + 1 == fill.second);
}

} // namespace

Result<HostTensors> taskTensors(const OperatorGraph& graph, const HostTensors& stored,
                                std::optional<std::uint64_t> seed, std::uint64_t limit)
{
    HostTensors all;
    std::uint64_t bytes = 0;
    const auto add = [&](const std::string& name, int value, const std::optional<Fill>& fill) -> Status {
        const TensorType& type = graph.values[static_cast<std::size_t>(value)];
        bytes += static_cast<std::uint64_t>(type.bytes());
        if (bytes > limit)
            return fail("the inputs and weights have more than " + formatBytes(static_cast<double>(limit)));
        const auto found = stored.find(name);
        if (found == stored.end() && !fill)
            return fail("the tensor \"" + shownName(name) + "\" is neither stored nor has a fill",
                        "Put it into the safetensors file next to the graph");
        if (found == stored.end() || (seed && fill)) {
            Rng rng = Rng(seed.value_or(firstSeed)).derive(name);
            all[name] = filledTensor(type, *fill, rng);
            return {};
        }
        const TensorType plain{type.element, type.shape, {}};
        if (!(found->second.type == plain))
            return fail("the stored tensor \"" + shownName(name) + "\" is " + found->second.type.words() +
                        ", and the graph says " + plain.words());
        all[name] = found->second;
        return {};
    };
    for (const GraphInput& input : graph.inputs)
        SPARSERL_CHECK(add(input.name, input.value, input.fill));
    for (const GraphWeight& weight : graph.weights)
        SPARSERL_CHECK(add(weight.name, weight.value, weight.fill));
    return all;
}

bool isDescribedBy(const HostTensor& tensor, const Fill& fill)
{
    if (tensor.type.elements() == 0)
        return true;
    Rng rng(checkSeed);
    const HostTensor drawn = filledTensor(tensor.type, fill, rng);
    constexpr double roundings = 8;
    const double unit = roundings * std::max(roundoffOf(tensor.type.element), 0x1p-24);
    if (isConstant(fill)) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(tensor.type.elements()); ++i) {
            const double a = elementOf(tensor, i), b = elementOf(drawn, i);
            if (a != b && !(std::fabs(a - b) <= unit * std::max(std::fabs(a), std::fabs(b))))
                return false;
        }
        return true;
    }
    const auto found = sortedSample(tensor), expected = sortedSample(drawn);
    if (found.empty())
        return false;
    if (fill.then.empty()) {
        // No normal number that is drawn differs from the mean by ten deviations.
        constexpr double deviations = 10;
        const bool normal = fill.kind == FillKind::Normal;
        const double low = normal ? fill.first - deviations * fill.second : fill.first;
        const double high = normal ? fill.first + deviations * fill.second : fill.second;
        const double slack = unit * std::max(std::fabs(low), std::fabs(high));
        if (found.front() < low - slack || found.back() > high + slack)
            return false;
    }
    // Two samples from the same distribution exceed this value once in 10^9 cases.
    constexpr double critical = 3.28;
    return distributionDistance(found, expected) <=
           critical * std::sqrt(2 / static_cast<double>(found.size()));
}

std::vector<std::string> dropWrongFills(OperatorGraph& graph, const HostTensors& stored)
{
    std::vector<std::string> names;
    const auto look = [&](auto& tensors) {
        for (auto& tensor : tensors) {
            const auto found = stored.find(tensor.name);
            if (!tensor.fill || found == stored.end() || isDescribedBy(found->second, *tensor.fill))
                continue;
            tensor.fill.reset();
            names.push_back(tensor.name);
        }
    };
    look(graph.inputs);
    look(graph.weights);
    return names;
}

HostTensors withoutFills(const OperatorGraph& graph, const HostTensors& stored)
{
    HostTensors kept;
    const auto look = [&](const auto& tensors) {
        for (const auto& tensor : tensors)
            if (const auto found = stored.find(tensor.name); !tensor.fill && found != stored.end())
                kept.insert(*found);
    };
    look(graph.inputs);
    look(graph.weights);
    return kept;
}

} // namespace sparserl

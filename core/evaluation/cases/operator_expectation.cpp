// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/operator_expectation.h"

#include <algorithm>
#include <cmath>

namespace sparserl {

namespace {

constexpr double mostExact = 0x1p53; ///< Below this, a double distinguishes all whole numbers.

/// Returns the element type of a graph whose rules for tolerances apply. Whole numbers have none.
std::optional<TensorElement> roundedAs(ElementType type)
{
    switch (type) {
    case ElementType::F64:
        return TensorElement::F64;
    case ElementType::F32:
        return TensorElement::F32;
    case ElementType::F16:
        return TensorElement::F16;
    case ElementType::BF16:
        return TensorElement::BF16;
    default:
        return std::nullopt;
    }
}

} // namespace

OperatorExpectation::OperatorExpectation(OracleOutputs outputs, const std::vector<ElementType>& types)
{
    for (std::size_t i = 0; i < outputs.exact.size(); ++i) {
        const HostTensor& tensor = outputs.exact[i];
        Output& output = m_outputs.emplace_back();
        output.type = types[i];
        output.values.resize(static_cast<std::size_t>(tensor.type.elements()));
        double largest = 0;
        for (std::size_t k = 0; k < output.values.size(); ++k) {
            output.values[k] = elementOf(tensor, k);
            largest = std::max(largest, std::fabs(output.values[k]));
            m_meaningful = m_meaningful && std::isfinite(output.values[k]);
        }
        const double noise = outputs.noise[i];
        const auto rounded = roundedAs(output.type);
        if (!rounded) {
            m_meaningful = m_meaningful && noise == 0 && largest < mostExact;
            continue;
        }
        m_meaningful = m_meaningful && !isRoundingNoise(noise, *rounded);
        output.bound = toleranceFor(noise, *rounded) * (largest > 0 ? largest : 1);
    }
}

std::vector<std::size_t> OperatorExpectation::outputs() const
{
    std::vector<std::size_t> counts;
    counts.reserve(m_outputs.size());
    for (const Output& output : m_outputs)
        counts.push_back(output.values.size());
    return counts;
}

std::vector<ElementType> OperatorExpectation::outputTypes() const
{
    std::vector<ElementType> types;
    types.reserve(m_outputs.size());
    for (const Output& output : m_outputs)
        types.push_back(output.type);
    return types;
}

std::optional<double> OperatorExpectation::onlyValue(std::size_t output) const
{
    const std::vector<double>& values = m_outputs[output].values;
    const bool same = !values.empty() && std::all_of(values.begin(), values.end(),
                                                     [&](double value) { return value == values.front(); });
    return same ? std::optional(values.front()) : std::nullopt;
}

Comparison OperatorExpectation::compare(std::span<const NumberView> outputs, Tolerance tolerance) const
{
    Comparison compared;
    for (std::size_t i = 0; i < m_outputs.size(); ++i) {
        const Output& expected = m_outputs[i];
        const double bound = tolerance == Tolerance::Exact ? 0 : expected.bound;
        for (std::size_t k = 0; k < expected.values.size(); ++k) {
            const double got = k < outputs[i].size() ? outputs[i][k] : std::nan("");
            const double error = std::fabs(got - expected.values[k]);
            if (!(error <= bound)) { // NaN, too.
                compared.wrong =
                    WrongElement{static_cast<std::int64_t>(k), 0, expected.values[k], got, bound};
                if (m_outputs.size() > 1)
                    compared.wrong->output = static_cast<std::int64_t>(i);
                return compared;
            }
            if (bound > 0)
                compared.boundShare = std::max(compared.boundShare, error / bound);
        }
    }
    return compared;
}

} // namespace sparserl

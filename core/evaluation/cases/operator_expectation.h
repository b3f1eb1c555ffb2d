// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/expectation.h"
#include "evaluation/runners/oracle_process.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace sparserl {

/// The outputs of an operator in fp64. The bound of an output is the same for all its elements:
/// toleranceFor() the error that the operator's own calls make in fp32 with the same inputs, in proportion to
/// the largest magnitude of the output (or to 1, if all elements are 0). So a program may err four times as
/// much as eager execution, plus eight roundings.
class OperatorExpectation : public Expectation
{
public:
    explicit OperatorExpectation(OracleOutputs outputs);

    std::vector<std::size_t> outputs() const override;
    Comparison compare(std::span<const NumberView> outputs, Tolerance tolerance) const override;

    /// Returns whether a comparison says anything: all elements are finite, and no output is little more than
    /// rounding (isRoundingNoise()).
    bool meaningful() const { return m_meaningful; }
    /// Returns the value of all elements of an output if they are equal, otherwise nullopt.
    std::optional<double> onlyValue(std::size_t output) const;

private:
    struct Output
    {
        std::vector<double> values;
        double bound = 0;
    };
    std::vector<Output> m_outputs;
    bool m_meaningful = true;
};

} // namespace sparserl

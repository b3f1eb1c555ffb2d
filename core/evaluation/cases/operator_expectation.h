// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/cases/expectation.h"
#include "evaluation/runners/oracle_process.h"

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace sparserl {

/// The outputs of an operator. Whole numbers and booleans are exact. Of other outputs, the values are those
/// in fp64, and the bound is the same for all elements of an output: toleranceFor() the error that the
/// operator's own calls make in their own types with the same inputs, in proportion to the largest magnitude
/// of the output (or to 1, if all elements are 0). So a program may err four times as much as eager
/// execution, plus eight roundings of the output's type.
class OperatorExpectation : public Expectation
{
public:
    /// `types` has the element type of each output.
    OperatorExpectation(OracleOutputs outputs, const std::vector<ElementType>& types);

    std::vector<std::size_t> outputs() const override;
    std::vector<ElementType> outputTypes() const override;
    Comparison compare(std::span<const NumberView> outputs, Tolerance tolerance) const override;

    /// Returns whether a comparison says anything: all elements are finite, no output is little more than
    /// rounding (isRoundingNoise()), and whole numbers are the same in fp64, and small enough for a double.
    bool meaningful() const { return m_meaningful; }
    /// Returns the value of all elements of an output if they are equal, otherwise nullopt.
    std::optional<double> onlyValue(std::size_t output) const;

private:
    struct Output
    {
        std::vector<double> values;
        ElementType type = ElementType::F32;
        double bound = 0;
    };
    std::vector<Output> m_outputs;
    bool m_meaningful = true;
};

} // namespace sparserl

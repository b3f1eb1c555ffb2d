// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "evaluation/cases/case_plan.h"
#include "evaluation/cases/operator_expectation.h"
#include "operator/import/operator_task.h"
#include "target/operator_signature.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace sparserl {

/// A call of a program for an operator, and what its outputs should be.
struct OperatorCall
{
    std::string words;  ///< What is special about the inputs: "inputs times 10"; empty for drawn inputs.
    CallNumbers inputs; ///< Of all inputs and weights, in the order of the signature.
    std::shared_ptr<const OperatorExpectation> expected;
};

/// The calls at one size of a task.
struct OperatorCalls
{
    std::vector<OperatorCall> drawn; ///< Two calls with inputs that are drawn as the task draws them.
    /// Calls with the inputs of `drawn`, changed: times 10, plus 5, minus 5, and zeros. Weights and whole
    /// numbers stay as they are. Changes that make an output infinite or little more than rounding are left
    /// out.
    std::vector<OperatorCall> changed;
};

/// Draws the tensors of a size, which has this signature, from a seed, and has the oracle compute the
/// outputs. Fails if the outputs of a drawn call say nothing (OperatorExpectation::meaningful()), or if an
/// output is the same number in all calls.
Result<OperatorCalls> operatorCalls(const OperatorSize& size, const OperatorSignature& signature,
                                    OracleProcess& oracle, std::uint64_t seed);

} // namespace sparserl

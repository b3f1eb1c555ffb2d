// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/bind.h"
#include "target/numbers.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A tensor read in a call, named as in the plan: contiguous row-major elements, not owned.
struct TensorView
{
    std::string_view name; ///< "x", "B"; must outlive the view, like the bytes.
    ElementType type = ElementType::F32;
    std::span<const std::byte> bytes;
};

/// A tensor written in a call, named as in the plan.
struct Tensor
{
    std::string name;
    ElementType type = ElementType::F32;
    std::vector<std::byte> bytes;
    bool operator==(const Tensor&) const = default;
};

using CallInputs = std::vector<TensorView>; ///< In any order; tensors not named in the plan are ignored.
using CallOutputs = std::vector<Tensor>;    ///< In the order of the plan's arrays.

/// The factors and outputs of a call of y = alpha A x + beta y.
struct ScaledCall
{
    CallFactors by;
    NumberView before = {}; ///< Initial output; empty: poison.
};

/// The contents for an array of a plan. An Error if missing, or of another type or size.
Result<TensorView> inputOf(const BoundBuffer& buffer, const CallInputs& inputs);

/// Allocates the output of a call for an array.
Tensor tensorFor(const BoundBuffer& buffer);

/// A view of bytes as elements of F32 or F64.
NumberView numbersOf(ElementType type, std::span<const std::byte> bytes);

/// The inputs of a call of a task, in the order of `tensorRules`.
CallInputs callInputs(Task task, std::span<const NumberView> values);
/// The outputs of a call of a task, in the same order; empty for tensors not named in the plan.
std::vector<NumberView> callOutputs(Task task, const CallOutputs& outputs);

/// x or B of a program for a sparse matrix.
CallInputs denseInput(Task task, NumberView values);
/// y or C; empty if the plan does not name it, or if it has another type.
std::span<const float> denseOutput(Task task, const CallOutputs& outputs);
NumberView denseOutput(Task task, ElementType type, const CallOutputs& outputs);

} // namespace sparserl

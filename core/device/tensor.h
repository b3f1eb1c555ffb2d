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

/// What a call of a program reads under a name of its plan: elements one after the other, row-major, which
/// somebody else holds.
struct TensorView
{
    std::string_view name; ///< "x", "B"; outlives the view, as the bytes do.
    ElementType type = ElementType::F32;
    std::span<const std::byte> bytes;
};

/// What a call wrote under a name of its plan.
struct Tensor
{
    std::string name;
    ElementType type = ElementType::F32;
    std::vector<std::byte> bytes;
    bool operator==(const Tensor&) const = default;
};

using CallInputs = std::vector<TensorView>; ///< In any order; what the plan does not name is not read.
using CallOutputs = std::vector<Tensor>;    ///< In the order of the plan's arrays.

/// What a call of y = alpha A x + beta y has beside its inputs.
struct ScaledCall
{
    CallFactors by;
    NumberView before = {}; ///< What the output holds; nothing: poison, which nobody has written.
};

/// What an array of a plan is filled with. An error where it is missing, or of another type or size.
Result<TensorView> inputOf(const BoundBuffer& buffer, const CallInputs& inputs);

/// Room for what a call writes to an array.
Tensor tensorFor(const BoundBuffer& buffer);

/// Elements of F32 or F64 that somebody holds as bytes.
NumberView numbersOf(ElementType type, std::span<const std::byte> bytes);

/// What a call of a task reads: the numbers of its inputs, in the order of `tensorRules`.
CallInputs callInputs(Task task, std::span<const NumberView> values);
/// What a call of a task wrote, in the same order; nothing for what the plan does not name.
std::vector<NumberView> callOutputs(Task task, const CallOutputs& outputs);

/// x or B of a program for a sparse matrix.
CallInputs denseInput(Task task, NumberView values);
/// y or C; nothing where the plan does not name it, or where it is of another type.
std::span<const float> denseOutput(Task task, const CallOutputs& outputs);
NumberView denseOutput(Task task, ElementType type, const CallOutputs& outputs);

} // namespace sparserl

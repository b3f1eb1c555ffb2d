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

/// A tensor that a call reads, under its name in the plan. Its elements are contiguous and row-major. The
/// view does not own them.
struct TensorView
{
    std::string_view name; ///< "x", "B" or "fc.weight". Like the bytes, the name must outlive the view.
    ElementType type = ElementType::F32;
    std::span<const std::byte> bytes;
};

/// A tensor that a call writes, under its name in the plan.
struct Tensor
{
    std::string name;
    ElementType type = ElementType::F32;
    std::vector<std::byte> bytes;
    bool operator==(const Tensor&) const = default;
};

using CallInputs =
    std::vector<TensorView>;             ///< In any order. Tensors that the plan does not name are ignored.
using CallOutputs = std::vector<Tensor>; ///< In the order of the plan's arrays.

/// The factors alpha and beta of a call y = alpha A x + beta y, and the initial contents of its output.
struct ScaledCall
{
    CallFactors by;
    NumberView before = {}; ///< Initial contents of the output; if empty, poison.
};

/// Finds the input for an array of a plan. Fails if the input is missing or has another type or size.
Result<TensorView> inputOf(const BoundBuffer& buffer, const CallInputs& inputs);

/// Allocates a call's output for an array of a plan.
Tensor tensorFor(const BoundBuffer& buffer);

/// Returns a view of bytes as elements of a type.
NumberView numbersOf(ElementType type, std::span<const std::byte> bytes);

/// Returns the inputs of a call with these names and values. The names must outlive the result.
CallInputs callInputs(std::span<const std::string_view> names, std::span<const NumberView> values);
/// Returns the outputs of a call in the order of these names. A tensor that the plan does not name is empty.
std::vector<NumberView> callOutputs(std::span<const std::string_view> names, const CallOutputs& outputs);

/// Returns x or B as the input of a program for a sparse matrix.
CallInputs denseInput(Task task, NumberView values);
/// Returns y or C. The result is empty if the plan does not name the tensor or if it has another type.
std::span<const float> denseOutput(Task task, const CallOutputs& outputs);
NumberView denseOutput(Task task, ElementType type, const CallOutputs& outputs);

} // namespace sparserl

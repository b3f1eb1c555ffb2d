// SPDX-License-Identifier: Apache-2.0
#include "device/tensor.h"

#include "target/workload.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

Result<TensorView> inputOf(const BoundBuffer& buffer, const CallInputs& inputs)
{
    const auto found = std::find_if(inputs.begin(), inputs.end(),
                                    [&](const TensorView& one) { return one.name == buffer.name; });
    if (found == inputs.end())
        return fail(fmt::format("the input '{}' of the plan was not given", buffer.name));
    if (found->type != buffer.type)
        return fail(fmt::format("'{}' is {}, but {} was given", buffer.name, nameOf(buffer.type),
                                nameOf(found->type)));
    if (found->bytes.size() != static_cast<std::size_t>(buffer.bytes()))
        return fail(fmt::format("'{}' has {} elements, but {} were given", buffer.name, buffer.count,
                                found->bytes.size() / sizeOf(found->type)));
    return *found;
}

Tensor tensorFor(const BoundBuffer& buffer)
{
    return {buffer.name, buffer.type, std::vector<std::byte>(static_cast<std::size_t>(buffer.bytes()))};
}

CallInputs callInputs(std::span<const std::string_view> names, std::span<const NumberView> values)
{
    CallInputs inputs;
    for (std::size_t i = 0; i < names.size() && i < values.size(); ++i)
        inputs.push_back({names[i], values[i].type(), values[i].bytes()});
    return inputs;
}

std::vector<NumberView> callOutputs(std::span<const std::string_view> names, const CallOutputs& outputs)
{
    std::vector<NumberView> values;
    for (const std::string_view name : names) {
        const auto found =
            std::find_if(outputs.begin(), outputs.end(), [&](const Tensor& one) { return one.name == name; });
        values.push_back(found == outputs.end() ? NumberView() : numbersOf(found->type, found->bytes));
    }
    return values;
}

CallInputs denseInput(Task task, NumberView values)
{
    return {{tensorName(task, TensorRole::Input), values.type(), values.bytes()}};
}

NumberView numbersOf(ElementType type, std::span<const std::byte> bytes)
{
    return {type, bytes};
}

NumberView denseOutput(Task task, ElementType type, const CallOutputs& outputs)
{
    const std::string_view name = tensorName(task, TensorRole::Output);
    const auto found =
        std::find_if(outputs.begin(), outputs.end(), [&](const Tensor& one) { return one.name == name; });
    const bool there = found != outputs.end() && found->type == type;
    return numbersOf(type, there ? std::span<const std::byte>(found->bytes) : std::span<const std::byte>());
}

std::span<const float> denseOutput(Task task, const CallOutputs& outputs)
{
    std::span<const float> floats;
    denseOutput(task, ElementType::F32, outputs).visit([&](auto numbers) {
        if constexpr (std::is_same_v<decltype(numbers), std::span<const float>>)
            floats = numbers;
    });
    return floats;
}

} // namespace sparserl

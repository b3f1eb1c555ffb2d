// SPDX-License-Identifier: Apache-2.0
#include "operator/graph/tensor_type.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sparserl {

namespace {

struct ElementNames
{
    TensorElement element;
    std::string_view name, torch;
    std::int64_t bytes;
};
constexpr ElementNames elementNames[] = {
    {TensorElement::F64, "F64", "float64", 8}, {TensorElement::F32, "F32", "float32", 4},
    {TensorElement::F16, "F16", "float16", 2}, {TensorElement::BF16, "BF16", "bfloat16", 2},
    {TensorElement::I64, "I64", "int64", 8},   {TensorElement::I32, "I32", "int32", 4},
    {TensorElement::U8, "U8", "uint8", 1},     {TensorElement::Bool, "BOOL", "bool", 1}};

const ElementNames& namesOf(TensorElement element)
{
    return elementNames[static_cast<std::size_t>(element)];
}

std::optional<TensorElement> elementCalled(std::string_view name, std::string_view ElementNames::*column)
{
    for (const ElementNames& known : elementNames)
        if (known.*column == name)
            return known.element;
    return std::nullopt;
}

} // namespace

std::string_view nameOf(TensorElement element)
{
    return namesOf(element).name;
}

std::optional<TensorElement> tensorElementFromName(std::string_view name)
{
    return elementCalled(name, &ElementNames::name);
}

std::string_view torchNameOf(TensorElement element)
{
    return namesOf(element).torch;
}

std::optional<TensorElement> tensorElementFromTorchName(std::string_view name)
{
    return elementCalled(name, &ElementNames::torch);
}

std::int64_t bytesOf(TensorElement element)
{
    return namesOf(element).bytes;
}

std::int64_t TensorType::elements() const
{
    std::int64_t count = 1;
    for (const std::int64_t extent : shape)
        count *= extent;
    return count;
}

std::string TensorType::words() const
{
    return fmt::format("{} [{}]", nameOf(element), fmt::join(shape, ", "));
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace sparserl {

/// The types of elements in a target's tensors and in the arrays of a plan (docs/formats.md 1, TYPE).
enum class ElementType
{
    I32,
    U32,
    I64,
    F32,
    F64,
    U8,
    U16,
    F16,  ///< IEEE's binary16. This and the next two are types of operators only.
    BF16, ///< bfloat16.
    Bool  ///< A byte that is 0 or 1.
};
/// Returns whether only operators have tensors, and their plans arrays, of this type.
constexpr bool isOnlyOfOperators(ElementType type)
{
    return type >= ElementType::F16;
}
std::size_t sizeOf(ElementType type);      ///< Returns the size in bytes.
std::string_view nameOf(ElementType type); ///< "i32", "f32", "bool", ...
std::optional<ElementType> elementTypeFromName(std::string_view name);
/// Used for fields of records.
inline std::optional<ElementType> enumFromName(std::string_view name, ElementType)
{
    return elementTypeFromName(name);
}

} // namespace sparserl

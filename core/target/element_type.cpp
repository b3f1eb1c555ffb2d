// SPDX-License-Identifier: Apache-2.0
#include "target/element_type.h"

#include <array>

namespace sparserl {

namespace {

struct TypeEntry
{
    ElementType type;
    std::string_view name;
    std::size_t size;
};
constexpr std::array<TypeEntry, 10> types{{{ElementType::I32, "i32", 4},
                                           {ElementType::U32, "u32", 4},
                                           {ElementType::I64, "i64", 8},
                                           {ElementType::F32, "f32", 4},
                                           {ElementType::F64, "f64", 8},
                                           {ElementType::U8, "u8", 1},
                                           {ElementType::U16, "u16", 2},
                                           {ElementType::F16, "f16", 2},
                                           {ElementType::BF16, "bf16", 2},
                                           {ElementType::Bool, "bool", 1}}};

const TypeEntry& entryOf(ElementType type)
{
    return types[static_cast<std::size_t>(type)];
}

} // namespace

std::size_t sizeOf(ElementType type)
{
    return entryOf(type).size;
}

std::string_view nameOf(ElementType type)
{
    return entryOf(type).name;
}

std::optional<ElementType> elementTypeFromName(std::string_view name)
{
    for (const auto& entry : types) {
        if (entry.name == name) {
            return entry.type;
        }
    }
    return std::nullopt;
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// The element types that tensors of graphs may have. Our safetensors files use the same types.
enum class TensorElement
{
    F64,
    F32,
    F16,
    BF16,
    I64,
    I32,
    U8,
    Bool
};
inline constexpr std::array tensorElements{TensorElement::F64,  TensorElement::F32, TensorElement::F16,
                                           TensorElement::BF16, TensorElement::I64, TensorElement::I32,
                                           TensorElement::U8,   TensorElement::Bool};

std::string_view nameOf(TensorElement element); ///< The name in safetensors files: "F32", "BOOL".
std::optional<TensorElement> tensorElementFromName(std::string_view name);
std::string_view torchNameOf(TensorElement element); ///< PyTorch's name: "float32", "bool".
std::optional<TensorElement> tensorElementFromTorchName(std::string_view name);
std::int64_t bytesOf(TensorElement element);
constexpr bool isFloating(TensorElement element)
{
    return element <= TensorElement::BF16;
}

/// Returns the largest relative error of rounding to a floating-point type; 0 for other types.
constexpr double roundoffOf(TensorElement element)
{
    switch (element) {
    case TensorElement::F64:
        return 0x1p-53;
    case TensorElement::F32:
        return 0x1p-24;
    case TensorElement::F16:
        return 0x1p-11;
    case TensorElement::BF16:
        return 0x1p-8;
    default:
        return 0;
    }
}

/// The element type, shape and layout of a tensor.
struct TensorType
{
    TensorElement element = TensorElement::F32;
    std::vector<std::int64_t> shape;
    std::vector<std::int64_t> strides; ///< In elements; empty: row-major without gaps.

    std::int64_t elements() const; ///< 1 for a tensor without dimensions.
    std::int64_t bytes() const { return elements() * bytesOf(element); }
    /// Returns the type as text: "F32 [2, 3]".
    std::string words() const;
    bool operator==(const TensorType&) const = default;
};

} // namespace sparserl

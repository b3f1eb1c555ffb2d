// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/element_type.h"

#include <string>
#include <string_view>

namespace sparserl {

/// Converts the text of a kernel or of a plan line to an element type. Families write the words of float32:
/// "float", "float4", "0.0f", "fmaf", "f32". For float64, each of them becomes the word for double.
std::string inElementType(std::string_view text, ElementType type);

} // namespace sparserl

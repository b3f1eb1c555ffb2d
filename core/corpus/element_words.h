// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/element_type.h"

#include <string>
#include <string_view>

namespace sparserl {

/// The text of a kernel or of a plan's line in an element type. Families write float32: "float", "float4",
/// "0.0f", "fmaf", "f32". In float64, each of these words becomes that of double.
std::string inElementType(std::string_view text, ElementType type);

} // namespace sparserl

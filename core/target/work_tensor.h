// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/element_type.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sparserl {

/// Tells who fills a tensor: for an input, the caller; for an output, the program.
enum class TensorRole
{
    Input,
    Output
};

/// A tensor whose contents change between calls. Its elements are row-major.
struct WorkTensor
{
    std::string name; ///< Its name in plans.
    TensorRole role = TensorRole::Input;
    ElementType type = ElementType::F32;
    std::vector<std::int64_t> shape; ///< {cols} for x, {cols, columns} for B, {} for a single number.

    std::int64_t count() const; ///< Number of elements.
    std::int64_t bytes() const { return count() * static_cast<std::int64_t>(sizeOf(type)); }
    bool operator==(const WorkTensor&) const = default;
};

} // namespace sparserl

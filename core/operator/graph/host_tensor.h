// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "base/rng.h"
#include "operator/graph/fill.h"
#include "operator/graph/tensor_type.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A tensor in the host's memory, in row-major order without gaps.
struct HostTensor
{
    TensorType type; ///< Has no strides.
    std::vector<std::byte> bytes;

    bool operator==(const HostTensor&) const = default;
};
using HostTensors = std::map<std::string, HostTensor>;

/// Returns a tensor of zeros.
HostTensor emptyTensor(const TensorType& type);
/// Generates a tensor as `fill` describes, with numbers from `rng` that are rounded to the element type.
HostTensor filledTensor(const TensorType& type, const Fill& fill, Rng& rng);
/// Returns element `index` of a tensor as a double. Whole numbers above 2^53 are rounded.
double elementOf(const HostTensor& tensor, std::size_t index);
/// Stores `value` as element `index` of a tensor.
void setElement(HostTensor& tensor, std::size_t index, double value);

/// Parses a safetensors file. Fails if its tensors have more than `limit` bytes together. `file` is for
/// messages.
Result<HostTensors> parseTensors(std::string_view bytes, const std::string& file, std::uint64_t limit);
/// Returns a safetensors file with the tensors in the order of their names.
std::string formatTensors(const HostTensors& tensors);

} // namespace sparserl

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

/// A tensor in memory, row-major without gaps.
struct HostTensor
{
    TensorType type; ///< Without strides.
    std::vector<std::byte> bytes;

    bool operator==(const HostTensor&) const = default;
};
using HostTensors = std::map<std::string, HostTensor>;

/// A tensor of zeros.
HostTensor emptyTensor(const TensorType& type);
/// The tensor that a fill describes, drawn from `rng`. Numbers are rounded to the element type to nearest.
HostTensor filledTensor(const TensorType& type, const Fill& fill, Rng& rng);
/// Element `index` of the tensor as a double; whole numbers above 2^53 are rounded.
double elementOf(const HostTensor& tensor, std::size_t index);
/// Stores a number as element `index`.
void setElement(HostTensor& tensor, std::size_t index, double value);

/// Reads the bytes of a safetensors file whose tensors have at most `limit` bytes in all; `file` is for
/// messages.
Result<HostTensors> parseTensors(std::string_view bytes, const std::string& file, std::uint64_t limit);
/// A safetensors file, in the order of names.
std::string formatTensors(const HostTensors& tensors);

} // namespace sparserl

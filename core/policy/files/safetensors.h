// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/torch.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sparserl {

/// The contents of a safetensors file: tensors (fp32, fp64, fp16, bf16, int64, int32, uint8, bool) with their
/// names, and metadata as texts.
struct SafeTensors
{
    std::vector<std::pair<std::string, torch::Tensor>> tensors; ///< In the order of the data.
    std::map<std::string, std::string> metadata;

    /// Returns the tensor of this name, or null if there is none. The time is linear in the number of
    /// tensors; for many names, use byName().
    const torch::Tensor* find(const std::string& name) const;
    /// Returns all tensors by name. The result is valid until a tensor is added or removed.
    std::unordered_map<std::string_view, const torch::Tensor*> byName() const;
};

/// Reads a whole file. Fails if the file violates the format: for a header that is not JSON or is longer than
/// 100 MB or than the file, for offsets that overlap, leave gaps, overflow or do not match the shape, for
/// trailing bytes, and for unknown types.
Result<SafeTensors> readSafeTensors(const std::filesystem::path& file);

/// Writes the tensors as contiguous data in the given order, and syncs the file to disk. Writing is not
/// atomic.
Status writeSafeTensors(const std::filesystem::path& file, const SafeTensors& content);

} // namespace sparserl

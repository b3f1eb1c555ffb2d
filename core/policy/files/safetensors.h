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

/// A safetensors file in memory: tensors by name (fp32, fp64, fp16, bf16, int64, int32, uint8, bool) and its
/// text metadata.
struct SafeTensors
{
    std::vector<std::pair<std::string, torch::Tensor>> tensors; ///< In the order of the data.
    std::map<std::string, std::string> metadata;

    /// null if there is no tensor of this name. Linear in the number of tensors; for many names, use
    /// byName().
    const torch::Tensor* find(const std::string& name) const;
    /// All tensors by name. Valid until a tensor is added or removed.
    std::unordered_map<std::string_view, const torch::Tensor*> byName() const;
};

/// Reads a whole file. Refuses what the format forbids: a header that is not JSON or is longer than 100 MB or
/// than the file, offsets that overlap, leave gaps, overflow or do not match the shape, trailing bytes, and
/// unknown types.
Result<SafeTensors> readSafeTensors(const std::filesystem::path& file);

/// Writes contiguous copies in the given order and syncs the file to disk. Not atomic by itself.
Status writeSafeTensors(const std::filesystem::path& file, const SafeTensors& content);

} // namespace sparserl

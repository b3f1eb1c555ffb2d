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

    /// Null where there is none of that name. Takes time with the number of tensors; for many names:
    /// byName().
    const torch::Tensor* find(const std::string& name) const;
    /// All tensors by name, as long as none is added or taken away.
    std::unordered_map<std::string_view, const torch::Tensor*> byName() const;
};

/// Reads a whole file. Refuses what the format forbids: a header that is not JSON or is longer than 100 MB or
/// the file, offsets that overlap, leave gaps, overflow or do not match the shape, trailing bytes, unknown
/// types.
Result<SafeTensors> readSafeTensors(const std::filesystem::path& file);

/// Writes contiguous copies in the given order and syncs the file to disk (not atomic by itself).
Status writeSafeTensors(const std::filesystem::path& file, const SafeTensors& content);

} // namespace sparserl

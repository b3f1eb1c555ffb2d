// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A tensor as the header of a safetensors file describes it.
struct TensorEntry
{
    std::string name;
    std::string type; ///< "F32", "BF16", ...; one that tensorTypeBytes knows.
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0, end = 0; ///< Bytes behind the header.

    bool operator==(const TensorEntry&) const = default;
};

/// The header of a safetensors file: u64 length, JSON; the tensors' data follow.
struct SafeTensorsHeader
{
    std::vector<TensorEntry> tensors; ///< In the order of the data, without gaps.
    std::map<std::string, std::string> metadata;
    std::uint64_t dataAt = 0; ///< Where the data begin in the file.
};

/// Bytes of an element ("F32": 4), or 0 for a type that files of ours do not hold.
std::uint64_t tensorTypeBytes(std::string_view type);

/// How many bytes of a file of `fileBytes` bytes the header takes, its length included, by its first eight
/// (or fewer, which is an error).
Result<std::uint64_t> safeTensorsHeaderBytes(std::string_view firstBytes, std::uint64_t fileBytes,
                                             const std::string& file);

/// Reads the header from `head`, the beginning of a file of `fileBytes` bytes that holds all of it. Refuses
/// what the format forbids: a header that is not JSON or is longer than 100 MB or the file, names given
/// twice, offsets that overlap, leave gaps, overflow or do not match the shape, trailing bytes, unknown
/// types.
Result<SafeTensorsHeader> readSafeTensorsHeader(std::string_view head, std::uint64_t fileBytes,
                                                const std::string& file);

/// The first bytes of a file with these tensors: length and JSON, padded so that data begin aligned.
std::string formatSafeTensorsHeader(const SafeTensorsHeader& header);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A tensor described by the header of a safetensors file.
struct TensorEntry
{
    std::string name;
    std::string type; ///< "F32", "BF16", ...; a type known to tensorTypeBytes.
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0, end = 0; ///< Byte offsets from the end of the header.

    bool operator==(const TensorEntry&) const = default;
};

/// The header of a safetensors file: its length as u64, then JSON. The data of the tensors follow it.
struct SafeTensorsHeader
{
    std::vector<TensorEntry> tensors; ///< In the order of their data, which have no gaps.
    std::map<std::string, std::string> metadata;
    std::uint64_t dataAt = 0; ///< Offset of the data in the file.
};

/// Bytes per element ("F32": 4), or 0 for a type that our files never contain.
std::uint64_t tensorTypeBytes(std::string_view type);

/// Returns the size of the header including its length field, from the first eight bytes of a file of
/// `fileBytes` bytes. Fails if there are fewer than eight bytes.
Result<std::uint64_t> safeTensorsHeaderBytes(std::string_view firstBytes, std::uint64_t fileBytes,
                                             const std::string& file);

/// Reads the header from `head`, the beginning of a file of `fileBytes` bytes; `head` must contain the whole
/// header. Refuses what the format forbids: a header that is not JSON or is longer than 100 MB or than the
/// file, duplicate names, offsets that overlap, leave gaps, overflow or do not match the shape, trailing
/// bytes, and unknown types.
Result<SafeTensorsHeader> readSafeTensorsHeader(std::string_view head, std::uint64_t fileBytes,
                                                const std::string& file);

/// Returns the first bytes of a file with these tensors: the length and the JSON, padded to align the data.
std::string formatSafeTensorsHeader(const SafeTensorsHeader& header);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "policy/files/gguf_types.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sparserl {

/// Values of one type in the metadata of a GGUF file, as bytes of the file.
struct GgufArray
{
    enum class Of : std::uint8_t
    {
        Numbers,
        Flags,
        Texts
    };
    Of of = Of::Numbers;
    std::uint32_t type = 0; ///< Of the format.
    std::uint64_t count = 0;
    std::string_view bytes;
};
using GgufValue = std::variant<bool, std::int64_t, double, std::string_view, GgufArray>;

/// A tensor as the header describes it.
struct GgufTensor
{
    std::string name;
    GgufType type = GgufType::F32;    ///< One that is read.
    std::vector<std::int64_t> shape;  ///< Rows first, as LibTorch has it; none is 0.
    std::uint64_t begin = 0, end = 0; ///< Bytes in the file.

    std::uint64_t numbers() const;
};

/// Metadata and tensors of a GGUF file (versions 2 and 3, little-endian). Texts are bytes of the file.
struct GgufHeader
{
    std::map<std::string, GgufValue, std::less<>> values;
    std::vector<GgufTensor> tensors; ///< In the order of the file.

    bool has(std::string_view key) const { return values.contains(key); }
    /// Whether there is a tensor of that name.
    bool hasTensor(std::string_view name) const;

    // Values by key; nothing where the key is missing. Errors where the value is of another kind, or not
    // finite.
    Result<std::optional<bool>> flag(std::string_view key) const;
    Result<std::optional<std::int64_t>> integer(std::string_view key) const;
    /// As decimal numbers have it: single precision's 0.1 is 0.1.
    Result<std::optional<double>> number(std::string_view key) const;
    Result<std::optional<std::string_view>> text(std::string_view key) const;
    Result<std::optional<std::vector<std::string_view>>> texts(std::string_view key) const;
    Result<std::optional<std::vector<std::int64_t>>> integers(std::string_view key) const;
    /// The error of a key that must be there.
    static Error missing(std::string_view key);
};

/// Reads the header of a file whose bytes are `all`, which outlives it. Refuses what the format forbids and
/// what no model has: other versions, keys or tensors given twice, nested arrays, counts, lengths, shapes and
/// offsets that overflow, overlap, leave gaps or lie beyond the file, bytes behind the last tensor, types
/// that are not read.
Result<GgufHeader> readGgufHeader(std::string_view all, const std::string& file);

} // namespace sparserl

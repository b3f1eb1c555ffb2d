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

/// Values of one type in the metadata of a GGUF file, as raw bytes.
struct GgufArray
{
    enum class Of : std::uint8_t
    {
        Numbers,
        Flags,
        Texts
    };
    Of of = Of::Numbers;
    std::uint32_t type = 0; ///< Type number of the format.
    std::uint64_t count = 0;
    std::string_view bytes;
};
using GgufValue = std::variant<bool, std::int64_t, double, std::string_view, GgufArray>;

/// A tensor described by the header.
struct GgufTensor
{
    std::string name;
    GgufType type = GgufType::F32;    ///< A supported type.
    std::vector<std::int64_t> shape;  ///< Row-major as in LibTorch; no extent is 0.
    std::uint64_t begin = 0, end = 0; ///< Byte offsets in the file.

    std::uint64_t numbers() const;
};

/// Metadata and tensors of a GGUF file (versions 2 and 3, little-endian). Texts refer to the bytes of the
/// file.
struct GgufHeader
{
    std::map<std::string, GgufValue, std::less<>> values;
    std::vector<GgufTensor> tensors; ///< In file order.

    bool has(std::string_view key) const { return values.contains(key); }
    /// Whether a tensor of this name exists.
    bool hasTensor(std::string_view name) const;

    // Values by key; nullopt if the key is missing. A value of another kind, or not finite, is an Error.
    Result<std::optional<bool>> flag(std::string_view key) const;
    Result<std::optional<std::int64_t>> integer(std::string_view key) const;
    /// Converts single precision to the shortest decimal number: 0.1f becomes 0.1.
    Result<std::optional<double>> number(std::string_view key) const;
    Result<std::optional<std::string_view>> text(std::string_view key) const;
    Result<std::optional<std::vector<std::string_view>>> texts(std::string_view key) const;
    Result<std::optional<std::vector<std::int64_t>>> integers(std::string_view key) const;
    /// The error for a missing required key.
    static Error missing(std::string_view key);
};

/// Reads the header of a file with the bytes `all`, which must outlive it. Refuses violations of the format
/// and implausible contents: other versions, duplicate keys or tensors, nested arrays, counts, lengths,
/// shapes and offsets that overflow, overlap, leave gaps or exceed the file, trailing bytes, and unsupported
/// types.
Result<GgufHeader> readGgufHeader(std::string_view all, const std::string& file);

} // namespace sparserl

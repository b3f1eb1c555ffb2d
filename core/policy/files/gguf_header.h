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

/// An array in the metadata of a GGUF file. All its values have the same type and are kept as raw bytes.
struct GgufArray
{
    enum class Of : std::uint8_t
    {
        Numbers,
        Flags,
        Texts
    };
    Of of = Of::Numbers;
    std::uint32_t type = 0; ///< The number of the type in the format.
    std::uint64_t count = 0;
    std::string_view bytes;
};
using GgufValue = std::variant<bool, std::int64_t, double, std::string_view, GgufArray>;

/// The description of a tensor in the header.
struct GgufTensor
{
    std::string name;
    GgufType type = GgufType::F32;    ///< One of the supported types.
    std::vector<std::int64_t> shape;  ///< Row-major as in LibTorch. No extent is 0.
    std::uint64_t begin = 0, end = 0; ///< Byte offsets in the file.

    std::uint64_t numbers() const;
};

/// The header of a GGUF file (versions 2 and 3, little-endian): its metadata, and descriptions of its
/// tensors. Texts refer to the bytes of the file.
struct GgufHeader
{
    std::map<std::string, GgufValue, std::less<>> values;
    std::vector<GgufTensor> tensors; ///< In the order of the file.

    bool has(std::string_view key) const { return values.contains(key); }
    /// Returns whether the file has a tensor of this name.
    bool hasTensor(std::string_view name) const;

    // The functions below return the value of a key, or nullopt if the key is missing. They fail if the value
    // has another kind or is not finite.
    Result<std::optional<bool>> flag(std::string_view key) const;
    Result<std::optional<std::int64_t>> integer(std::string_view key) const;
    /// Converts a value in single precision through its shortest decimal form, so that 0.1f becomes 0.1.
    Result<std::optional<double>> number(std::string_view key) const;
    Result<std::optional<std::string_view>> text(std::string_view key) const;
    Result<std::optional<std::vector<std::string_view>>> texts(std::string_view key) const;
    Result<std::optional<std::vector<std::int64_t>>> integers(std::string_view key) const;
    /// Returns the Error for a required key that is missing.
    static Error missing(std::string_view key);
};

/// Reads the header of a file with the bytes `all`, which must outlive the header. Fails if the file violates
/// the format or is implausible: for other versions, keys or tensors that occur twice, nested arrays,
/// trailing bytes, unsupported types, and for counts, lengths, shapes and offsets that overflow, overlap,
/// leave gaps or exceed the file.
Result<GgufHeader> readGgufHeader(std::string_view all, const std::string& file);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/files/gguf_types.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Assembles the header of a GGUF file (version 3). The tensor data follow in the order of addTensor calls,
/// each aligned to `alignment`.
class GgufWriter
{
public:
    static constexpr std::uint64_t alignment = 32;

    void add(std::string_view key, std::string_view text);
    void add(std::string_view key, std::uint32_t number);
    void add(std::string_view key, float number);
    void add(std::string_view key, bool flag);
    void add(std::string_view key, std::span<const std::string> texts);
    void add(std::string_view key, std::span<const std::int32_t> numbers);
    /// The shape is row-major, as in LibTorch.
    void addTensor(std::string_view name, std::span<const std::int64_t> shape, GgufType type);

    /// The first bytes of the file; the first tensor's data follow.
    std::string header() const;
    /// The number of zero bytes after a tensor with `bytes` bytes.
    static std::uint64_t paddingAfter(std::uint64_t bytes)
    {
        return (alignment - bytes % alignment) % alignment;
    }

private:
    void key(std::string_view name, std::uint32_t type);

    std::string m_values, m_tensors;
    std::uint64_t m_valueCount = 0, m_tensorCount = 0, m_dataBytes = 0;
};

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/files/gguf_types.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Builds the header of a GGUF file (version 3). The caller must write the data of the tensors after the
/// header, in the order of the calls of addTensor(), each aligned to `alignment` bytes.
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
    /// Declares a tensor. The shape is row-major, as in LibTorch.
    void addTensor(std::string_view name, std::span<const std::int64_t> shape, GgufType type);

    /// Returns the first bytes of the file, up to the data of the first tensor.
    std::string header() const;
    /// Returns the number of zero bytes to write after a tensor with `bytes` bytes.
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

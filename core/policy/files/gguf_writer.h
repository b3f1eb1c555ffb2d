// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "policy/files/gguf_types.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Puts the header of a GGUF file (version 3) together. The data of its tensors follow in the order in which
/// they were added, each from a multiple of `alignment` on.
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
    /// Rows first, as LibTorch has shapes.
    void addTensor(std::string_view name, std::span<const std::int64_t> shape, GgufType type);

    /// The first bytes of the file; the first tensor's follow.
    std::string header() const;
    /// How many zeros follow the data of a tensor that has so many bytes.
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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace sparserl::test {

/// Bytes of a GGUF file, written one after the other; what they are is the test's business.
class GgufBytes
{
public:
    template <typename T>
    GgufBytes& number(T value)
    {
        m_bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
        return *this;
    }
    GgufBytes& raw(std::string_view bytes)
    {
        m_bytes += bytes;
        return *this;
    }
    GgufBytes& text(std::string_view text) { return number(std::uint64_t(text.size())).raw(text); }
    GgufBytes& head(std::uint64_t tensors, std::uint64_t values, std::uint32_t version = 3)
    {
        return raw("GGUF").number(version).number(tensors).number(values);
    }
    /// A value's key and type (4: u32, 6: f32, 8: text, 9: list).
    GgufBytes& key(std::string_view name, std::uint32_t type) { return text(name).number(type); }
    GgufBytes& value(std::string_view name, std::uint32_t value) { return key(name, 4).number(value); }
    GgufBytes& value(std::string_view name, std::string_view value) { return key(name, 8).text(value); }
    /// A tensor of one dimension.
    GgufBytes& tensor(std::string_view name, std::uint64_t numbers, std::uint32_t type, std::uint64_t at)
    {
        return text(name).number(1u).number(numbers).number(type).number(at);
    }
    GgufBytes& padded(std::size_t alignment = 32)
    {
        m_bytes.append((alignment - m_bytes.size() % alignment) % alignment, '\0');
        return *this;
    }
    const std::string& bytes() const { return m_bytes; }

private:
    std::string m_bytes;
};

} // namespace sparserl::test

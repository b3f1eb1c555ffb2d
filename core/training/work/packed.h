// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/work/process_group.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace sparserl {

/// Serialises numbers and strings exactly, including NaN, for another process of the same program.
class Packer
{
public:
    template <typename T>
    void number(T value)
    {
        static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
        m_bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    template <typename T>
    void numbers(std::span<const T> values)
    {
        number(static_cast<std::uint64_t>(values.size()));
        m_bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
    }
    void text(std::string_view value)
    {
        number(static_cast<std::uint64_t>(value.size()));
        m_bytes.append(value);
    }
    std::string take() { return std::move(m_bytes); }

private:
    std::string m_bytes;
};

/// Reads what a Packer wrote, in the same order. Throws ProcessFault if there are too few bytes.
class Unpacker
{
public:
    explicit Unpacker(std::string_view bytes)
        : m_bytes(bytes)
    {
    }
    template <typename T>
    T number()
    {
        T value{};
        require(sizeof value);
        std::memcpy(&value, m_bytes.data(), sizeof value);
        m_bytes.remove_prefix(sizeof value);
        return value;
    }
    template <typename T>
    std::vector<T> numbers()
    {
        const auto count = static_cast<std::size_t>(number<std::uint64_t>());
        require(count, sizeof(T));
        std::vector<T> values(count);
        const std::size_t size = count * sizeof(T);
        if (size > 0)
            std::memcpy(values.data(), m_bytes.data(), size);
        m_bytes.remove_prefix(size);
        return values;
    }
    std::string text()
    {
        const auto size = static_cast<std::size_t>(number<std::uint64_t>());
        require(size);
        std::string value(m_bytes.substr(0, size));
        m_bytes.remove_prefix(size);
        return value;
    }

private:
    void require(std::size_t count, std::size_t each = 1) const
    {
        if (m_bytes.size() / each < count)
            throw ProcessFault("The processes of this run do not agree on what they do");
    }
    std::string_view m_bytes;
};

} // namespace sparserl

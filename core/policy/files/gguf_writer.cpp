// SPDX-License-Identifier: Apache-2.0
#include "policy/files/gguf_writer.h"

#include <bit>

namespace sparserl {

static_assert(std::endian::native == std::endian::little, "numbers are written as they stand");

namespace {

enum WrittenType : std::uint32_t
{
    WritesU32 = 4,
    WritesI32 = 5,
    WritesF32 = 6,
    WritesBool = 7,
    WritesText = 8,
    WritesArray = 9
};

template <typename T>
void put(std::string& into, T value)
{
    into.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void putText(std::string& into, std::string_view text)
{
    put(into, std::uint64_t(text.size()));
    into += text;
}

} // namespace

void GgufWriter::key(std::string_view name, std::uint32_t type)
{
    putText(m_values, name);
    put(m_values, type);
    ++m_valueCount;
}

void GgufWriter::add(std::string_view key, std::string_view text)
{
    this->key(key, WritesText);
    putText(m_values, text);
}

void GgufWriter::add(std::string_view key, std::uint32_t number)
{
    this->key(key, WritesU32);
    put(m_values, number);
}

void GgufWriter::add(std::string_view key, float number)
{
    this->key(key, WritesF32);
    put(m_values, number);
}

void GgufWriter::add(std::string_view key, bool flag)
{
    this->key(key, WritesBool);
    put(m_values, std::uint8_t(flag));
}

void GgufWriter::add(std::string_view key, std::span<const std::string> texts)
{
    this->key(key, WritesArray);
    put(m_values, std::uint32_t(WritesText));
    put(m_values, std::uint64_t(texts.size()));
    for (const std::string& text : texts)
        putText(m_values, text);
}

void GgufWriter::add(std::string_view key, std::span<const std::int32_t> numbers)
{
    this->key(key, WritesArray);
    put(m_values, std::uint32_t(WritesI32));
    put(m_values, std::uint64_t(numbers.size()));
    for (const std::int32_t number : numbers)
        put(m_values, number);
}

void GgufWriter::addTensor(std::string_view name, std::span<const std::int64_t> shape, GgufType type)
{
    putText(m_tensors, name);
    put(m_tensors, std::uint32_t(shape.size()));
    std::uint64_t numbers = 1;
    for (std::size_t i = shape.size(); i-- > 0;) {
        put(m_tensors, std::uint64_t(shape[i]));
        numbers *= std::uint64_t(shape[i]);
    }
    put(m_tensors, static_cast<std::uint32_t>(type));
    put(m_tensors, m_dataBytes);
    const GgufBlock block = blockOf(type);
    const std::uint64_t bytes = numbers / block.numbers * block.bytes;
    m_dataBytes += bytes + paddingAfter(bytes);
    ++m_tensorCount;
}

std::string GgufWriter::header() const
{
    constexpr std::uint32_t version = 3;
    std::string bytes = "GGUF";
    put(bytes, version);
    put(bytes, m_tensorCount);
    put(bytes, m_valueCount);
    bytes += m_values;
    bytes += m_tensors;
    bytes.append(paddingAfter(bytes.size()), '\0');
    return bytes;
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "project/curves/event_file.h"

#include <array>
#include <bit>

namespace sparserl {

namespace {

constexpr std::array<std::uint32_t, 256> makeTable()
{
    std::array<std::uint32_t, 256> table{};
    for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
        std::uint32_t crc = byte;
        for (int bit = 0; bit < 8; ++bit)
            crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82f63b78u : 0u);
        table[byte] = crc;
    }
    return table;
}

std::uint32_t masked(std::uint32_t crc)
{
    return std::rotr(crc, 15) + 0xa282ead8u;
}

template <typename Number>
std::string littleEndian(Number number)
{
    std::string bytes;
    for (std::size_t i = 0; i < sizeof number; ++i)
        bytes += static_cast<char>((number >> (8 * i)) & 0xff);
    return bytes;
}

// The fields of a message: a key, which is number * 8 + wire type, and what that type says.

std::string varint(std::uint64_t number)
{
    std::string bytes;
    for (; number >= 0x80; number >>= 7)
        bytes += static_cast<char>((number & 0x7f) | 0x80);
    bytes += static_cast<char>(number);
    return bytes;
}

std::string varintField(int field, std::uint64_t number)
{
    return varint(static_cast<std::uint64_t>(field) << 3) + varint(number);
}

std::string doubleField(int field, double value)
{
    return varint(static_cast<std::uint64_t>(field) << 3 | 1) +
           littleEndian(std::bit_cast<std::uint64_t>(value));
}

std::string floatField(int field, float value)
{
    return varint(static_cast<std::uint64_t>(field) << 3 | 5) +
           littleEndian(std::bit_cast<std::uint32_t>(value));
}

/// Of a string or a message.
std::string bytesField(int field, std::string_view bytes)
{
    std::string result = varint(static_cast<std::uint64_t>(field) << 3 | 2) + varint(bytes.size());
    result += bytes;
    return result;
}

/// Numbers of fields, in tensorflow/core/util/event.proto, framework/summary.proto and tensor.proto.
namespace event_field {
constexpr int wallTime = 1, step = 2, fileVersion = 3, summary = 5;
}
namespace value_field {
constexpr int tag = 1, simpleValue = 2, tensor = 8, metadata = 9;
}
constexpr int summaryValue = 1;

std::string summaryEvent(double wallTime, std::int64_t step, std::string_view summary)
{
    return doubleField(event_field::wallTime, wallTime) +
           varintField(event_field::step, static_cast<std::uint64_t>(step)) +
           bytesField(event_field::summary, summary);
}

} // namespace

std::uint32_t crc32c(std::string_view bytes)
{
    static constexpr auto table = makeTable();
    std::uint32_t crc = 0xffffffffu;
    for (const char c : bytes)
        crc = (crc >> 8) ^ table[(crc ^ static_cast<unsigned char>(c)) & 0xff];
    return ~crc;
}

std::string tfRecord(std::string_view data)
{
    const std::string length = littleEndian(static_cast<std::uint64_t>(data.size()));
    std::string record = length + littleEndian(masked(crc32c(length)));
    record += data;
    return record + littleEndian(masked(crc32c(data)));
}

std::string versionEvent(double wallTime)
{
    return doubleField(event_field::wallTime, wallTime) +
           bytesField(event_field::fileVersion, "brain.Event:2");
}

std::string scalarEvent(double wallTime, std::int64_t step,
                        const std::vector<std::pair<std::string_view, double>>& values)
{
    std::string summary;
    for (const auto& [tag, value] : values)
        summary +=
            bytesField(summaryValue, bytesField(value_field::tag, tag) +
                                         floatField(value_field::simpleValue, static_cast<float>(value)));
    return summaryEvent(wallTime, step, summary);
}

std::string textEvent(double wallTime, std::string_view tag, std::string_view markdown)
{
    constexpr std::uint64_t stringType = 7;
    // TensorProto: its type, a shape of one dimension of size 1, and the string.
    const std::string shape = bytesField(2, varintField(1, 1));
    const std::string tensor = varintField(1, stringType) + bytesField(2, shape) + bytesField(8, markdown);
    const std::string plugin = bytesField(1, bytesField(1, "text"));
    return summaryEvent(wallTime, 0,
                        bytesField(summaryValue, bytesField(value_field::tag, tag) +
                                                     bytesField(value_field::tensor, tensor) +
                                                     bytesField(value_field::metadata, plugin)));
}

} // namespace sparserl

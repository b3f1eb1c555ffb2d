// SPDX-License-Identifier: Apache-2.0
#include "policy/files/gguf_types.h"

#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace sparserl {

static_assert(std::endian::native == std::endian::little, "numbers are copied as they stand");

namespace {

struct TypeRow
{
    GgufType type;
    GgufBlock block;
    void (*read)(const std::uint8_t* block, float* into);
};

std::uint16_t word(const std::uint8_t* at)
{
    std::uint16_t bits = 0;
    std::memcpy(&bits, at, sizeof bits);
    return bits;
}

/// The number of a half precision, exactly.
float half(const std::uint8_t* at)
{
    const std::uint32_t bits = word(at);
    const std::uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 0x1F, fraction = bits & 0x3FF;
    if (exponent == 0) {
        const float value = static_cast<float>(fraction) * 0x1p-24f;
        return sign != 0 ? -value : value;
    }
    const std::uint32_t wide = exponent == 0x1F ? 0xFFu : exponent + (127 - 15);
    return std::bit_cast<float>(sign | wide << 23 | fraction << 13);
}

void f32(const std::uint8_t* block, float* into)
{
    std::memcpy(into, block, sizeof *into);
}

void f16(const std::uint8_t* block, float* into)
{
    *into = half(block);
}

void bf16(const std::uint8_t* block, float* into)
{
    *into = std::bit_cast<float>(std::uint32_t(word(block)) << 16);
}

/// scale * q, q of a signed byte.
void q8_0(const std::uint8_t* block, float* into)
{
    const float scale = half(block);
    for (int i = 0; i < 32; ++i)
        into[i] = scale * static_cast<float>(static_cast<std::int8_t>(block[2 + i]));
}

/// Sixteen bytes hold the numbers 0 to 15 in their low halves, 16 to 31 in their high ones.
int nibble(const std::uint8_t* quants, int i)
{
    return i < 16 ? quants[i] & 0xF : quants[i - 16] >> 4;
}

/// scale * (q - 8)
void q4_0(const std::uint8_t* block, float* into)
{
    const float scale = half(block);
    for (int i = 0; i < 32; ++i)
        into[i] = scale * static_cast<float>(nibble(block + 2, i) - 8);
}

/// scale * q + least
void q4_1(const std::uint8_t* block, float* into)
{
    const float scale = half(block), least = half(block + 2);
    for (int i = 0; i < 32; ++i)
        into[i] = static_cast<float>(nibble(block + 4, i)) * scale + least;
}

/// scale * (q - 16), the fifth bits in a word of their own.
void q5_0(const std::uint8_t* block, float* into)
{
    const float scale = half(block);
    std::uint32_t fifth = 0;
    std::memcpy(&fifth, block + 2, sizeof fifth);
    for (int i = 0; i < 32; ++i)
        into[i] =
            scale * static_cast<float>((nibble(block + 6, i) | static_cast<int>(fifth >> i & 1) << 4) - 16);
}

/// Scale and least number, of six bits each, of one of the eight parts of a block.
std::pair<int, int> partOfQ4K(const std::uint8_t* packed, int part)
{
    if (part < 4)
        return {packed[part] & 63, packed[part + 4] & 63};
    return {(packed[part + 4] & 0xF) | packed[part - 4] >> 6 << 4,
            packed[part + 4] >> 4 | packed[part] >> 6 << 4};
}

/// Eight parts of 32 numbers: scale * partScale * q - least * partLeast.
void q4_k(const std::uint8_t* block, float* into)
{
    const float scale = half(block), least = half(block + 2);
    const std::uint8_t* quants = block + 16;
    for (int part = 0; part < 8; ++part) {
        const auto [partScale, partLeast] = partOfQ4K(block + 4, part);
        const float factor = scale * static_cast<float>(partScale),
                    below = least * static_cast<float>(partLeast);
        for (int i = 0; i < 32; ++i) {
            const std::uint8_t byte = quants[part / 2 * 32 + i];
            into[part * 32 + i] = factor * static_cast<float>(part % 2 == 0 ? byte & 0xF : byte >> 4) - below;
        }
    }
}

/// Sixteen parts of 16 numbers: scale * partScale * (q - 32), four bits of q in one place and two in another.
void q6_k(const std::uint8_t* block, float* into)
{
    const std::uint8_t *low = block, *high = block + 128, *scales = block + 192;
    const float scale = half(block + 208);
    for (int i = 0; i < 256; ++i) {
        const int side = i / 128, row = i % 128 / 32, column = i % 32;
        const std::uint8_t lowByte = low[side * 64 + row % 2 * 32 + column];
        const int four = row < 2 ? lowByte & 0xF : lowByte >> 4;
        const int two = high[side * 32 + column] >> (2 * row) & 3;
        const auto partScale = static_cast<std::int8_t>(scales[i / 16]);
        into[i] = scale * static_cast<float>(partScale) * static_cast<float>((four | two << 4) - 32);
    }
}

constexpr TypeRow types[] = {
    {GgufType::F32, {1, 4}, f32},     {GgufType::F16, {1, 2}, f16},       {GgufType::BF16, {1, 2}, bf16},
    {GgufType::Q8_0, {32, 34}, q8_0}, {GgufType::Q4_0, {32, 18}, q4_0},   {GgufType::Q4_1, {32, 20}, q4_1},
    {GgufType::Q5_0, {32, 22}, q5_0}, {GgufType::Q4_K, {256, 144}, q4_k}, {GgufType::Q6_K, {256, 210}, q6_k}};

constexpr const char* names[] = {
    "F32",   "F16",    "Q4_0", "Q4_1", "Q4_2", "Q4_3",    "Q5_0",   "Q5_1",    "Q8_0",  "Q8_1",   "Q2_K",
    "Q3_K",  "Q4_K",   "Q5_K", "Q6_K", "Q8_K", "IQ2_XXS", "IQ2_XS", "IQ3_XXS", "IQ1_S", "IQ4_NL", "IQ3_S",
    "IQ2_S", "IQ4_XS", "I8",   "I16",  "I32",  "I64",     "F64",    "IQ1_M",   "BF16"};

} // namespace

GgufBlock blockOf(GgufType type)
{
    for (const TypeRow& row : types) {
        if (row.type == type)
            return row.block;
    }
    return {};
}

std::string nameOf(GgufType type)
{
    const auto number = static_cast<std::uint32_t>(type);
    return number < std::size(names) ? names[number] : "type " + std::to_string(number);
}

void readGgufNumbers(GgufType type, const std::byte* blocks, std::uint64_t count, float* into)
{
    for (const TypeRow& row : types) {
        if (row.type != type)
            continue;
        const auto* at = reinterpret_cast<const std::uint8_t*>(blocks);
        for (std::uint64_t i = 0; i < count; i += row.block.numbers, at += row.block.bytes)
            row.read(at, into + i);
    }
}

} // namespace sparserl

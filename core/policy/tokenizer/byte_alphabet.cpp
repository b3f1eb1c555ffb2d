// SPDX-License-Identifier: Apache-2.0
#include "policy/tokenizer/byte_alphabet.h"

#include <array>
#include <cstdint>

namespace sparserl {

namespace {

/// GPT-2's alphabet: a printable code point for each byte.
std::array<std::uint16_t, 256> byteAlphabet()
{
    std::array<std::uint16_t, 256> alphabet{};
    std::uint16_t next = 256;
    for (int byte = 0; byte < 256; ++byte) {
        const bool printable = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
        alphabet[byte] = printable ? static_cast<std::uint16_t>(byte) : next++;
    }
    return alphabet;
}

} // namespace

std::string toByteAlphabet(std::string_view bytes)
{
    static const std::array<std::uint16_t, 256> alphabet = byteAlphabet();
    std::string text;
    for (const char c : bytes) {
        const std::uint16_t code = alphabet[static_cast<unsigned char>(c)];
        if (code < 0x80) {
            text += static_cast<char>(code);
        } else {
            text += static_cast<char>(0xC0 | code >> 6);
            text += static_cast<char>(0x80 | (code & 0x3F));
        }
    }
    return text;
}

std::optional<std::string> fromByteAlphabet(std::string_view text)
{
    static const auto inverse = [] {
        std::array<int, 512> table;
        table.fill(-1);
        const auto alphabet = byteAlphabet();
        for (int byte = 0; byte < 256; ++byte)
            table[alphabet[byte]] = byte;
        return table;
    }();
    std::string bytes;
    for (std::size_t i = 0; i < text.size(); ++i) {
        unsigned code = static_cast<unsigned char>(text[i]);
        if (code >= 0x80) {
            if (code < 0xC2 || code > 0xC7 || i + 1 >= text.size())
                return std::nullopt;
            code = (code & 0x1F) << 6 | (static_cast<unsigned char>(text[++i]) & 0x3F);
        }
        if (code >= inverse.size() || inverse[code] < 0)
            return std::nullopt;
        bytes += static_cast<char>(inverse[code]);
    }
    return bytes;
}

int namedByte(std::string_view token)
{
    if (token.size() != 6 || !token.starts_with("<0x") || token.back() != '>')
        return -1;
    int value = 0;
    for (const char c : token.substr(3, 2)) {
        const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
        if (digit < 0)
            return -1;
        value = 16 * value + digit;
    }
    return value;
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "policy/tokenizer/utf8.h"

#include <algorithm>

namespace sparserl {

namespace {

/// Bytes of the character that a first byte announces; 0 where none begins with it.
std::size_t announcedSize(unsigned lead)
{
    if (lead < 0x80)
        return 1;
    if (lead >= 0xC2 && lead < 0xE0)
        return 2;
    if (lead >= 0xE0 && lead < 0xF0)
        return 3;
    return lead >= 0xF0 && lead < 0xF5 ? 4 : 0;
}

/// Whether the second byte may follow the first: neither overlong, nor a surrogate, nor beyond U+10FFFF.
bool mayFollow(unsigned lead, unsigned second)
{
    const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    return second >= low && second <= high;
}

/// Whether `text` begins a character and ends within it.
bool isCut(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const std::size_t size = announcedSize(byte(0));
    if (size <= text.size() || (text.size() > 1 && !mayFollow(byte(0), byte(1))))
        return false;
    return text.size() < 3 || (byte(2) & 0xC0) == 0x80;
}

} // namespace

Utf8Character utf8CharacterAt(std::string_view text, std::size_t at)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
    const std::size_t size = announcedSize(byte(0));
    if (size == 1)
        return {1, byte(0)};
    if (size == 0 || size > text.size() - at || !mayFollow(byte(0), byte(1)))
        return {};
    std::uint32_t code = byte(0) & (0xFFu >> (size + 1));
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(i) & 0xC0) != 0x80)
            return {};
        code = code << 6 | (byte(i) & 0x3F);
    }
    return {size, code};
}

Utf8Character utf8CharacterBefore(std::string_view text, std::size_t end)
{
    for (std::size_t size = 1; size <= std::min<std::size_t>(4, end); ++size) {
        const auto character = utf8CharacterAt(text.substr(0, end), end - size);
        if (character.size == size)
            return character;
    }
    return {};
}

std::size_t utf8RunAt(std::string_view text, std::size_t at)
{
    const std::size_t start = at;
    while (at < text.size()) {
        const std::size_t size = utf8CharacterAt(text, at).size;
        if (size == 0)
            break;
        at += size;
    }
    return at - start;
}

std::string Utf8Stream::feed(std::string_view bytes)
{
    m_rest += bytes;
    std::string text;
    std::size_t at = 0;
    while (at < m_rest.size()) {
        const std::size_t run = utf8RunAt(m_rest, at);
        text.append(m_rest, at, run);
        at += run;
        if (at == m_rest.size() || isCut(std::string_view(m_rest).substr(at)))
            break;
        text += replacementCharacter;
        ++at;
    }
    m_rest.erase(0, at);
    return text;
}

std::string Utf8Stream::finish()
{
    std::string text;
    for (std::size_t i = 0; i < m_rest.size(); ++i)
        text += replacementCharacter;
    m_rest.clear();
    return text;
}

std::string validUtf8(std::string_view text)
{
    Utf8Stream stream;
    std::string valid = stream.feed(text);
    return valid + stream.finish();
}

} // namespace sparserl

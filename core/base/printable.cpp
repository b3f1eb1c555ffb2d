// SPDX-License-Identifier: Apache-2.0
#include "base/printable.h"

#include <cstdint>
#include <fmt/format.h>

namespace sparserl {
namespace {

struct Character
{
    std::uint32_t code = 0;
    std::size_t length = 0; ///< Bytes; 0: the byte begins no UTF-8 character.
};

/// The UTF-8 character at the front (RFC 3629: no overlong forms, no surrogates).
Character decode(std::string_view text)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80)
        return {first, 1};
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length)
        return {};
    std::uint32_t code = first & (0x7fu >> length);
    for (std::size_t i = 1; i < length; ++i) {
        if ((byte(i) & 0xc0) != 0x80)
            return {};
        code = code << 6 | (byte(i) & 0x3fu);
    }
    const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    if (overlong || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        return {};
    return {code, length};
}

bool isControl(std::uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/// Marks, embeddings, overrides and isolates of the bidirectional algorithm; separators that break lines.
bool isDirection(std::uint32_t code)
{
    return code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
           (code >= 0x2066 && code <= 0x2069);
}

std::string escaped(std::string_view text, bool breaks)
{
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const auto [code, length] = decode(text);
        if (length == 0)
            out += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
        else if ((!breaks && (code == '\n' || code == '\t')) || !(isControl(code) || isDirection(code)))
            out += text.substr(0, length);
        else
            out += code < 0x100 ? fmt::format("\\x{:02x}", code) : fmt::format("\\u{:04x}", code);
        text.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
}

} // namespace

std::string printable(std::string_view text)
{
    return escaped(text, false);
}

std::string printableLine(std::string_view text)
{
    return escaped(text, true);
}

bool isUtf8(std::string_view text)
{
    while (!text.empty()) {
        const std::size_t length = decode(text).length;
        if (length == 0)
            return false;
        text.remove_prefix(length);
    }
    return true;
}

std::string shortened(std::string text, std::size_t most)
{
    if (text.size() <= most)
        return text;
    std::size_t end = most;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
        --end;
    text.resize(end);
    return text + " ...";
}

std::string printableJson(std::string_view json)
{
    std::string out;
    out.reserve(json.size());
    while (!json.empty()) {
        const auto [code, length] = decode(json);
        if (length > 0 && code >= 0x7f && (isControl(code) || isDirection(code)))
            out += fmt::format("\\u{:04x}", code);
        else
            out += json.substr(0, length == 0 ? 1 : length);
        json.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
}

} // namespace sparserl

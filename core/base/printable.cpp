// SPDX-License-Identifier: Apache-2.0
#include "base/printable.h"

#include "base/unicode_hidden.h"

#include <cstdint>
#include <fmt/format.h>
#include <utility>

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

/// Follows a text and tells which characters do not show what is there.
class Visibility
{
public:
    /// Whether the next character may stand as it is.
    bool shows(std::uint32_t code)
    {
        const std::uint32_t before = std::exchange(m_before, code);
        if (code < 0x80 && !isControl(code)) {
            m_marks = 0;
            return true;
        }
        const bool isMark = isUnicodeMark(code);
        // Text that is made of lines and words has no accents on these.
        const bool isAlone = before <= ' ' || before == 0x7f;
        m_marks = isMark ? m_marks + 1 : 0;
        // A selector asks for a picture in place of a sign.
        const bool shown = !isControl(code) && !isUnicodeHidden(code) &&
                           !(isMark && (isAlone || m_marks > mostMarks)) &&
                           !((code == 0xfe0e || code == 0xfe0f) && before < 0x2000);
        if (!shown)
            m_before = 0;
        return shown;
    }

private:
    static constexpr int mostMarks = 4; ///< More on one letter are in no language.
    std::uint32_t m_before = 0;
    int m_marks = 0;
};

std::string escape(std::uint32_t code)
{
    return code < 0x100     ? fmt::format("\\x{:02x}", code)
           : code < 0x10000 ? fmt::format("\\u{:04x}", code)
                            : fmt::format("\\U{:08x}", code);
}

std::string escaped(std::string_view text, bool breaks)
{
    std::string out;
    out.reserve(text.size());
    Visibility visibility;
    while (!text.empty()) {
        const auto [code, length] = decode(text);
        const bool shown = visibility.shows(length == 0 ? 0 : code);
        if (length == 0)
            out += escape(static_cast<unsigned char>(text[0]));
        else if (shown || (!breaks && (code == '\n' || code == '\t')))
            out += text.substr(0, length);
        else
            out += escape(code);
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
    Visibility visibility;
    while (!json.empty()) {
        const auto [code, length] = decode(json);
        const bool shown = visibility.shows(code);
        if (length > 0 && code >= 0x10000 && !shown) // JSON has UTF-16 in its escapes
            out += fmt::format("\\u{:04x}\\u{:04x}", 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
        else if (length > 0 && code >= 0x7f && !shown)
            out += fmt::format("\\u{:04x}", code);
        else
            out += json.substr(0, length == 0 ? 1 : length);
        json.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
}

} // namespace sparserl

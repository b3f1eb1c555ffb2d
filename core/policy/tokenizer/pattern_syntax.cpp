// SPDX-License-Identifier: Apache-2.0
#include "policy/tokenizer/pattern_syntax.h"

#include "policy/tokenizer/utf8.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <optional>

namespace sparserl {

namespace {

constexpr std::size_t longestPattern = 16384;
constexpr int deepestGroup = 32;
constexpr int mostRepeats = 1000;

// Oniguruma's \s is White_Space; that of PCRE2 has U+180E too.
constexpr std::string_view spaces =
    R"(\x{09}-\x{0D}\x{20}\x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000})";
constexpr std::string_view otherThanSpaces =
    R"(\x{00}-\x{08}\x{0E}-\x{1F}\x{21}-\x{84}\x{86}-\x{9F}\x{A1}-\x{167F}\x{1681}-\x{1FFF}\x{200B}-\x{2027})"
    R"(\x{202A}-\x{202E}\x{2030}-\x{205E}\x{2060}-\x{2FFF}\x{3001}-\x{10FFFF})";

constexpr std::array<std::string_view, 37> categories = {
    "L",  "Lu", "Ll", "Lt", "Lm", "Lo", "M",  "Mn", "Mc", "Me", "N",  "Nd", "Nl",
    "No", "P",  "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "S",  "Sm", "Sc", "Sk",
    "So", "Z",  "Zs", "Zl", "Zp", "C",  "Cc", "Cf", "Cs", "Co", "Cn"};
constexpr std::array<std::string_view, 11> scripts = {"Arabic",   "Cyrillic", "Devanagari", "Greek",
                                                      "Han",      "Hangul",   "Hebrew",     "Hiragana",
                                                      "Katakana", "Latin",    "Thai"};

std::string hexadecimal(std::uint32_t code)
{
    return fmt::format("\\x{{{:02X}}}", code);
}

/// What an escape or a character stands for.
struct Atom
{
    std::optional<std::uint32_t> code; ///< One character.
    std::string set;                   ///< Else a set, as PCRE2 has it between brackets.

    std::string inside() const { return code ? hexadecimal(*code) : set; }
    std::string outside() const { return code ? hexadecimal(*code) : "[" + set + "]"; }
};

class PatternReader
{
public:
    explicit PatternReader(std::string_view pattern)
        : m_pattern(pattern)
    {
    }

    Result<std::string> read()
    {
        SPARSERL_CHECK(alternatives(0, false));
        if (m_at < m_pattern.size())
            return refuse("a bracket is closed that was not opened");
        return std::move(m_out);
    }

private:
    bool atEnd() const { return m_at >= m_pattern.size(); }
    bool next(std::string_view text) const { return m_pattern.substr(m_at).starts_with(text); }
    bool take(std::string_view text)
    {
        if (!next(text))
            return false;
        m_at += text.size();
        return true;
    }
    tl::unexpected<Error> refuse(std::string_view what) const
    {
        return fail(
            fmt::format("the pre-tokenizer's pattern cannot be used: {} (at byte {})", what, m_at),
            "Use a pattern of published tokenizers: classes, properties, groups, lookaround, repeats");
    }

    Status alternatives(int depth, bool anyCase)
    {
        for (;;) {
            SPARSERL_CHECK(branch(depth, anyCase));
            if (!take("|"))
                return {};
            m_out += '|';
        }
    }

    Status branch(int depth, bool anyCase)
    {
        std::uint32_t before = 0; // the letter before, where case does not matter
        while (!atEnd() && !next("|") && !next(")")) {
            bool repeatable = true;
            if (next("(")) {
                SPARSERL_CHECK(group(depth, anyCase, repeatable));
                before = 0;
            } else if (next("[")) {
                if (anyCase)
                    return refuse("case is ignored for a class");
                SPARSERL_CHECK(bracket());
                before = 0;
            } else if (take(".")) {
                m_out += '.';
            } else if (next("^") || next("$")) {
                m_out += m_pattern[m_at++];
                repeatable = false;
            } else {
                SPARSERL_TRY(const Atom atom, one());
                if (anyCase) {
                    if (!atom.code)
                        return refuse("case is ignored for a class");
                    SPARSERL_CHECK(checkFolding(before, *atom.code));
                    before = *atom.code;
                }
                m_out += atom.outside();
            }
            SPARSERL_CHECK(repeat(repeatable));
        }
        return {};
    }

    /// Oniguruma's letters without case have partners of several letters ("ss" and U+00DF), PCRE2's have not.
    Status checkFolding(std::uint32_t before, std::uint32_t code) const
    {
        if (code >= 0x80)
            return refuse("case is ignored for a letter that is not ASCII");
        const auto lower = [](std::uint32_t c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; };
        for (const std::string_view pair : {"ss", "st", "ff", "fi", "fl"}) {
            if (lower(before) == static_cast<std::uint32_t>(pair[0]) &&
                lower(code) == static_cast<std::uint32_t>(pair[1]))
                return refuse(
                    fmt::format("case is ignored for \"{}\", which is one character as well", pair));
        }
        return {};
    }

    Status group(int depth, bool anyCase, bool& repeatable)
    {
        if (depth >= deepestGroup)
            return refuse(fmt::format("groups are more than {} deep", deepestGroup));
        bool known = false;
        for (const std::string_view kind : {"(?:", "(?i:", "(?>", "(?=", "(?!", "(?<=", "(?<!"}) {
            if (!take(kind))
                continue;
            known = true;
            m_out += kind;
            anyCase = anyCase || kind == "(?i:";
            repeatable = kind == "(?:" || kind == "(?i:" || kind == "(?>";
            break;
        }
        if (!known) {
            if (next("(?") || next("(*"))
                return refuse("a group is of a kind that is not known here");
            take("(");
            m_out += "(?:"; // nothing refers to what it holds
        }
        SPARSERL_CHECK(alternatives(depth + 1, anyCase));
        if (!take(")"))
            return refuse("a group does not end");
        m_out += ')';
        return {};
    }

    Result<int> number()
    {
        int value = 0;
        const std::size_t start = m_at;
        while (!atEnd() && m_pattern[m_at] >= '0' && m_pattern[m_at] <= '9' && value <= mostRepeats)
            value = 10 * value + (m_pattern[m_at++] - '0');
        if (m_at == start)
            return refuse("a brace is no repeat");
        if (value > mostRepeats)
            return refuse(fmt::format("something is repeated more than {} times", mostRepeats));
        return value;
    }

    Status repeat(bool repeatable)
    {
        const std::size_t start = m_at;
        bool counted = false;
        if (take("{")) {
            counted = true;
            SPARSERL_TRY(const int least, number());
            if (take(",") && !next("}")) {
                SPARSERL_TRY(const int most, number());
                if (most < least)
                    return refuse("a repeat has its numbers in the wrong order");
            }
            if (!take("}"))
                return refuse("a brace is no repeat");
        } else if (!take("*") && !take("+") && !take("?")) {
            return {};
        }
        // After a count, Ruby takes "+" for one more repeat and "?" for an optional one.
        if (!counted && !take("+"))
            take("?");
        if (!repeatable || next("*") || next("+") || next("?") || next("{"))
            return refuse("a repeat is repeated, or repeats nothing");
        m_out += m_pattern.substr(start, m_at - start);
        return {};
    }

    /// A character or an escape.
    Result<Atom> one()
    {
        if (next("\\"))
            return escape();
        if (next("*") || next("+") || next("?") || next("{"))
            return refuse("a repeat has nothing before it");
        const auto character = utf8CharacterAt(m_pattern, m_at);
        if (character.size == 0)
            return refuse("it is not UTF-8");
        m_at += character.size;
        return Atom{character.code, {}};
    }

    Result<Atom> escape()
    {
        take("\\");
        if (atEnd())
            return refuse("it ends with a backslash");
        const char c = m_pattern[m_at++];
        switch (c) {
        case 's':
            return Atom{{}, std::string(spaces)};
        case 'S':
            return Atom{{}, std::string(otherThanSpaces)};
        case 'd':
            return Atom{{}, "\\p{Nd}"};
        case 'D':
            return Atom{{}, "\\P{Nd}"};
        case 'p':
        case 'P':
            return property(c == 'P');
        case 'n':
            return Atom{'\n', {}};
        case 'r':
            return Atom{'\r', {}};
        case 't':
            return Atom{'\t', {}};
        case 'f':
            return Atom{'\f', {}};
        case 'v':
            return Atom{'\v', {}};
        case 'u':
            return codePoint(4, 4, {});
        case 'x':
            return take("{") ? codePoint(1, 6, "}") : codePoint(2, 2, {});
        default:
            break;
        }
        if (static_cast<unsigned char>(c) >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
            (c >= 'A' && c <= 'Z')) {
            --m_at;
            return refuse("an escape is not known here");
        }
        return Atom{static_cast<std::uint32_t>(c), {}};
    }

    Result<Atom> property(bool negated)
    {
        if (!take("{"))
            return refuse("a property has no name in braces");
        if (take("^"))
            negated = !negated;
        const std::size_t end = m_pattern.find('}', m_at);
        if (end == std::string_view::npos)
            return refuse("a property has no name in braces");
        const std::string_view name = m_pattern.substr(m_at, end - m_at);
        const char* sign = negated ? "\\P" : "\\p";
        std::string set;
        if (std::find(categories.begin(), categories.end(), name) != categories.end())
            set = fmt::format("{}{{{}}}", sign, name);
        else if (std::find(scripts.begin(), scripts.end(), name) != scripts.end())
            set = fmt::format("{}{{sc:{}}}", sign, name); // without "sc:" also what a script shares
        else
            return refuse("a property is not known here");
        m_at = end + 1;
        return Atom{{}, std::move(set)};
    }

    Result<Atom> codePoint(int least, int most, std::string_view end)
    {
        std::uint32_t code = 0;
        int digits = 0;
        for (; digits < most && !atEnd(); ++digits, ++m_at) {
            const char c = m_pattern[m_at];
            const int value = c >= '0' && c <= '9'   ? c - '0'
                              : c >= 'a' && c <= 'f' ? c - 'a' + 10
                              : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                     : -1;
            if (value < 0)
                break;
            code = 16 * code + static_cast<std::uint32_t>(value);
        }
        // Two digits alone are a byte of UTF-8, not a character.
        if (digits < least || !take(end) || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000) ||
            (most == 2 && code >= 0x80))
            return refuse("an escape is no character");
        return Atom{code, {}};
    }

    Status bracket()
    {
        take("[");
        m_out += '[';
        if (take("^"))
            m_out += '^';
        for (bool first = true; !take("]"); first = false) {
            if (atEnd())
                return refuse("a class does not end");
            if (next("[") || next("&&") || (first && next("]")))
                return refuse("a class holds another, an intersection or nothing");
            SPARSERL_TRY(const Atom from, inClass(first));
            if (!next("-") || next("-]")) {
                m_out += from.inside();
                continue;
            }
            take("-");
            if (!from.code || atEnd() || next("[") || next("&&"))
                return refuse("a range has no character at an end");
            SPARSERL_TRY(const Atom to, inClass(false));
            if (!to.code || *to.code < *from.code)
                return refuse("a range has no character at an end, or the higher one first");
            m_out += from.inside() + "-" + to.inside();
        }
        m_out += ']';
        return {};
    }

    Result<Atom> inClass(bool first)
    {
        if (next("\\"))
            return escape();
        if (next("-") && !first && !next("-]"))
            return refuse("a hyphen in the middle of a class is not escaped");
        const auto character = utf8CharacterAt(m_pattern, m_at);
        if (character.size == 0)
            return refuse("it is not UTF-8");
        m_at += character.size;
        return Atom{character.code, {}};
    }

    std::string_view m_pattern;
    std::size_t m_at = 0;
    std::string m_out;
};

} // namespace

Result<std::string> pcrePattern(std::string_view pattern)
{
    if (pattern.size() > longestPattern)
        return fail(fmt::format("the pre-tokenizer's pattern has {} bytes, more than {}", pattern.size(),
                                longestPattern),
                    "Use a tokenizer as it was published");
    return PatternReader(pattern).read();
}

} // namespace sparserl

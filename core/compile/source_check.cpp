// SPDX-License-Identifier: Apache-2.0
#include "compile/source_check.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace sparserl {

namespace {

constexpr std::array<std::string_view, 5> deniedDirectives{"include", "include_next", "import", "embed",
                                                           "line"};
constexpr std::array<std::string_view, 6> deniedNames{"__has_include", "__has_include_next", "__has_embed",
                                                      "__DATE__",      "__TIME__",           "__TIMESTAMP__"};

bool isNameStart(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '$' || (c & 0x80);
}
bool isNamePart(char c)
{
    return isNameStart(c) || std::isdigit(static_cast<unsigned char>(c));
}

/// The text after translation phase 2 (lines spliced), with the line each byte came from.
struct Spliced
{
    std::string text;
    std::vector<int> line;
};

Spliced splice(std::string_view code)
{
    Spliced out;
    out.text.reserve(code.size());
    out.line.reserve(code.size());
    int line = 1;
    for (std::size_t i = 0; i < code.size(); ++i) {
        if (code[i] == '\\') {
            // Compilers also splice over blanks behind the backslash.
            std::size_t end = i + 1;
            while (end < code.size() && (code[end] == ' ' || code[end] == '\t' || code[end] == '\r' ||
                                         code[end] == '\v' || code[end] == '\f'))
                ++end;
            if (end < code.size() && code[end] == '\n') {
                ++line;
                i = end;
                continue;
            }
        }
        out.text += code[i];
        out.line.push_back(line);
        line += code[i] == '\n';
    }
    return out;
}

class Scanner
{
public:
    explicit Scanner(std::string_view code)
        : m_source(splice(code))
        , m_text(m_source.text)
        // Splices do not happen inside raw strings, so after one our idea of where strings end could differ
        // from the compiler's. Such a text is scanned as if nothing in it were a comment or a string.
        , m_plain(m_text.find("R\"") == std::string_view::npos)
    {
    }

    std::optional<Refusal> scan()
    {
        while (m_at < m_text.size()) {
            if (skipCommentOrString())
                continue;
            const char c = m_text[m_at];
            if (c == '#' || m_text.substr(m_at, 2) == "%:") {
                if (auto refusal = checkHash())
                    return refusal;
            } else if (isNameStart(c)) {
                if (auto refusal = checkName())
                    return refusal;
            } else if (std::isdigit(static_cast<unsigned char>(c))) {
                skipNumber();
            } else if (c == '\\' && m_at + 1 < m_text.size() &&
                       (m_text[m_at + 1] == 'u' || m_text[m_at + 1] == 'U')) {
                return refuse(
                    m_at, "a universal character name outside a string can spell any name: write it plainly");
            } else {
                ++m_at;
            }
        }
        return std::nullopt;
    }

private:
    Refusal refuse(std::size_t at, std::string reason) const
    {
        return {m_source.line[at], std::move(reason)};
    }

    bool skipComment()
    {
        const std::string_view two = m_text.substr(m_at, 2);
        if (two == "//") {
            m_at = std::min(m_text.find('\n', m_at), m_text.size());
            return true;
        }
        if (two == "/*") {
            const auto end = m_text.find("*/", m_at + 2);
            m_at = end == std::string_view::npos ? m_text.size() : end + 2;
            return true;
        }
        return false;
    }

    bool skipCommentOrString()
    {
        if (!m_plain)
            return false;
        if (skipComment())
            return true;
        const char quote = m_text[m_at];
        if (quote != '"' && quote != '\'')
            return false;
        for (++m_at; m_at < m_text.size() && m_text[m_at] != quote && m_text[m_at] != '\n'; ++m_at)
            if (m_text[m_at] == '\\' && m_at + 1 < m_text.size() && m_text[m_at + 1] != '\n')
                ++m_at;
        if (m_at < m_text.size())
            ++m_at;
        return true;
    }

    /// Blanks and comments between a `#` and its directive.
    void skipBlanks()
    {
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            if (c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r')
                ++m_at;
            else if (!(m_text.substr(m_at, 2) == "/*" && skipComment()))
                return;
        }
    }

    std::string_view takeName()
    {
        const std::size_t start = m_at;
        while (m_at < m_text.size() && isNamePart(m_text[m_at]))
            ++m_at;
        return m_text.substr(start, m_at - start);
    }

    std::optional<Refusal> checkHash()
    {
        const std::size_t start = m_at;
        m_at += m_text[m_at] == '#' ? 1 : 2;
        if (m_at < m_text.size() && (m_text[m_at] == '#' || m_text.substr(m_at, 2) == "%:"))
            return refuse(start, "token pasting (##) can spell any name: write the names out");
        skipBlanks();
        if (m_at < m_text.size() && std::isdigit(static_cast<unsigned char>(m_text[m_at])))
            return refuse(start, "a line marker (# NUMBER) would move line numbers: remove it");
        const std::size_t nameStart = m_at;
        const std::string_view name = takeName();
        if (std::find(deniedDirectives.begin(), deniedDirectives.end(), name) != deniedDirectives.end())
            return refuse(start, name == "line"
                                     ? std::string("#line would move line numbers: remove it")
                                     : "#" + std::string(name) +
                                           " is not allowed: a program sees no files, and CUDA's built-in "
                                           "names need none");
        m_at = nameStart; // The name itself is looked at like any other.
        return std::nullopt;
    }

    std::optional<Refusal> checkName()
    {
        const std::size_t start = m_at;
        const std::string_view name = takeName();
        if (std::find(deniedNames.begin(), deniedNames.end(), name) == deniedNames.end())
            return std::nullopt;
        return refuse(start, std::string(name) +
                                 " is not allowed: what a program means may depend on its text only");
    }

    /// A preprocessing number, so that the quote in 1'000 does not start a character literal.
    void skipNumber()
    {
        while (m_at < m_text.size()) {
            const char c = m_text[m_at];
            const bool exponentSign =
                (c == '+' || c == '-') &&
                std::string_view("eEpP").find(m_text[m_at - 1]) != std::string_view::npos;
            const bool separator = c == '\'' && m_at + 1 < m_text.size() && isNamePart(m_text[m_at + 1]);
            if (!isNamePart(c) && c != '.' && !exponentSign && !separator)
                return;
            ++m_at;
        }
    }

    Spliced m_source;
    std::string_view m_text;
    bool m_plain;
    std::size_t m_at = 0;
};

} // namespace

std::optional<Refusal> checkSource(std::string_view code)
{
    if (code.size() > maxSourceBytes)
        return Refusal{0, "the program is " + std::to_string(code.size()) +
                              " bytes long; at most 65536 are allowed"};
    if (const auto at = code.find('\0'); at != std::string_view::npos)
        return Refusal{static_cast<int>(1 + std::count(code.begin(),
                                                       code.begin() + static_cast<std::ptrdiff_t>(at), '\n')),
                       "the program contains a NUL byte"};
    return Scanner(code).scan();
}

} // namespace sparserl

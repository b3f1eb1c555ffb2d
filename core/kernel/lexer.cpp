// SPDX-License-Identifier: Apache-2.0
#include "kernel/lexer.h"

#include <algorithm>
#include <array>

namespace sparserl {

namespace {

constexpr std::array<std::string_view, 57> punctuators = {
    "{",  "}",    "[",  "]",  "(",   ")",  ";",  ",",  "?",  "~",   "!",  "!=",  "%",  "%=",  "%>",
    "%:", "%:%:", "^",  "^=", "&",   "&&", "&=", "*",  "*=", "-",   "-=", "--",  "->", "->*", "=",
    "==", "+",    "+=", "++", "|",   "|=", "||", "/",  "/=", "<",   "<=", "<=>", "<<", "<<=", "<:",
    "<%", ">",    ">=", ">>", ">>=", ":",  "::", ":>", ".",  "...", ".*", "#"};

bool isPunctuator(std::string_view text)
{
    return std::any_of(punctuators.begin(), punctuators.end(), [&](std::string_view p) {
        return p.size() == text.size() && p[0] == text[0] && p == text;
    });
}

bool canGrow(std::string_view text)
{
    return std::any_of(punctuators.begin(), punctuators.end(), [&](std::string_view p) {
        return p.size() > text.size() && p[0] == text[0] && p.substr(0, text.size()) == text;
    });
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isNameStart(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           static_cast<unsigned char>(c) >= 0x80;
}

bool isNamePart(char c)
{
    return isNameStart(c) || isDigit(c);
}

} // namespace

/// Walks over the source without seeing line splices; remembers whether it needed text that is not there yet.
struct Lexer::Cursor
{
    std::string_view source;
    std::size_t at = 0;
    bool last = false;
    bool starved = false;
    bool spliced = false;

    /// The character here, or NUL at the end.
    char here()
    {
        while (at < source.size() && source[at] == '\\') {
            std::size_t next = at + 1;
            if (next < source.size() && source[next] == '\r')
                ++next;
            if (next >= source.size()) {
                starved = starved || !last;
                return last ? '\\' : '\0';
            }
            if (source[next] != '\n')
                return '\\';
            at = next + 1;
            spliced = true;
        }
        if (at >= source.size()) {
            starved = starved || !last;
            return '\0';
        }
        return source[at];
    }
    bool end() { return here() == '\0' && at >= source.size(); }
    void advance() { ++at; }
    char peekNext()
    {
        Cursor ahead = *this;
        ahead.here();
        ahead.advance();
        const char c = ahead.here();
        starved = starved || ahead.starved;
        return c;
    }

    void skipLine()
    {
        while (!end() && here() != '\n')
            advance();
    }
    /// After the opening "/*". True if it was closed.
    bool skipBlockComment()
    {
        while (!end()) {
            const bool star = here() == '*';
            advance();
            if (star && here() == '/') {
                advance();
                return true;
            }
        }
        return false;
    }
    /// After the opening quote. True if it was closed on its line.
    bool skipQuoted(char quote)
    {
        while (!end() && here() != '\n') {
            const char c = here();
            advance();
            if (c == quote)
                return true;
            if (c == '\\' && !end() && here() != '\n')
                advance();
        }
        return false;
    }
    /// After R". Splices have no meaning inside raw strings.
    bool skipRawString()
    {
        const std::size_t open = source.find('(', at);
        if (open == std::string_view::npos || open - at > 16) {
            starved = starved || (!last && open == std::string_view::npos && source.size() - at <= 16);
            return false;
        }
        const std::string close = ")" + std::string(source.substr(at, open - at)) + "\"";
        const std::size_t found = source.find(close, open);
        if (found == std::string_view::npos) {
            starved = starved || !last;
            at = source.size();
            return false;
        }
        at = found + close.size();
        return true;
    }
    /// Back inside a comment of which `read` bytes of the text have been seen: before what may be the
    /// beginning of its end, or of a splice.
    void goOnIn(std::size_t read)
    {
        std::size_t to = std::min(read, source.size());
        while (to > at && std::string_view("\\\r\n").find(source[to - 1]) != std::string_view::npos)
            --to;
        if (to > at + 1)
            at = to - 1;
    }
    void skipName()
    {
        while (!end() && isNamePart(here()))
            advance();
    }
    void skipNumber()
    {
        char previous = '\0';
        while (!end()) {
            const char c = here();
            const bool sign = (c == '+' || c == '-') &&
                              (previous == 'e' || previous == 'E' || previous == 'p' || previous == 'P');
            const bool separator = c == '\'' && isNamePart(peekNext());
            if (!isNamePart(c) && c != '.' && !sign && !separator)
                break;
            previous = c;
            advance();
        }
    }
    bool skipDirective()
    {
        while (!end() && here() != '\n') {
            const char c = here();
            if (c == '/' && peekNext() == '/') {
                skipLine();
                return true;
            }
            if (c == '/' && peekNext() == '*') {
                advance();
                here();
                advance();
                if (!skipBlockComment())
                    return false;
                continue;
            }
            advance();
            if (c == '"')
                skipQuoted('"');
        }
        return true;
    }
    /// Longest match; `spelled` stays empty where nothing matches.
    void skipPunctuator(std::string& spelled)
    {
        if (const char c = here();
            c != '\0' && std::string_view("()[]{};,?~").find(c) != std::string_view::npos) {
            spelled = c;
            advance();
            return;
        }
        std::size_t best = at;
        std::string text;
        while (true) {
            const char c = here();
            if (c == '\0' && at >= source.size())
                break;
            const std::string longer = text + c;
            if (!isPunctuator(longer) && !canGrow(longer))
                break;
            text = longer;
            advance();
            if (isPunctuator(text)) {
                best = at;
                spelled = text;
            }
            if (!canGrow(text))
                break;
        }
        at = best;
    }
};

std::string Token::spelling() const
{
    if (!spliced)
        return std::string(text);
    std::string result;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\') {
            std::size_t next = i + 1;
            if (next < text.size() && text[next] == '\r')
                ++next;
            if (next < text.size() && text[next] == '\n') {
                i = next;
                continue;
            }
        }
        result += text[i];
    }
    return result;
}

/// Blanks between tokens are consumed for good. False where more text has to come first.
bool Lexer::skipBlanks(std::string_view source, bool last)
{
    while (m_position < source.size()) {
        const char c = source[m_position];
        if (c == '\n') {
            ++m_position;
            ++m_line;
            m_lineStart = m_position;
            m_lineHasToken = false;
        } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f') {
            ++m_position;
        } else if (c == '\\') {
            std::size_t after = m_position + 1;
            if (after < source.size() && source[after] == '\r')
                ++after;
            if (after >= source.size() && !last)
                return false;
            if (after >= source.size() || source[after] != '\n')
                return true;
            m_position = after + 1;
            ++m_line;
            m_lineStart = m_position;
        } else {
            return true;
        }
    }
    return true;
}

/// Moves the cursor to the token's end, and says what it is.
void Lexer::read(Cursor& cursor, Token& token) const
{
    const char c = cursor.here();
    const char second = c == '/' || c == '.' || c == '%' ? cursor.peekNext() : '\0';

    if (c == '/' && second == '/') {
        token.kind = Token::Kind::Comment;
        cursor.goOnIn(m_commentRead);
        cursor.skipLine();
    } else if (c == '/' && second == '*') {
        token.kind = Token::Kind::Comment;
        cursor.advance();
        cursor.here();
        cursor.advance();
        cursor.goOnIn(m_commentRead);
        token.closed = cursor.skipBlockComment();
    } else if (!m_lineHasToken && (c == '#' || (c == '%' && second == ':'))) {
        token.kind = Token::Kind::Directive;
        token.closed = cursor.skipDirective();
    } else if (isNameStart(c)) {
        token.kind = Token::Kind::Identifier;
        cursor.skipName();
        const char quote = cursor.here();
        if (quote == '"' || quote == '\'') {
            const Token prefix{
                Token::Kind::Identifier, cursor.source.substr(m_position, cursor.at - m_position), 0, 0, 0,
                cursor.spliced};
            const std::string name = prefix.spelling();
            const bool raw = quote == '"' &&
                             (name == "R" || name == "LR" || name == "uR" || name == "UR" || name == "u8R");
            if (raw || name == "L" || name == "u" || name == "U" || name == "u8") {
                token.kind = quote == '"' ? Token::Kind::String : Token::Kind::Char;
                cursor.advance();
                token.closed = raw ? cursor.skipRawString() : cursor.skipQuoted(quote);
            }
        }
    } else if (isDigit(c) || (c == '.' && isDigit(second))) {
        token.kind = Token::Kind::Number;
        cursor.skipNumber();
    } else if (c == '"' || c == '\'') {
        token.kind = c == '"' ? Token::Kind::String : Token::Kind::Char;
        cursor.advance();
        token.closed = cursor.skipQuoted(c);
    } else {
        std::string spelled;
        cursor.skipPunctuator(spelled);
        token.kind = spelled.empty() ? Token::Kind::Unknown : Token::Kind::Punctuator;
        if (spelled.empty())
            cursor.advance();
    }
}

std::optional<Token> Lexer::next(std::string_view source, bool last)
{
    if (!skipBlanks(source, last))
        return std::nullopt;
    if (m_position >= source.size())
        return std::nullopt;

    Cursor cursor{source, m_position, last};
    Token token;
    token.offset = m_position;
    token.line = m_line;
    token.column = static_cast<int>(m_position - m_lineStart) + 1;
    read(cursor, token);
    if (cursor.starved && !last) {
        m_commentRead = token.kind == Token::Kind::Comment ? source.size() : 0;
        return std::nullopt;
    }
    m_commentRead = 0;

    token.text = source.substr(m_position, cursor.at - m_position);
    token.spliced = cursor.spliced && token.text.find('\\') != std::string_view::npos;
    for (std::size_t i = m_position; i < cursor.at; ++i) {
        if (source[i] == '\n') {
            ++m_line;
            m_lineStart = i + 1;
        }
    }
    m_position = cursor.at;
    m_lineHasToken = m_lineHasToken || token.kind != Token::Kind::Comment;
    return token;
}

std::vector<Token> cudaTokens(std::string_view source)
{
    std::vector<Token> tokens;
    Lexer lexer;
    while (auto token = lexer.next(source, true))
        tokens.push_back(*token);
    return tokens;
}

} // namespace sparserl

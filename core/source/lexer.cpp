// SPDX-License-Identifier: Apache-2.0
#include "source/lexer.h"

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

/// Walks over the source without seeing line splices; remembers whether it needed text that is not there yet,
/// and up to where it need not read again once more of it comes.
struct Lexer::Cursor
{
    std::string_view source;
    std::size_t at = 0;
    bool last = false;
    Unfinished open;
    bool starved = false;
    std::size_t steps = 0;

    /// The character here, or NUL at the end or where it is not known yet.
    char here()
    {
        const std::size_t from = at;
        if (at == open.splicesFrom) {
            at = open.splicesTo;
            open.spliced = true;
        }
        while (at < source.size() && source[at] == '\\') {
            std::size_t next = at + 1;
            if (next < source.size() && source[next] == '\r')
                ++next;
            if (next >= source.size()) {
                starved = starved || !last;
                noteSplices(from);
                return last ? '\\' : '\0';
            }
            if (source[next] != '\n')
                break;
            at = next + 1;
            ++steps;
            open.spliced = true;
        }
        noteSplices(from);
        ++steps;
        if (at >= source.size()) {
            starved = starved || !last;
            return '\0';
        }
        return source[at];
    }
    void noteSplices(std::size_t from)
    {
        if (at == from)
            return;
        open.splicesFrom = from;
        open.splicesTo = at;
    }
    bool end(char c) const { return c == '\0' && at >= source.size(); }
    void advance() { ++at; }
    char peekNext()
    {
        Cursor ahead = *this;
        ahead.here();
        ahead.advance();
        const char c = ahead.here();
        starved = starved || ahead.starved;
        steps = ahead.steps;
        open.splicesFrom = ahead.open.splicesFrom;
        open.splicesTo = ahead.open.splicesTo;
        return c;
    }
    /// What follows here is read again when there is more text; what is before is not.
    void keep() { open.at = at; }

    void skipLine()
    {
        while (true) {
            const char c = here();
            keep();
            if (starved || end(c) || c == '\n')
                return;
            advance();
        }
    }
    /// After the opening "/*". True if it was closed.
    bool skipBlockComment()
    {
        while (true) {
            const char c = here();
            keep();
            if (starved || end(c))
                return false;
            advance();
            if (c != '*')
                continue;
            const bool closes = here() == '/';
            if (starved)
                return false;
            if (closes) {
                advance();
                return true;
            }
        }
    }
    /// After the opening quote. True if it was closed on its line.
    bool skipQuoted(char quote)
    {
        while (true) {
            const char c = here();
            keep();
            if (starved || end(c) || c == '\n')
                return false;
            advance();
            if (c == quote)
                return true;
            if (c != '\\')
                continue;
            const char escaped = here();
            if (starved)
                return false;
            if (!end(escaped) && escaped != '\n')
                advance();
        }
    }
    /// After R". Splices have no meaning inside raw strings.
    bool skipRawString()
    {
        keep();
        const std::size_t length = source.substr(at, 17).find('(');
        if (length == std::string_view::npos) {
            starved = starved || (!last && source.size() - at <= 16);
            return false;
        }
        const std::string close = ")" + std::string(source.substr(at, length)) + "\"";
        const std::size_t from = std::max(at + length, open.searched);
        const std::size_t found = source.find(close, from);
        steps += std::min(found, source.size()) - from;
        if (found == std::string_view::npos) {
            starved = starved || !last;
            open.searched = source.size() - std::min(source.size(), close.size() - 1);
            at = source.size();
            return false;
        }
        at = found + close.size();
        return true;
    }
    void skipName()
    {
        while (true) {
            const char c = here();
            keep();
            if (starved || end(c) || !isNamePart(c))
                return;
            advance();
        }
    }
    void skipNumber()
    {
        while (true) {
            const char c = here(), previous = open.previous;
            keep();
            if (starved || end(c))
                return;
            const bool sign = (c == '+' || c == '-') &&
                              (previous == 'e' || previous == 'E' || previous == 'p' || previous == 'P');
            const bool separator = c == '\'' && isNamePart(peekNext());
            if (starved || (!isNamePart(c) && c != '.' && !sign && !separator))
                return;
            open.previous = c;
            advance();
        }
    }
    /// One step inside a preprocessor line: false at its end.
    bool stepInDirective()
    {
        const char c = here();
        keep();
        if (starved || end(c) || c == '\n')
            return false;
        const char second = c == '/' ? peekNext() : '\0';
        if (starved)
            return false;
        advance();
        if (second == '*') {
            here();
            advance();
            open.inner = Inside::BlockComment;
        } else if (second == '/') {
            open.inner = Inside::LineComment;
        } else if (c == '"') {
            open.inner = Inside::Quoted;
        }
        keep();
        return true;
    }
    /// False where a comment does not end.
    bool skipDirective()
    {
        while (true) {
            bool closed = true;
            switch (open.inner) {
            case Inside::LineComment:
                skipLine();
                return true;
            case Inside::BlockComment:
                closed = skipBlockComment();
                break;
            case Inside::Quoted:
                skipQuoted('"');
                break;
            default:
                if (!stepInDirective())
                    return true;
                continue;
            }
            if (starved || !closed)
                return closed;
            open.inner = Inside::Nothing;
        }
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

/// What kind of token begins here.
void Lexer::begin(Cursor& cursor) const
{
    Unfinished& open = cursor.open;
    const char c = cursor.here();
    const char second = c == '/' || c == '.' || c == '%' ? cursor.peekNext() : '\0';
    if (cursor.starved)
        return;
    open.inside = Inside::Other;
    if (c == '/' && (second == '/' || second == '*')) {
        open.inside = second == '/' ? Inside::LineComment : Inside::BlockComment;
        open.kind = Token::Kind::Comment;
        cursor.advance();
        cursor.here();
        cursor.advance();
    } else if (!m_lineHasToken && (c == '#' || (c == '%' && second == ':'))) {
        open.inside = Inside::Directive;
        open.kind = Token::Kind::Directive;
    } else if (isNameStart(c)) {
        open.inside = Inside::Name;
        open.kind = Token::Kind::Identifier;
    } else if (isDigit(c) || (c == '.' && isDigit(second))) {
        open.inside = Inside::Number;
        open.kind = Token::Kind::Number;
    } else if (c == '"' || c == '\'') {
        open.inside = Inside::Quoted;
        open.kind = c == '"' ? Token::Kind::String : Token::Kind::Char;
        open.quote = c;
        cursor.advance();
    }
    cursor.keep();
}

/// A name that stands before a quote may be the prefix of a literal.
void Lexer::readPrefix(Cursor& cursor) const
{
    const char quote = cursor.here();
    if (quote != '"' && quote != '\'')
        return;
    const Token prefix{
        Token::Kind::Identifier, cursor.source.substr(m_position, cursor.at - m_position), 0, 0, 0,
        cursor.open.spliced};
    const std::string name = prefix.spelling();
    const bool raw =
        quote == '"' && (name == "R" || name == "LR" || name == "uR" || name == "UR" || name == "u8R");
    if (!raw && name != "L" && name != "u" && name != "U" && name != "u8")
        return;
    cursor.open.inside = raw ? Inside::Raw : Inside::Quoted;
    cursor.open.kind = quote == '"' ? Token::Kind::String : Token::Kind::Char;
    cursor.open.quote = quote;
    cursor.advance();
    cursor.keep();
}

/// Moves the cursor to the token's end, and says what it is.
void Lexer::read(Cursor& cursor, Token& token) const
{
    Unfinished& open = cursor.open;
    if (open.inside == Inside::Nothing)
        begin(cursor);
    else
        cursor.at = open.at;
    if (open.inside == Inside::Name) {
        cursor.skipName();
        if (!cursor.starved)
            readPrefix(cursor);
    }
    switch (open.inside) {
    case Inside::LineComment:
        cursor.skipLine();
        break;
    case Inside::BlockComment:
        token.closed = cursor.skipBlockComment();
        break;
    case Inside::Directive:
        token.closed = cursor.skipDirective();
        break;
    case Inside::Number:
        cursor.skipNumber();
        break;
    case Inside::Quoted:
        token.closed = cursor.skipQuoted(open.quote);
        break;
    case Inside::Raw:
        token.closed = cursor.skipRawString();
        break;
    case Inside::Other: {
        std::string spelled;
        cursor.skipPunctuator(spelled);
        open.kind = spelled.empty() ? Token::Kind::Unknown : Token::Kind::Punctuator;
        if (spelled.empty())
            cursor.advance();
        break;
    }
    default:
        break;
    }
    token.kind = open.kind;
}

std::optional<Token> Lexer::next(std::string_view source, bool last)
{
    if (!skipBlanks(source, last))
        return std::nullopt;
    if (m_position >= source.size())
        return std::nullopt;

    Cursor cursor{source, m_position, last, m_open};
    Token token;
    token.offset = m_position;
    token.line = m_line;
    token.column = static_cast<int>(m_position - m_lineStart) + 1;
    read(cursor, token);
    m_steps += cursor.steps;
    m_open = Unfinished();
    if (cursor.starved && !last) {
        m_open = cursor.open;
        if (m_open.inside == Inside::Other)
            m_open.inside = Inside::Nothing;
        return std::nullopt;
    }

    token.text = source.substr(m_position, cursor.at - m_position);
    token.spliced = cursor.open.spliced && token.text.find('\\') != std::string_view::npos;
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

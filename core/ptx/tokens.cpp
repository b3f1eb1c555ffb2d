// SPDX-License-Identifier: Apache-2.0
#include "ptx/tokens.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl::ptx {

namespace {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}
bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool startsWord(char c)
{
    return isLetter(c) || c == '_' || c == '$' || c == '%' || c == '.';
}
bool continuesWord(char c)
{
    return isLetter(c) || isDigit(c) || c == '_' || c == '$' || c == '.';
}

} // namespace

Result<std::vector<Token>> tokenize(std::string_view text)
{
    std::vector<Token> tokens;
    tokens.reserve(text.size() / 5);
    int line = 1;
    std::size_t at = 0;
    auto error = [&](std::string what) { return failAt("PTX", line, std::move(what)); };
    // ptxas refuses them in comments and strings, too.
    if (const auto high =
            std::find_if(text.begin(), text.end(), [](char c) { return (c & 0x80) != 0 || c == 0; });
        high != text.end()) {
        line = 1 + static_cast<int>(std::count(text.begin(), high, '\n'));
        return error(
            fmt::format("the character 0x{:02x} is not ASCII text", static_cast<unsigned char>(*high)));
    }
    while (at < text.size()) {
        const char c = text[at];
        if (c == '\n') {
            ++line;
            ++at;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            ++at;
        } else if (c == '/' && at + 1 < text.size() && text[at + 1] == '/') {
            while (at < text.size() && text[at] != '\n')
                ++at;
        } else if (c == '/' && at + 1 < text.size() && text[at + 1] == '*') {
            const std::size_t end = text.find("*/", at + 2);
            if (end == std::string_view::npos)
                return error("a comment does not end");
            for (; at < end + 2; ++at)
                line += text[at] == '\n';
        } else if (c == '"') {
            const std::size_t end = text.find_first_of("\"\n", at + 1);
            if (end == std::string_view::npos || text[end] == '\n')
                return error("a string does not end on its line");
            tokens.push_back({Token::Kind::String, text.substr(at + 1, end - at - 1), line});
            at = end + 1;
        } else if (isDigit(c)) {
            std::size_t end = at;
            while (end < text.size() && (continuesWord(text[end]) ||
                                         ((text[end] == '+' || text[end] == '-') &&
                                          (text[end - 1] == 'e' || text[end - 1] == 'E') &&
                                          text.substr(at, end - at).find('.') != std::string_view::npos)))
                ++end;
            tokens.push_back({Token::Kind::Number, text.substr(at, end - at), line});
            at = end;
        } else if (startsWord(c)) {
            // Directives may stand glued together: ".reg.b32 %r1;".
            const bool directive = c == '.';
            std::size_t end = at + 1;
            while (end < text.size()) {
                if (directive && text[end] == '.')
                    break;
                if (continuesWord(text[end]))
                    ++end;
                else if (text.substr(end, 2) == "::" && end + 2 < text.size() && continuesWord(text[end + 2]))
                    end += 2;
                else
                    break;
            }
            tokens.push_back({Token::Kind::Word, text.substr(at, end - at), line});
            at = end;
        } else if (std::string_view("(){}[]<>,;:=+-*!@|~&").find(c) != std::string_view::npos) {
            tokens.push_back({Token::Kind::Punctuation, text.substr(at, 1), line});
            ++at;
        } else {
            return error(fmt::format("the character 0x{:02x} is not PTX", static_cast<unsigned char>(c)));
        }
    }
    tokens.push_back({Token::Kind::End, {}, line});
    return tokens;
}

} // namespace sparserl::ptx

// SPDX-License-Identifier: Apache-2.0
#include "kernel/token_ranges.h"

namespace sparserl {

namespace {

int step(const Token& token)
{
    if (token.kind != Token::Kind::Punctuator)
        return 0;
    if (token.is("(") || token.is("[") || token.is("{"))
        return 1;
    return token.is(")") || token.is("]") || token.is("}") ? -1 : 0;
}

} // namespace

std::size_t matchingClose(TokenRange tokens, std::size_t open)
{
    int depth = 0;
    for (std::size_t i = open; i < tokens.size(); ++i) {
        depth += step(tokens[i]);
        if (depth == 0)
            return i;
    }
    return tokens.size();
}

std::vector<TokenRange> splitTopLevel(TokenRange tokens, std::string_view separator)
{
    std::vector<TokenRange> pieces;
    std::size_t start = 0;
    int depth = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        depth += step(tokens[i]);
        if (depth == 0 && tokens[i].kind == Token::Kind::Punctuator && tokens[i].is(separator)) {
            pieces.push_back(tokens.subspan(start, i - start));
            start = i + 1;
        }
    }
    pieces.push_back(tokens.subspan(start));
    return pieces;
}

} // namespace sparserl

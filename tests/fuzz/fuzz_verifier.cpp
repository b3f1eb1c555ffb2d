// SPDX-License-Identifier: Apache-2.0
// What watches a program while it is being written: the lexer and the incremental verifier, with the text
// whole and in pieces.
#include "fuzz.h"
#include "kernel/plan.h"
#include "kernel/verifier.h"
#include "pieces.h"
#include "source/lexer.h"

#include <algorithm>
#include <vector>

namespace {

using namespace sparserl;
using fuzz::checkReason;

bool isBlank(std::string_view text)
{
    return text.find_first_not_of(" \t\v\f\r\n\\") == std::string_view::npos;
}

/// Tokens lie in order, leave only blanks and splices between them, and know where they stand.
void checkTokens(std::string_view text, const std::vector<Token>& tokens)
{
    std::size_t end = 0;
    std::size_t counted = 0;
    int line = 1;
    for (const Token& token : tokens) {
        FUZZ_CHECK(!token.text.empty() && token.offset >= end);
        FUZZ_CHECK(token.text.data() == text.data() + token.offset);
        FUZZ_CHECK(isBlank(text.substr(end, token.offset - end)));
        end = token.offset + token.text.size();
        FUZZ_CHECK(end <= text.size());
        line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                                            text.begin() + static_cast<std::ptrdiff_t>(token.offset), '\n'));
        counted = token.offset;
        FUZZ_CHECK(token.line == line && token.column > 0);
        FUZZ_CHECK(token.spelling().size() <= token.text.size());
    }
    FUZZ_CHECK(isBlank(text.substr(end)));
}

/// A text that grows gives the tokens of the whole.
void checkGrowth(std::string_view text, const std::vector<Token>& whole)
{
    Lexer lexer;
    std::size_t count = 0;
    const auto take = [&](std::string_view source, bool last) {
        while (const auto token = lexer.next(source, last)) {
            FUZZ_CHECK(count < whole.size());
            const Token& expected = whole[count++];
            FUZZ_CHECK(token->kind == expected.kind && token->offset == expected.offset &&
                       token->text == expected.text && token->line == expected.line &&
                       token->column == expected.column && token->closed == expected.closed);
        }
    };
    std::size_t length = 0;
    for (fuzz::Pieces pieces(text); !pieces.atEnd();) {
        length += pieces.next().size();
        take(text.substr(0, length), false);
    }
    take(text, true);
    FUZZ_CHECK(count == whole.size());
}

void checkStop(const Stop& stop, int lines)
{
    checkReason(stop.reason);
    FUZZ_CHECK(stop.line > 0 && stop.line <= lines);
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text = fuzz::textOf(data, size);
    const auto tokens = cudaTokens(text);
    checkTokens(text, tokens);
    constexpr std::size_t enough = 4096; // a long comment is looked at once a piece
    if (size <= enough)
        checkGrowth(text, tokens);

    const int lines = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
    IncrementalVerifier whole;
    auto stop = whole.feed(text);
    if (!stop)
        stop = whole.finish();
    IncrementalVerifier growing;
    std::optional<Stop> grown;
    for (fuzz::Pieces pieces(text); !pieces.atEnd() && !grown;)
        grown = growing.feed(pieces.next());
    if (grown) {
        const auto again = growing.feed("x");
        FUZZ_CHECK(again && again->reason == grown->reason && again->line == grown->line);
    } else {
        grown = growing.finish();
        FUZZ_CHECK(growing.text() == text);
    }
    FUZZ_CHECK(stop.has_value() == grown.has_value());
    if (stop) {
        checkStop(*stop, lines);
        checkStop(*grown, lines);
    }
    if (const auto program = parseProgram(std::string(text)); !program)
        FUZZ_CHECK(stop.has_value());
    else
        FUZZ_CHECK(!stop || !stop->plan);
    return 0;
}

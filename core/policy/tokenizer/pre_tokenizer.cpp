// SPDX-License-Identifier: Apache-2.0
#include "policy/tokenizer/tokenizer.h"

#include "policy/tokenizer/unicode_classes.h"

#include <array>

namespace sparserl {

namespace {

enum class CharClass
{
    Letter,
    Number,
    Space,
    Other
};

struct Character
{
    CharClass kind;
    std::size_t size; ///< bytes
};

/// The character at `at`. A byte that does not start valid UTF-8 is a character of its own, of class Other.
Character characterAt(std::string_view text, std::size_t at)
{
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned lead = byte(at);
    if (lead < 0x80) {
        if ((lead >= 'a' && lead <= 'z') || (lead >= 'A' && lead <= 'Z'))
            return {CharClass::Letter, 1};
        if (lead >= '0' && lead <= '9')
            return {CharClass::Number, 1};
        if (lead == ' ' || (lead >= 9 && lead <= 13))
            return {CharClass::Space, 1};
        return {CharClass::Other, 1};
    }
    const std::size_t size = lead >= 0xF0 && lead < 0xF5   ? 4
                             : lead >= 0xE0 && lead < 0xF0 ? 3
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                                                           : 0;
    if (size == 0 || at + size > text.size())
        return {CharClass::Other, 1};
    std::uint32_t code = lead & (0xFFu >> (size + 1));
    for (std::size_t i = 1; i < size; ++i) {
        if ((byte(at + i) & 0xC0) != 0x80)
            return {CharClass::Other, 1};
        code = code << 6 | (byte(at + i) & 0x3F);
    }
    if (isUnicodeLetter(code))
        return {CharClass::Letter, size};
    if (isUnicodeNumber(code))
        return {CharClass::Number, size};
    return {isUnicodeSpace(code) ? CharClass::Space : CharClass::Other, size};
}

std::size_t endOfRun(std::string_view text, std::size_t at, CharClass kind)
{
    while (at < text.size()) {
        const Character c = characterAt(text, at);
        if (c.kind != kind)
            break;
        at += c.size;
    }
    return at;
}

/// Length of 's 't 're 've 'm 'll 'd at `at`, or 0.
std::size_t contraction(std::string_view text, std::size_t at)
{
    static constexpr std::array<std::string_view, 7> forms{"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"};
    for (const std::string_view form : forms) {
        if (text.substr(at, form.size()) == form)
            return form.size();
    }
    return 0;
}

/// End of the piece of GPT-2's rule that starts at `at`:
/// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
std::size_t gpt2Piece(std::string_view text, std::size_t at)
{
    if (const std::size_t size = contraction(text, at))
        return at + size;
    const Character first = characterAt(text, at);
    if (first.kind != CharClass::Space)
        return endOfRun(text, at, first.kind);
    if (text[at] == ' ' && at + 1 < text.size()) {
        const Character next = characterAt(text, at + 1);
        if (next.kind != CharClass::Space)
            return endOfRun(text, at + 1, next.kind);
    }
    // White space keeps its last character for the word behind it, unless it is all there is.
    std::size_t end = at, last = at;
    while (end < text.size()) {
        const Character c = characterAt(text, end);
        if (c.kind != CharClass::Space)
            break;
        last = end;
        end += c.size;
    }
    return end == text.size() || last == at ? end : last;
}

/// End of the piece of the code rule: [0-9]+|[\r\n]+[^0-9\r\n]*|[^0-9\r\n]+
std::size_t codePiece(std::string_view text, std::size_t at)
{
    const auto isDigit = [&](std::size_t i) { return text[i] >= '0' && text[i] <= '9'; };
    const auto isNewline = [&](std::size_t i) { return text[i] == '\n' || text[i] == '\r'; };
    if (isDigit(at)) {
        while (at < text.size() && isDigit(at))
            ++at;
        return at;
    }
    while (at < text.size() && isNewline(at))
        ++at;
    while (at < text.size() && !isDigit(at) && !isNewline(at))
        ++at;
    return at;
}

} // namespace

std::vector<std::string_view> preTokenize(std::string_view text, PreTokenizer rule)
{
    std::vector<std::string_view> pieces;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = rule == PreTokenizer::Gpt2 ? gpt2Piece(text, at) : codePiece(text, at);
        pieces.push_back(text.substr(at, end - at));
        at = end;
    }
    return pieces;
}

} // namespace sparserl

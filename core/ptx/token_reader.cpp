// SPDX-License-Identifier: Apache-2.0
#include "ptx/token_reader.h"

#include <charconv>
#include <cstring>
#include <fmt/format.h>

namespace sparserl::ptx {

Status TokenReader::expect(std::string_view text)
{
    if (accept(text))
        return {};
    return error(fmt::format("'{}' expected before '{}'", text, peek().text));
}

Result<std::string_view> TokenReader::word(std::string_view what)
{
    if (peek().kind != Token::Kind::Word)
        return error(fmt::format("{} expected before '{}'", what, peek().text));
    return next().text;
}

Result<std::int64_t> TokenReader::integer(std::string_view what)
{
    if (peek().kind != Token::Kind::Number)
        return error(fmt::format("{} expected before '{}'", what, peek().text));
    SPARSERL_TRY(const Number value, number(false));
    if (value.floatBytes || value.bits > (std::uint64_t(1) << 40))
        return error(fmt::format("{} is not a number that makes sense here", what));
    return static_cast<std::int64_t>(value.bits);
}

Result<Number> TokenReader::number(bool negative)
{
    std::string text(next().text);
    Number result;
    auto bad = [&] { return error(fmt::format("'{}' is not a number", text)); };
    if (text.size() > 1 && text[0] == '0' &&
        (text[1] == 'f' || text[1] == 'F' || text[1] == 'd' || text[1] == 'D')) {
        const bool single = text[1] == 'f' || text[1] == 'F';
        result.floatBytes = single ? 4 : 8;
        const char* end = text.data() + text.size();
        const auto parsed = std::from_chars(text.data() + 2, end, result.bits, 16);
        if (parsed.ec != std::errc{} || parsed.ptr != end || text.size() != (single ? 10u : 18u))
            return bad();
        if (negative)
            return bad(); // ptxas knows no sign here
        return result;
    }
    const bool hexadecimal = text.size() > 1 && (text[1] == 'x' || text[1] == 'X');
    if (!hexadecimal && text.find_first_of(".eE") != std::string::npos) {
        double value = 0;
        const char* end = text.data() + text.size();
        const auto parsed = std::from_chars(text.data(), end, value);
        if (parsed.ec != std::errc{} || parsed.ptr != end)
            return bad();
        result.floatBytes = 8;
        if (negative)
            value = -value;
        std::memcpy(&result.bits, &value, 8);
        return result;
    }
    if (text.back() == 'U' || text.back() == 'u')
        text.pop_back();
    int base = 10;
    std::size_t skip = 0;
    if (text.size() > 1 && text[0] == '0') {
        base = hexadecimal ? 16 : text[1] == 'b' || text[1] == 'B' ? 2 : 8;
        skip = base == 8 ? 1 : 2;
    }
    const char* end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data() + skip, end, result.bits, base);
    if (parsed.ec != std::errc{} || parsed.ptr != end)
        return bad();
    if (negative)
        result.bits = 0 - result.bits;
    return result;
}

} // namespace sparserl::ptx

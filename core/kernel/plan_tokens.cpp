// SPDX-License-Identifier: Apache-2.0
#include "kernel/plan_tokens.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace sparserl {

namespace {

bool isNameStart(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

std::string shown(char c)
{
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x7f ? fmt::format("'{}'", c) : fmt::format("byte 0x{:02x}", byte);
}

bool isComparison(std::string_view two)
{
    return two == "==" || two == "!=" || two == "<=" || two == ">=";
}

/// How many characters from the front belong to one number, right or wrong.
std::size_t lengthOfNumber(std::string_view text)
{
    std::size_t end = 0;
    while (end < text.size()) {
        const bool sign = text[end] == '+' || text[end] == '-';
        if (sign ? end == 0 || (text[end - 1] != 'e' && text[end - 1] != 'E')
                 : !isDigit(text[end]) && !isNameStart(text[end]) && text[end] != '.')
            break;
        ++end;
    }
    return end;
}

/// How many digits from the front are a word of a name with dots: those before another dot.
std::size_t lengthOfWord(std::string_view text)
{
    const std::size_t end = text.find_first_not_of("0123456789");
    return end != std::string_view::npos && text[end] == '.' ? end : 0;
}

/// Whether a number is meant to be real: it has a point, or an exponent right behind its digits.
bool looksReal(std::string_view number)
{
    const std::size_t end = number.find_first_not_of("0123456789");
    return end != std::string_view::npos && (number[end] == '.' || number[end] == 'e' || number[end] == 'E');
}

std::optional<std::string> readInteger(std::string_view digits, std::int64_t& value)
{
    const char* const end = digits.data() + digits.size();
    const auto [stop, code] = std::from_chars(digits.data(), end, value);
    if (code == std::errc::result_out_of_range)
        return fmt::format("{} does not fit into 64 bits", digits.substr(0, 40));
    if (stop != end)
        return fmt::format("'{}' is not a decimal integer", digits.substr(0, 40));
    if (digits.size() > 1 && digits[0] == '0')
        return fmt::format("'{}': integers have no leading zero", digits.substr(0, 40));
    return std::nullopt;
}

std::optional<std::string> readReal(std::string_view number, float& value)
{
    const std::string_view shown = number.substr(0, 40);
    const bool typed = number.back() == 'f';
    const std::string_view digits = typed ? number.substr(0, number.size() - 1) : number;
    const char* const end = digits.data() + digits.size();
    const auto [stop, code] = std::from_chars(digits.data(), end, value);
    if (stop != end || code == std::errc::invalid_argument)
        return fmt::format("'{}' is not a real number such as 0.5f or 1e-5f", shown);
    const bool zero =
        digits.substr(0, digits.find_first_of("eE")).find_first_of("123456789") == std::string_view::npos;
    if (code == std::errc::result_out_of_range || !std::isfinite(value) || (value == 0 && !zero))
        return fmt::format("{} does not fit into a float32", shown);
    if (!typed)
        return fmt::format("'{}' has no type; a float32 ends in f, such as 0.5f", shown);
    return std::nullopt;
}

} // namespace

tl::expected<std::vector<PlanToken>, std::string> planTokens(std::string_view line)
{
    std::vector<PlanToken> tokens;
    // The words of a name with dots may be numbers, as in "layers.0.weight".
    bool inName = false, behindDot = false;
    std::size_t i = 0;
    while (i < line.size()) {
        const char c = line[i];
        if (c == ' ' || c == '\t') {
            ++i;
            continue;
        }
        std::size_t end = i + 1;
        PlanToken token;
        if (isNameStart(c)) {
            while (end < line.size() && (isNameStart(line[end]) || isDigit(line[end])))
                ++end;
            token.kind = PlanToken::Kind::Name;
        } else if (const std::size_t digits = behindDot ? lengthOfWord(line.substr(i)) : 0; digits > 0) {
            end = i + digits;
            token.kind = PlanToken::Kind::Integer;
            if (auto reason = readInteger(line.substr(i, digits), token.value))
                return tl::unexpected(std::move(*reason));
        } else if (isDigit(c) || (c == '.' && end < line.size() && isDigit(line[end]) && !inName)) {
            const std::string_view number = line.substr(i, lengthOfNumber(line.substr(i)));
            end = i + number.size();
            token.kind = looksReal(number) ? PlanToken::Kind::Real : PlanToken::Kind::Integer;
            if (auto reason =
                    looksReal(number) ? readReal(number, token.real) : readInteger(number, token.value))
                return tl::unexpected(std::move(*reason));
        } else if (line.substr(i, 3) == "<<<" || line.substr(i, 3) == ">>>") {
            end = i + 3;
            token.kind = PlanToken::Kind::Punctuator;
        } else if (isComparison(line.substr(i, 2))) {
            end = i + 2;
            token.kind = PlanToken::Kind::Punctuator;
        } else if (line.substr(i, 2) == "//") {
            return tl::unexpected(
                std::string("a comment cannot follow a plan line; give it a line of its own"));
        } else if (std::string_view("+-*/%(),.[]=<>").find(c) != std::string_view::npos) {
            token.kind = PlanToken::Kind::Punctuator;
        } else {
            return tl::unexpected(fmt::format("{} has no meaning in a plan line", shown(c)));
        }
        token.text = line.substr(i, end - i);
        const bool dot = inName && token.text == ".";
        inName = token.kind == PlanToken::Kind::Name || (behindDot && token.kind == PlanToken::Kind::Integer);
        behindDot = dot;
        tokens.push_back(token);
        i = end;
    }
    tokens.push_back({PlanToken::Kind::End, line.substr(line.size()), 0, 0});
    return tokens;
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "kernel/plan_tokens.h"

#include <charconv>
#include <fmt/format.h>

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

} // namespace

tl::expected<std::vector<PlanToken>, std::string> planTokens(std::string_view line)
{
    std::vector<PlanToken> tokens;
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
        } else if (isDigit(c)) {
            while (end < line.size() && (isDigit(line[end]) || isNameStart(line[end])))
                ++end;
            const std::string_view digits = line.substr(i, end - i);
            token.kind = PlanToken::Kind::Integer;
            const auto [stop, code] =
                std::from_chars(digits.data(), digits.data() + digits.size(), token.value);
            if (code == std::errc::result_out_of_range)
                return tl::unexpected(fmt::format("{} does not fit into 64 bits", digits.substr(0, 40)));
            if (stop != digits.data() + digits.size())
                return tl::unexpected(fmt::format("'{}' is not a decimal integer", digits.substr(0, 40)));
            if (digits.size() > 1 && digits[0] == '0')
                return tl::unexpected(
                    fmt::format("'{}': integers have no leading zero", digits.substr(0, 40)));
        } else if (line.substr(i, 3) == "<<<" || line.substr(i, 3) == ">>>") {
            end = i + 3;
            token.kind = PlanToken::Kind::Punctuator;
        } else if (line.substr(i, 2) == "//") {
            return tl::unexpected(
                std::string("a comment cannot stand behind a plan line; give it a line of its own"));
        } else if (std::string_view("+-*/%(),.[]=").find(c) != std::string_view::npos) {
            token.kind = PlanToken::Kind::Punctuator;
        } else {
            return tl::unexpected(fmt::format("{} has no meaning in a plan line", shown(c)));
        }
        token.text = line.substr(i, end - i);
        tokens.push_back(token);
        i = end;
    }
    tokens.push_back({PlanToken::Kind::End, line.substr(line.size()), 0});
    return tokens;
}

} // namespace sparserl

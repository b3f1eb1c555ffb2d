// SPDX-License-Identifier: Apache-2.0
#include "compile/ptx/lexer.h"
#include "compile/ptx/module.h"

#include <array>
#include <fmt/format.h>
#include <openssl/evp.h>

namespace sparserl::ptx {

namespace {

std::string sha256(std::string_view data)
{
    std::array<unsigned char, 32> digest{};
    unsigned int length = 0;
    EVP_Digest(data.data(), data.size(), digest.data(), &length, EVP_sha256(), nullptr);
    std::string hex;
    for (unsigned char byte : digest)
        hex += fmt::format("{:02x}", byte);
    return hex;
}

} // namespace

std::string canonicalHash(std::string_view text)
{
    const auto tokens = tokenize(text);
    if (!tokens)
        return sha256(text);
    std::string kept;
    kept.reserve(text.size());
    const std::vector<Token>& all = *tokens;
    for (std::size_t i = 0; i + 1 < all.size();) {
        if (all[i].text == ".file" || all[i].text == ".loc") {
            // These end with their line; nothing else stands on it.
            const int line = all[i].line;
            while (i + 1 < all.size() && all[i].line == line)
                ++i;
            continue;
        }
        if (all[i].text == ".section") {
            while (i + 1 < all.size() && all[i].text != "{")
                ++i;
            int depth = 0;
            while (i + 1 < all.size()) {
                depth += all[i].text == "{" ? 1 : all[i].text == "}" ? -1 : 0;
                ++i;
                if (depth == 0)
                    break;
            }
            continue;
        }
        const bool string = all[i].kind == Token::Kind::String;
        kept += string ? fmt::format("\"{}\" ", all[i].text) : fmt::format("{} ", all[i].text);
        ++i;
    }
    return sha256(kept);
}

} // namespace sparserl::ptx

// SPDX-License-Identifier: Apache-2.0
#include "training/learning/token_classes.h"

#include <string>

namespace sparserl {

std::vector<TokenClass> classesOf(const Tokenizer& tokenizer, std::span<const std::int32_t> tokens)
{
    std::string text;
    std::vector<std::size_t> begin;
    for (const auto token : tokens) {
        begin.push_back(text.size());
        text += tokenizer.bytes(token);
    }
    std::vector<TokenClass> classes(tokens.size(), TokenClass::Code);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const std::size_t end = i + 1 < tokens.size() ? begin[i + 1] : text.size();
        if (begin[i] == end) // a special token
            continue;
        auto at = text.find_first_not_of('\n', begin[i]);
        if (at == std::string::npos || at >= end)
            at = end - 1; // newlines end the line before them
        const auto newline = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
        const auto line = newline == std::string::npos ? 0 : newline + 1;
        if (text.compare(line, 3, "//!") == 0)
            classes[i] = TokenClass::Plan;
    }
    return classes;
}

} // namespace sparserl

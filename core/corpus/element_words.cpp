// SPDX-License-Identifier: Apache-2.0
#include "corpus/element_words.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace sparserl {

namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 7> words{{{"float", "double"},
                                                                              {"float2", "double2"},
                                                                              {"float4", "double4"},
                                                                              {"make_float2", "make_double2"},
                                                                              {"make_float4", "make_double4"},
                                                                              {"fmaf", "fma"},
                                                                              {"f32", "f64"}}};

bool isWord(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
}

/// A word, or a number: "0.0f" is one.
std::string_view inDouble(std::string_view word)
{
    const auto found =
        std::find_if(words.begin(), words.end(), [&](const auto& pair) { return pair.first == word; });
    if (found != words.end())
        return found->second;
    const bool real = std::isdigit(static_cast<unsigned char>(word.front())) && word.ends_with('f') &&
                      word.find('.') != std::string_view::npos;
    return real ? word.substr(0, word.size() - 1) : word;
}

} // namespace

std::string inElementType(std::string_view text, ElementType type)
{
    if (type != ElementType::F64)
        return std::string(text);
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && isWord(text[end]))
            ++end;
        if (end == at)
            out += text[at++];
        else
            out += inDouble(text.substr(at, end - at));
        at = std::max(at, end);
    }
    return out;
}

} // namespace sparserl

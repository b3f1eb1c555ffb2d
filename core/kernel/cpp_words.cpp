// SPDX-License-Identifier: Apache-2.0
#include "kernel/cpp_words.h"

#include <algorithm>
#include <array>

namespace sparserl {

namespace {

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& sorted, std::string_view word)
{
    return std::binary_search(sorted.begin(), sorted.end(), word);
}

template <std::size_t N>
constexpr std::array<std::string_view, N> sortedWords(std::array<std::string_view, N> words)
{
    std::sort(words.begin(), words.end());
    return words;
}

constexpr auto keywords = sortedWords(std::to_array<std::string_view>(
    {"alignas",     "alignof",  "and",        "and_eq",    "asm",       "auto",         "bitand",
     "bitor",       "bool",     "break",      "case",      "catch",     "char",         "char16_t",
     "char32_t",    "char8_t",  "class",      "co_await",  "co_return", "co_yield",     "compl",
     "concept",     "const",    "const_cast", "consteval", "constexpr", "constinit",    "continue",
     "decltype",    "default",  "delete",     "do",        "double",    "dynamic_cast", "else",
     "enum",        "explicit", "export",     "extern",    "false",     "float",        "for",
     "friend",      "goto",     "if",         "inline",    "int",       "long",         "mutable",
     "namespace",   "new",      "noexcept",   "not",       "not_eq",    "nullptr",      "operator",
     "or",          "or_eq",    "private",    "protected", "public",    "register",     "reinterpret_cast",
     "requires",    "return",   "short",      "signed",    "sizeof",    "static",       "static_assert",
     "static_cast", "struct",   "switch",     "template",  "this",      "thread_local", "throw",
     "true",        "try",      "typedef",    "typeid",    "typename",  "union",        "unsigned",
     "using",       "virtual",  "void",       "volatile",  "wchar_t",   "while",        "xor",
     "xor_eq"}));

constexpr auto plainTypes = sortedWords(std::to_array<std::string_view>(
    {"auto", "bool", "char", "char16_t", "char32_t", "char8_t", "dim3", "double", "float", "int", "long",
     "ptrdiff_t", "short", "signed", "size_t", "unsigned", "void", "wchar_t"}));

constexpr auto vectorBases =
    sortedWords(std::to_array<std::string_view>({"char", "double", "float", "int", "long", "longlong",
                                                 "short", "uchar", "uint", "ulong", "ulonglong", "ushort"}));

constexpr auto specifiers = sortedWords(std::to_array<std::string_view>(
    {"__constant__", "__device__", "__forceinline__", "__restrict", "__restrict__", "__shared__", "const",
     "constexpr", "extern", "inline", "register", "static", "volatile"}));

} // namespace

bool isCppKeyword(std::string_view word)
{
    return contains(keywords, word);
}

bool isCudaVariable(std::string_view word)
{
    return word == "threadIdx" || word == "blockIdx" || word == "blockDim" || word == "gridDim" ||
           word == "warpSize";
}

bool isBuiltinType(std::string_view word)
{
    if (contains(plainTypes, word))
        return true;
    for (std::string_view suffix : {"_16a", "_32a"}) {
        if (word.size() > suffix.size() && word.substr(word.size() - suffix.size()) == suffix)
            word.remove_suffix(suffix.size());
    }
    return word.size() > 1 && word.back() >= '1' && word.back() <= '4' &&
           contains(vectorBases, word.substr(0, word.size() - 1));
}

bool isDeclarationSpecifier(std::string_view word)
{
    return contains(specifiers, word);
}

} // namespace sparserl

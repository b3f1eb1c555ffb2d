// SPDX-License-Identifier: Apache-2.0
#include "kernel/cpp_words.h"

#include <algorithm>
#include <array>
#include <cctype>

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

// Functions that the compiler declares by itself, where their names may stand without a call.
constexpr auto functions = sortedWords(std::to_array<std::string_view>(
    {"abs",       "acos",      "acosh",     "asin",       "asinh",     "assert",     "atan",      "atan2",
     "atanh",     "atomicAdd", "atomicAnd", "atomicCAS",  "atomicDec", "atomicExch", "atomicInc", "atomicMax",
     "atomicMin", "atomicOr",  "atomicSub", "atomicXor",  "cbrt",      "ceil",       "clock",     "clock64",
     "copysign",  "cos",       "cosh",      "cospi",      "erf",       "erfc",       "erfcinv",   "erfcx",
     "erfinv",    "exp",       "exp10",     "exp2",       "expm1",     "fabs",       "fdim",      "fdividef",
     "floor",     "fma",       "fmax",      "fmin",       "fmod",      "free",       "frexp",     "hypot",
     "ilogb",     "isfinite",  "isinf",     "isnan",      "j0",        "j1",         "jn",        "labs",
     "ldexp",     "lgamma",    "llabs",     "llmax",      "llmin",     "llrint",     "llround",   "log",
     "log10",     "log1p",     "log2",      "logb",       "lrint",     "lround",     "malloc",    "max",
     "memcpy",    "memset",    "min",       "modf",       "nan",       "nearbyint",  "nextafter", "norm",
     "norm3d",    "norm4d",    "normcdf",   "normcdfinv", "pow",       "powi",       "printf",    "rcbrt",
     "remainder", "remquo",    "rhypot",    "rint",       "rnorm",     "rnorm3d",    "rnorm4d",   "round",
     "rsqrt",     "saturate",  "scalbln",   "scalbn",     "signbit",   "sin",        "sincos",    "sincospi",
     "sinh",      "sinpi",     "sqrt",      "tan",        "tanh",      "tgamma",     "trap",      "trunc",
     "ullmax",    "ullmin",    "umax",      "umin",       "y0",        "y1",         "yn"}));

bool startsWith(std::string_view word, std::string_view prefix)
{
    return word.substr(0, prefix.size()) == prefix;
}

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

bool mayBePredefined(std::string_view word)
{
    if (startsWith(word, "__") || startsWith(word, "cuda") || startsWith(word, "nv") ||
        startsWith(word, "std") || startsWith(word, "tex") || startsWith(word, "surf") ||
        startsWith(word, "make_") || startsWith(word, "atomic"))
        return true;
    if (word.size() > 2 && word.substr(word.size() - 2) == "_t")
        return true;
    // One capital alone is how people name a matrix; two and more are how macros are named.
    const bool capitals = word.size() > 1 && std::all_of(word.begin(), word.end(), [](unsigned char c) {
                              return std::isupper(c) || std::isdigit(c) || c == '_';
                          });
    if (capitals || contains(functions, word))
        return true;
    if (word.size() > 1 && (word.back() == 'f' || word.back() == 'l'))
        return contains(functions, word.substr(0, word.size() - 1));
    return false;
}

} // namespace sparserl

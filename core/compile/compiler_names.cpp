// SPDX-License-Identifier: Apache-2.0
#include "compile/compiler_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string>

namespace sparserl {

namespace {

using Kind = SourceToken::Kind;

/// Written in capitals and reserved, but the same for every compiler, or only text.
constexpr std::array<std::string_view, 8> sameEverywhere{
    "__FILE__",     "__LINE__",      "__VA_ARGS__",         "__VA_OPT__",
    "__FUNCTION__", "__CUDA_ARCH__", "__PRETTY_FUNCTION__", "__cplusplus"};
constexpr std::array<std::string_view, 14> prefixes{"__has_", "__cpp_",   "__clang",   "__linux", "__unix",
                                                    "__gnu",  "__x86_64", "__amd64",   "__i386",  "__i486",
                                                    "__i586", "__i686",   "__aarch64", "__arm"};
constexpr std::array<std::string_view, 20> others{
    "_MSC_VER", "_WIN32",  "_WIN64",   "WIN32",          "linux",        "unix",    "i386",
    "_LP64",    "_OPENMP", "_OPENACC", "_GNU_SOURCE",    "__k8",         "__k8__",  "__code_model_small__",
    "__pic__",  "__pie__", "__ELF__",  "CUDART_VERSION", "CUDA_VERSION", "__seg_fs"};

template <typename List>
bool contains(const List& list, std::string_view name)
{
    return std::find(list.begin(), list.end(), name) != list.end();
}

/// What the architectures of CUDA's history define __CUDA_ARCH__ as; 0: a host compiler, which does not.
constexpr std::array<std::int64_t, 26> architectures{0,   200, 210, 300,  320,  350,  370,  500, 520,
                                                     530, 600, 610, 620,  700,  720,  750,  800, 860,
                                                     870, 890, 900, 1000, 1030, 1100, 1200, 1210};

/// A condition over __CUDA_ARCH__ and numbers, for every architecture at once.
class ArchitectureCondition
{
public:
    explicit ArchitectureCondition(std::span<const SourceToken> tokens)
    {
        for (const SourceToken& token : tokens)
            if (token.kind != Kind::LineEnd)
                m_tokens.push_back(token.text);
    }
    /// True where it was understood and the host sees what some architecture sees.
    bool harmless()
    {
        const Values values = either(0);
        return m_good && m_at == m_tokens.size() &&
               std::any_of(values.begin() + 1, values.end(),
                           [&](std::int64_t v) { return !v == !values[0]; });
    }

private:
    using Values = std::array<std::int64_t, architectures.size()>;

    bool accept(std::string_view text)
    {
        // `&&` and its like are two tokens of one character each.
        for (std::size_t i = 0; i < text.size(); ++i) {
            const bool same = m_at + i < m_tokens.size() &&
                              (m_tokens[m_at + i] == text || m_tokens[m_at + i] == text.substr(i, 1));
            if (!same)
                return false;
            if (m_tokens[m_at + i] == text) {
                m_at += i + 1;
                return true;
            }
        }
        m_at += text.size();
        return true;
    }
    template <typename Function>
    static Values apply(const Values& a, const Values& b, Function function)
    {
        Values result{};
        for (std::size_t i = 0; i < a.size(); ++i)
            result[i] = function(a[i], b[i]);
        return result;
    }
    Values either(int depth)
    {
        Values value = both(depth);
        while (accept("||"))
            value = apply(value, both(depth), [](auto a, auto b) { return a || b; });
        return value;
    }
    Values both(int depth)
    {
        Values value = compared(depth);
        while (accept("&&"))
            value = apply(value, compared(depth), [](auto a, auto b) { return a && b; });
        return value;
    }
    Values compared(int depth)
    {
        Values value = single(depth);
        if (accept("=="))
            return apply(value, single(depth), [](auto a, auto b) { return a == b; });
        if (accept("!="))
            return apply(value, single(depth), [](auto a, auto b) { return a != b; });
        if (accept("<="))
            return apply(value, single(depth), [](auto a, auto b) { return a <= b; });
        if (accept(">="))
            return apply(value, single(depth), [](auto a, auto b) { return a >= b; });
        if (accept("<"))
            return apply(value, single(depth), [](auto a, auto b) { return a < b; });
        if (accept(">"))
            return apply(value, single(depth), [](auto a, auto b) { return a > b; });
        return value;
    }
    Values single(int depth)
    {
        Values value{};
        if (depth > 32 || m_at >= m_tokens.size()) {
            m_good = false;
            return value;
        }
        if (accept("!")) {
            value = single(depth + 1);
            for (auto& v : value)
                v = !v;
        } else if (accept("(")) {
            value = either(depth + 1);
            m_good = accept(")") && m_good;
        } else if (accept("defined")) {
            const bool open = accept("(");
            m_good = accept("__CUDA_ARCH__") && m_good;
            m_good = (!open || accept(")")) && m_good;
            for (std::size_t i = 0; i < value.size(); ++i)
                value[i] = architectures[i] != 0;
        } else if (accept("__CUDA_ARCH__")) {
            value = architectures;
        } else {
            const std::string& text = m_tokens[m_at++];
            std::int64_t number = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
            const bool plain = text == "0" || text.front() != '0';
            m_good = m_good && error == std::errc{} && end == text.data() + text.size() && plain;
            value.fill(number);
        }
        return value;
    }

    std::vector<std::string> m_tokens;
    std::size_t m_at = 0;
    bool m_good = true;
};

} // namespace

bool tellsCompilersApart(std::string_view name)
{
    if (contains(sameEverywhere, name))
        return false;
    if (contains(others, name) || std::any_of(prefixes.begin(), prefixes.end(), [&](std::string_view prefix) {
            return name.starts_with(prefix);
        }))
        return true;
    // Macros are in capitals: __GNUC__, __CUDACC_RTC__, __NVCC__, __SIZEOF_LONG__, __COUNTER__, ...
    return name.size() > 4 && name.starts_with("__") && std::none_of(name.begin(), name.end(), [](char c) {
               return std::islower(static_cast<unsigned char>(c));
           });
}

bool isReservedName(std::string_view name)
{
    return name.starts_with("__") ||
           (name.size() > 1 && name[0] == '_' && std::isupper(static_cast<unsigned char>(name[1])));
}

bool startsOtherName(std::string_view start)
{
    return std::any_of(others.begin(), others.end(),
                       [&](std::string_view name) { return name.starts_with(start); });
}

std::optional<Refusal> refuseCondition(const SourceToken& directive, std::span<const SourceToken> tokens)
{
    bool architecture = false;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const SourceToken& token = tokens[i];
        if (token.kind != Kind::Name || !(isReservedName(token.text) || tellsCompilersApart(token.text)))
            continue;
        if (token.text == "__CUDA_ARCH__") {
            architecture = true;
            continue;
        }
        const bool asked = directive.text == "ifdef" || directive.text == "ifndef" ||
                           (i > 0 && tokens[i - 1].text == "defined") ||
                           (i > 1 && tokens[i - 1].text == "(" && tokens[i - 2].text == "defined");
        if (token.text == "__cplusplus" && asked)
            continue;
        return Refusal{token.line, "#" + directive.text + " asks for " + token.text +
                                       ": a program must mean the same to every compiler"};
    }
    if (!architecture)
        return std::nullopt;
    const bool value = directive.text == "if" || directive.text == "elif";
    if (value && ArchitectureCondition(tokens).harmless())
        return std::nullopt;
    return Refusal{
        directive.line,
        "#" + directive.text +
            " tells a host compiler from a GPU's by __CUDA_ARCH__: a program is device code only (compare "
            "__CUDA_ARCH__ with a number, or keep only the device's branch)"};
}

} // namespace sparserl

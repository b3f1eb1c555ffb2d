// SPDX-License-Identifier: Apache-2.0
#include "compile/source_check.h"

#include "compile/compiler_names.h"
#include "compile/headers/headers.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>

namespace sparserl {

namespace {

using Kind = SourceToken::Kind;
using Tokens = std::span<const SourceToken>;

constexpr std::array<std::string_view, 3> dateNames{"__DATE__", "__TIME__", "__TIMESTAMP__"};
constexpr std::array<std::string_view, 3> asmNames{"asm", "__asm", "__asm__"};
/// Pragmas that say something to device compilers only, or nothing.
constexpr std::array<std::string_view, 11> pragmas{"unroll",        "nounroll",     "once", "fp_contract",
                                                   "diag_suppress", "diag_default", "STDC", "message",
                                                   "region",        "endregion",    "mark"};

template <typename List>
bool contains(const List& list, std::string_view name)
{
    return std::find(list.begin(), list.end(), name) != list.end();
}
bool isAsm(std::string_view name)
{
    return contains(asmNames, name);
}
bool isPaste(const SourceToken& token)
{
    return token.kind == Kind::Punctuation && (token.text == "##" || token.text == "%:%:");
}

class Checker
{
public:
    Checker(std::string_view code, Tokens tokens)
        : m_code(code)
        , m_tokens(tokens)
    {
    }
    std::optional<Refusal> check();
    std::vector<std::string> includes;

private:
    bool refuse(const SourceToken& token, std::string reason)
    {
        m_refusal = Refusal{token.line, std::move(reason)};
        return false;
    }
    bool directive(const SourceToken& hash, Tokens line);
    bool include(const SourceToken& hash, const SourceToken& name);
    bool define(Tokens line);
    bool pragma(const SourceToken& token, std::string_view word);
    bool paste(Tokens body, const std::set<std::string_view>& parameters);
    bool name(std::size_t at);
    bool assembly();
    void followMacros();
    Tokens lineOf(std::size_t hash) const
    {
        std::size_t end = hash + 1;
        while (end < m_tokens.size() && m_tokens[end].kind != Kind::LineEnd)
            ++end;
        return m_tokens.subspan(hash + 1, end - hash - 1);
    }

    std::string_view m_code;
    Tokens m_tokens;
    std::set<std::string_view> m_reservedMacros; ///< Macros that contain reserved names, also through others.
    std::set<std::string_view> m_asmMacros;      ///< Macros that contain `asm`, also through others.
    bool m_loose = false; ///< A macro opens a brace that it does not close, or the reverse.
    std::optional<Refusal> m_refusal;
};

/// Only one spelling of an include passes, so that no reader can differ about it: on one line of its own,
/// with nothing but blanks and comments around.
bool Checker::include(const SourceToken& hash, const SourceToken& name)
{
    const auto bad = [&] {
        return refuse(hash,
                      "#" + name.text +
                          " is not allowed: a program sees no files. It may include, written plainly on "
                          "a line of its own, " +
                          includableNames());
    };
    if (name.text != "include")
        return bad();
    const std::size_t begin = m_code.rfind('\n', hash.begin) + 1; // npos + 1 is 0
    std::string_view line = m_code.substr(begin, std::min(m_code.find('\n', begin), m_code.size()) - begin);
    const auto blanks = [&] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
    const auto word = [&](std::string_view text) {
        blanks();
        const bool there = line.starts_with(text);
        line.remove_prefix(there ? text.size() : 0);
        return there;
    };
    if (!word("#") || !word("include"))
        return bad();
    blanks();
    const char open = line.empty() ? '\0' : line.front();
    const std::size_t close = line.find(open == '<' ? '>' : '"', 1);
    if ((open != '<' && open != '"') || close == std::string_view::npos)
        return bad();
    const std::string_view header = line.substr(1, close - 1);
    line.remove_prefix(close + 1);
    blanks();
    while (line.starts_with("/*") && line.find("*/", 2) != std::string_view::npos) {
        line.remove_prefix(line.find("*/", 2) + 2);
        blanks();
    }
    const bool ends = line.empty() || line == "\r" || (line.starts_with("//") && !line.ends_with('\\'));
    if (!ends || !isIncludable(header))
        return bad();
    includes.emplace_back(header);
    return true;
}

bool Checker::pragma(const SourceToken& token, std::string_view word)
{
    if (word.empty() || contains(pragmas, word) || word.starts_with("nv_"))
        return true;
    return refuse(token,
                  "#pragma " + std::string(word) + " is not allowed: it is not for the device's compiler");
}

/// `##` may spell only what cannot be a name that is denied: one end of what is pasted must stand there in
/// letters, and no denied name may start or end so. They all start with `_`, or are in lower case without an
/// underscore.
bool Checker::paste(Tokens body, const std::set<std::string_view>& parameters)
{
    for (std::size_t i = 0; i < body.size(); ++i) {
        if (!isPaste(body[i]))
            continue;
        std::size_t first = i, last = i;
        while (first >= 2 && isPaste(body[first - 2]))
            first -= 2;
        while (last + 2 < body.size() && isPaste(body[last + 2]))
            last += 2;
        const bool inside = first >= 1 && last + 1 < body.size();
        const auto letters = [&](const SourceToken& token) {
            return token.kind == Kind::Name && !parameters.contains(token.text) &&
                   token.text != "__VA_ARGS__";
        };
        const std::string_view head = inside ? body[first - 1].text : std::string_view();
        const bool safe =
            inside && letters(body[first - 1]) && head.front() != '_' &&
            (std::count(head.begin(), head.end(), '_') > 0 || head.size() > 5) && !startsOtherName(head) &&
            std::none_of(asmNames.begin(), asmNames.end(), [&](auto n) { return n.starts_with(head); });
        if (!safe)
            return refuse(body[i],
                          "token pasting (##) can spell any name: write the names out, or let what is pasted "
                          "start with letters and an underscore (spmv_##T)");
        i = last;
    }
    return true;
}

bool Checker::define(Tokens line)
{
    if (line.empty() || line[0].kind != Kind::Name)
        return true; // The compiler says what is wrong.
    std::set<std::string_view> parameters;
    std::size_t body = 1;
    const bool function =
        line.size() > 1 && line[1].text == "(" && line[1].begin == line[0].begin + line[0].text.size();
    if (function) {
        for (body = 2; body < line.size() && line[body].text != ")"; ++body)
            if (line[body].kind == Kind::Name)
                parameters.insert(line[body].text);
        body = std::min(body + 1, line.size());
    }
    const Tokens replacement = line.subspan(body);
    if (!paste(replacement, parameters))
        return false;
    int depth = 0;
    for (const SourceToken& token : replacement) {
        depth += token.text == "{" || token.text == "<%"   ? 1
                 : token.text == "}" || token.text == "%>" ? -1
                                                           : 0;
        m_loose = m_loose || depth < 0;
    }
    m_loose = m_loose || depth != 0;
    return true;
}

/// Finds what macros stand for, also through macros that are defined later.
void Checker::followMacros()
{
    std::multimap<std::string_view, std::string_view> users; ///< Macros by a name that stands in them.
    std::vector<std::string_view> open;
    for (std::size_t i = 0; i + 2 < m_tokens.size(); ++i) {
        if (m_tokens[i].kind != Kind::Hash || m_tokens[i + 1].text != "define")
            continue;
        const Tokens definition = lineOf(i).subspan(1);
        for (std::size_t k = 1; k < definition.size(); ++k)
            if (definition[k].kind == Kind::Name)
                users.emplace(definition[k].text, definition[0].text);
    }
    const auto spread = [&](std::set<std::string_view>& into, auto matches) {
        open.clear();
        for (const auto& [name, user] : users)
            if (matches(name) && into.insert(user).second)
                open.push_back(user);
        while (!open.empty()) {
            const auto [first, last] = users.equal_range(open.back());
            open.pop_back();
            for (auto at = first; at != last; ++at)
                if (into.insert(at->second).second)
                    open.push_back(at->second);
        }
    };
    spread(m_asmMacros, isAsm);
    spread(m_reservedMacros, isReservedName);
}

bool Checker::directive(const SourceToken& hash, Tokens line)
{
    if (line.empty())
        return true;
    const SourceToken& word = line[0];
    const Tokens rest = line.subspan(1);
    if (word.kind == Kind::Number)
        return refuse(hash, "a line marker (# NUMBER) would move line numbers: remove it");
    if (word.text == "line")
        return refuse(hash, "#line would move line numbers: remove it");
    if (word.text.starts_with("include") || word.text == "import" || word.text == "embed" ||
        word.text == "using")
        return include(hash, word);
    if (word.text == "if" || word.text == "elif" || word.text.starts_with("ifdef") ||
        word.text.starts_with("ifndef") || word.text.starts_with("elif")) {
        m_refusal = refuseCondition(word, rest);
        const bool value = word.text == "if" || word.text == "elif";
        for (const SourceToken& token : rest)
            if (!m_refusal && value && token.kind == Kind::Name && m_reservedMacros.contains(token.text))
                return refuse(
                    token,
                    "#" + word.text + " asks for " + token.text +
                        ", a macro with a reserved name: what a program says may not depend on the compiler "
                        "that reads it");
        return !m_refusal;
    }
    if (word.text == "define")
        return define(rest);
    if (word.text == "pragma")
        return pragma(hash, rest.empty() ? std::string_view() : std::string_view(rest[0].text));
    return true;
}

/// A name that stands anywhere, but for conditions, which are looked at as a whole.
bool Checker::name(std::size_t at)
{
    const SourceToken& token = m_tokens[at];
    if (contains(dateNames, token.text) || token.text.starts_with("__has_include") ||
        token.text.starts_with("__has_embed"))
        return refuse(token,
                      token.text + " is not allowed: what a program means may depend on its text only");
    if (token.text == "__CUDA_ARCH__")
        return refuse(token, "__CUDA_ARCH__ may only be compared with numbers in #if and #elif");
    if (token.text == "_Pragma") {
        const bool text =
            at + 2 < m_tokens.size() && m_tokens[at + 1].text == "(" && m_tokens[at + 2].kind == Kind::String;
        const std::string_view literal = text ? std::string_view(m_tokens[at + 2].text) : std::string_view();
        const std::size_t start = literal.find_first_not_of("\" ");
        const std::size_t end =
            start == std::string_view::npos ? start : literal.find_first_of("\" (", start);
        const std::string_view word =
            end == std::string_view::npos ? std::string_view() : literal.substr(start, end - start);
        if (!literal.starts_with('"') || word.empty())
            return refuse(token, "_Pragma takes a plain string here");
        return pragma(token, word);
    }
    if (!tellsCompilersApart(token.text))
        return true;
    return refuse(token, token.text + " is not allowed: a program must mean the same to every compiler");
}

/// Refuses `asm` outside functions: NVRTC drops it, other compilers do not.
bool Checker::assembly()
{
    const bool any = std::any_of(m_tokens.begin(), m_tokens.end(), [&](const SourceToken& token) {
        return token.kind == Kind::Name && isAsm(token.text);
    });
    if (!any)
        return true;
    std::vector<bool> open;              ///< By brace: of a name space or `extern "C"`.
    std::vector<std::size_t> conditions; ///< Open braces at each open #if.
    constexpr std::size_t anyDepth = ~std::size_t(0);
    for (std::size_t i = 0; i < m_tokens.size(); ++i) {
        const SourceToken& token = m_tokens[i];
        if (token.kind == Kind::Hash && i + 1 < m_tokens.size()) {
            const std::string_view word = m_tokens[i + 1].text;
            const bool starts = word.starts_with("if"), ends = word == "endif",
                       turns = word.starts_with("el");
            const Tokens line = lineOf(i);
            const bool always = std::any_of(line.begin(), line.end(),
                                            [](const SourceToken& t) { return t.text == "__cplusplus"; });
            if (starts)
                conditions.push_back(always ? anyDepth : open.size());
            const bool matches = conditions.empty() || conditions.back() == open.size() ||
                                 (conditions.back() == anyDepth && ends);
            if ((ends || turns) && !matches)
                return refuse(
                    token,
                    "braces do not match between #if and #endif in a program with asm: it cannot be told "
                    "which asm stands in a function");
            if (ends && !conditions.empty())
                conditions.pop_back();
        }
        if (token.directive)
            continue;
        if (token.text == "{" ||
            (token.text == "<" && i + 1 < m_tokens.size() && m_tokens[i + 1].text == "%")) {
            // namespace a::b {, namespace {, inline namespace a {, extern "C" {
            std::size_t before = i;
            while (before > 0 &&
                   (m_tokens[before - 1].text == "::" || m_tokens[before - 1].text == "]" ||
                    m_tokens[before - 1].text == "[" ||
                    (m_tokens[before - 1].kind == Kind::Name && m_tokens[before - 1].text != "namespace")))
                --before;
            const bool space =
                (before > 0 && m_tokens[before - 1].text == "namespace") ||
                (i > 1 && m_tokens[i - 1].kind == Kind::String && m_tokens[i - 2].text == "extern");
            open.push_back(space);
        } else if (token.text == "}" ||
                   (token.text == "%" && i + 1 < m_tokens.size() && m_tokens[i + 1].text == ">")) {
            if (!open.empty())
                open.pop_back();
        } else if (token.kind == Kind::Name && (isAsm(token.text) || m_asmMacros.contains(token.text))) {
            if (m_loose)
                return refuse(
                    token,
                    "a macro with a single brace and asm do not go together: it cannot be told which asm "
                    "stands in a function");
            if (std::all_of(open.begin(), open.end(), [](bool space) { return space; }))
                return refuse(token,
                              "asm outside a function is not allowed: the device's compiler ignores it");
        }
    }
    return true;
}

std::optional<Refusal> Checker::check()
{
    followMacros();
    for (std::size_t i = 0; i < m_tokens.size(); ++i) {
        const SourceToken& token = m_tokens[i];
        if (token.kind == Kind::Hash) {
            const Tokens line = lineOf(i);
            const std::size_t end = i + 1 + line.size();
            if (!directive(token, line))
                return m_refusal;
            const bool condition =
                !line.empty() && (line[0].text.starts_with("if") || line[0].text.starts_with("elif"));
            const bool header = !line.empty() && line[0].text == "include";
            for (std::size_t k = i + 2; k < end && !header; ++k) {
                const bool architecture = condition && m_tokens[k].text == "__CUDA_ARCH__";
                if (m_tokens[k].kind == Kind::Name && !architecture && !name(k))
                    return m_refusal;
            }
            i = end;
        } else if (isPaste(token)) {
            refuse(token, "token pasting (##) can spell any name: write the names out");
            return m_refusal;
        } else if (token.kind == Kind::Name && !name(i)) {
            return m_refusal;
        } else if (token.kind == Kind::Name && (token.text == "import" || token.text == "module") &&
                   (i == 0 || m_tokens[i - 1].line < token.line) && i + 1 < m_tokens.size() &&
                   (m_tokens[i + 1].text == "<" || m_tokens[i + 1].kind == Kind::String ||
                    m_tokens[i + 1].text == ";")) {
            refuse(token, token.text + " is not allowed: a program sees no files");
            return m_refusal;
        }
    }
    if (!assembly())
        return m_refusal;
    return std::nullopt;
}

} // namespace

SourceReading readSource(std::string_view code)
{
    if (code.size() > maxSourceBytes)
        return {Refusal{0, "the program is " + std::to_string(code.size()) +
                               " bytes long; at most 65536 are allowed"},
                {}};
    const SourceTokens read = tokenizeSource(code);
    Checker checker(code, read.tokens);
    SourceReading result;
    result.refusal = checker.check();
    if (read.refusal && (!result.refusal || read.refusal->line < result.refusal->line))
        result.refusal = read.refusal;
    result.includes = std::move(checker.includes);
    return result;
}

std::optional<Refusal> checkSource(std::string_view code)
{
    return readSource(code).refusal;
}

} // namespace sparserl

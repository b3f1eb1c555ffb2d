// SPDX-License-Identifier: Apache-2.0
#include "reward/program_match.h"

#include "source/lexer.h"
#include "source/words.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace sparserl {

namespace {

/// How often each thing occurs, by its hash.
using Counts = std::map<std::uint64_t, int>;

double shareOf(const Counts& reference, const Counts& program)
{
    int all = 0, common = 0;
    for (const auto& [hash, count] : reference) {
        all += count;
        if (const auto found = program.find(hash); found != program.end())
            common += std::min(count, found->second);
    }
    return all > 0 ? static_cast<double>(common) / all : 0;
}

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value)
{
    hash ^= value + 0x9e3779b97f4a7c15ull + (hash << 12) + (hash >> 4);
    hash *= 0xff51afd7ed558ccdull;
    return hash ^ (hash >> 33);
}

/// Words that are not a program's own names: what they are counts.
bool isKeyword(std::string_view word)
{
    static constexpr std::array words{"__device__",   "__forceinline__",
                                      "__global__",   "__launch_bounds__",
                                      "__restrict__", "__shared__",
                                      "auto",         "bool",
                                      "break",        "case",
                                      "char",         "const",
                                      "constexpr",    "continue",
                                      "default",      "do",
                                      "double",       "else",
                                      "extern",       "false",
                                      "float",        "for",
                                      "goto",         "if",
                                      "inline",       "int",
                                      "long",         "namespace",
                                      "return",       "short",
                                      "signed",       "sizeof",
                                      "static",       "struct",
                                      "switch",       "template",
                                      "true",         "typedef",
                                      "typename",     "unsigned",
                                      "using",        "void",
                                      "volatile",     "while"};
    return std::binary_search(words.begin(), words.end(), word);
}

bool isCode(const Token& token)
{
    return token.kind != Token::Kind::Comment && token.kind != Token::Kind::Directive;
}

std::uint64_t leafOf(const Token& token)
{
    switch (token.kind) {
    case Token::Kind::Identifier:
        return isKeyword(token.text) ? wordHash(token.text) : wordHash("<name>");
    case Token::Kind::Number:
        return wordHash("<number>");
    case Token::Kind::String:
    case Token::Kind::Char:
        return wordHash("<text>");
    default:
        return wordHash(token.text);
    }
}

/// Hashes of all sub-trees of a program. Brackets that do not match are left out, so that any text has a
/// tree; no recursion, since any depth may come.
class SubTrees
{
public:
    explicit SubTrees(std::string_view program)
    {
        push(Kind::Block, {});
        for (const Token& token : cudaTokens(program)) {
            if (isCode(token))
                take(token);
        }
        while (!m_open.empty())
            pop();
    }
    const Counts& counts() const { return m_counts; }

private:
    enum class Kind : std::uint64_t
    {
        Block = 1, ///< Statements between braces, and the whole program.
        Group,     ///< Expressions between ( ) or [ ].
        Statement,
        Expression
    };
    struct Node
    {
        Kind kind;
        std::string_view close; ///< The bracket that ends it; empty where another rule does.
        std::uint64_t hash;
        bool empty = true;
    };

    void push(Kind kind, std::string_view close)
    {
        m_open.push_back({kind, close, mixed(0, static_cast<std::uint64_t>(kind)), true});
        if (!close.empty())
            ++m_closers[close];
    }
    void add(std::uint64_t child)
    {
        auto& node = m_open.back();
        node.hash = mixed(node.hash, child);
        node.empty = false;
    }
    void pop()
    {
        const Node node = m_open.back();
        m_open.pop_back();
        if (!node.close.empty())
            --m_closers[node.close];
        if (node.empty && node.close.empty())
            return;
        ++m_counts[node.hash];
        if (!m_open.empty())
            add(node.hash);
    }
    /// Tokens stand in statements and expressions, not in what holds those.
    void needItem()
    {
        const Kind kind = m_open.back().kind;
        if (kind == Kind::Block || kind == Kind::Group)
            push(kind == Kind::Block ? Kind::Statement : Kind::Expression, {});
    }
    void open(Kind kind, const Token& token, std::string_view close)
    {
        needItem();
        add(leafOf(token));
        push(kind, close);
    }
    void close(const Token& token)
    {
        if (m_closers[token.text] == 0)
            return;
        bool found = false;
        while (!found) {
            found = m_open.back().close == token.text;
            pop();
        }
        // A block ends the statement that it belongs to.
        if (token.is("}") && m_open.back().kind == Kind::Statement)
            pop();
    }
    void take(const Token& token)
    {
        const Kind kind = m_open.back().kind;
        if (token.is("{"))
            open(Kind::Block, token, "}");
        else if (token.is("(") || token.is("["))
            open(Kind::Group, token, token.is("(") ? ")" : "]");
        else if (token.is("}") || token.is(")") || token.is("]"))
            close(token);
        else if (token.is(";") || (token.is(",") && kind == Kind::Expression)) {
            if (kind == Kind::Statement || kind == Kind::Expression)
                pop();
        } else {
            needItem();
            add(leafOf(token));
        }
    }

    std::vector<Node> m_open;
    std::map<std::string_view, int> m_closers; ///< Open brackets by what ends them.
    Counts m_counts;
};

bool isAssignment(const Token& token)
{
    static constexpr std::array operators{"=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
    return token.kind == Token::Kind::Punctuator &&
           std::any_of(operators.begin(), operators.end(), [&](const char* op) { return token.is(op); });
}

/// Edges of the data flow of a program, statement by statement.
class DataFlow
{
public:
    explicit DataFlow(std::string_view program)
    {
        for (const Token& token : cudaTokens(program)) {
            if (!isCode(token))
                continue;
            if (token.is(";") || token.is("{") || token.is("}"))
                statement();
            else
                m_tokens.push_back(token);
        }
        statement();
    }
    const Counts& counts() const { return m_counts; }

private:
    bool isVariable(std::size_t i) const
    {
        if (m_tokens[i].kind != Token::Kind::Identifier || isKeyword(m_tokens[i].text))
            return false;
        const bool member = i > 0 && (m_tokens[i - 1].is(".") || m_tokens[i - 1].is("->"));
        const bool called = i + 1 < m_tokens.size() && m_tokens[i + 1].is("(");
        return !member && !called;
    }
    void addVariables(std::size_t begin, std::size_t end, std::vector<std::string_view>& into) const
    {
        for (std::size_t i = begin; i < end; ++i) {
            if (isVariable(i) && std::find(into.begin(), into.end(), m_tokens[i].text) == into.end())
                into.push_back(m_tokens[i].text);
        }
    }
    /// The variable that tokens before `at` name, with its index expression; tokens.size() where there is
    /// none.
    std::size_t targetBefore(std::size_t at) const
    {
        int depth = 0;
        for (std::size_t i = at; i-- > 0;) {
            if (m_tokens[i].is("]") || m_tokens[i].is(")"))
                ++depth;
            else if (m_tokens[i].is("[") || m_tokens[i].is("("))
                --depth;
            else if (depth == 0 && isVariable(i))
                return i;
            if (depth < 0)
                break;
        }
        return m_tokens.size();
    }
    std::size_t endOfValue(std::size_t from) const
    {
        int depth = 0;
        for (std::size_t i = from; i < m_tokens.size(); ++i) {
            if (m_tokens[i].is("(") || m_tokens[i].is("["))
                ++depth;
            else if (m_tokens[i].is(")") || m_tokens[i].is("]"))
                --depth;
            if (depth < 0 || (depth == 0 && m_tokens[i].is(",")))
                return i;
        }
        return m_tokens.size();
    }
    std::uint64_t numberOf(std::string_view name)
    {
        return m_numbers.try_emplace(std::string(name), m_numbers.size()).first->second;
    }
    void edge(std::string_view target, const std::vector<std::string_view>& sources, bool computed)
    {
        std::uint64_t hash = mixed(computed ? 2 : 1, numberOf(target));
        for (const auto source : sources)
            hash = mixed(hash, numberOf(source));
        ++m_counts[hash];
    }
    void statement()
    {
        for (std::size_t i = 0; i < m_tokens.size(); ++i) {
            if (m_tokens[i].is("++") || m_tokens[i].is("--")) {
                const bool after = i > 0 && (isVariable(i - 1) || m_tokens[i - 1].is("]"));
                const auto target = after ? targetBefore(i) : i + 1;
                if (target < m_tokens.size() && isVariable(target))
                    edge(m_tokens[target].text, {m_tokens[target].text}, true);
            } else if (isAssignment(m_tokens[i])) {
                const auto target = targetBefore(i);
                if (target == m_tokens.size())
                    continue;
                std::vector<std::string_view> sources;
                if (!m_tokens[i].is("=")) // x += 1 reads x
                    sources.push_back(m_tokens[target].text);
                addVariables(target + 1, i, sources);
                const auto end = endOfValue(i + 1);
                addVariables(i + 1, end, sources);
                edge(m_tokens[target].text, sources, end > i + 2);
            }
        }
        m_tokens.clear();
    }

    std::vector<Token> m_tokens; ///< Of the present statement.
    std::map<std::string, std::uint64_t> m_numbers;
    Counts m_counts;
};

} // namespace

double syntaxMatch(std::string_view program, std::string_view reference)
{
    return shareOf(SubTrees(reference).counts(), SubTrees(program).counts());
}

double dataflowMatch(std::string_view program, std::string_view reference)
{
    return shareOf(DataFlow(reference).counts(), DataFlow(program).counts());
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "project/queries/filter_language.h"

#include "base/format.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace sparserl {

std::string filterCase(std::string_view text)
{
    std::string out(text);
    for (char& c : out)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
}

bool filterFinds(const std::string& text, const std::string& part)
{
    return filterCase(text).find(part) != std::string::npos;
}

namespace {

constexpr std::pair<std::string_view, FilterComparison> comparisons[] = {
    {"=", FilterComparison::Equal},         {"==", FilterComparison::Equal},
    {"!=", FilterComparison::Unequal},      {"<", FilterComparison::Less},
    {"<=", FilterComparison::LessEqual},    {">", FilterComparison::Greater},
    {">=", FilterComparison::GreaterEqual}, {"~", FilterComparison::Contains}};

bool equals(const std::string& text, const std::string& lowered)
{
    const std::string mine = filterCase(text);
    return mine == lowered || (mine.size() > lowered.size() && mine.starts_with(lowered) &&
                               mine[lowered.size()] == '/' && !lowered.empty());
}

std::optional<double> numberOf(std::string_view text)
{
    double scale = 1;
    if (!text.empty()) {
        switch (text.back()) {
        case 'k':
        case 'K':
            scale = 1e3;
            break;
        case 'M':
            scale = 1e6;
            break;
        case 'G':
            scale = 1e9;
            break;
        case '%':
            scale = 1e-2;
            break;
        default:
            break;
        }
        if (scale != 1)
            text.remove_suffix(1);
    }
    double value = 0;
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || end != text.data() + text.size() || text.empty() || !std::isfinite(value))
        return {};
    return value * scale;
}

bool compare(double value, FilterComparison how, double with)
{
    switch (how) {
    case FilterComparison::Equal:
        return value == with;
    case FilterComparison::Unequal:
        return value != with;
    case FilterComparison::Less:
        return value < with;
    case FilterComparison::LessEqual:
        return value <= with;
    case FilterComparison::Greater:
        return value > with;
    case FilterComparison::GreaterEqual:
        return value >= with;
    case FilterComparison::Contains:
        break;
    }
    return false;
}

struct Token
{
    enum Kind
    {
        Word,
        Quoted,
        Operator,
        Open,
        Close,
        End
    } kind = End;
    std::string text;
    std::size_t at = 1; ///< Character, from 1.
};

tl::unexpected<Error> wrong(const Token& where, std::string what, std::string remedy = {})
{
    return fail(fmt::format("{} (character {})", what, where.at), std::move(remedy));
}

/// `joined`: a quote that follows a word without a blank belongs to it.
Result<std::vector<Token>> tokensOf(std::string_view text, bool joined)
{
    constexpr std::string_view special = "()=!<>~\"";
    std::vector<Token> tokens;
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
            ++i;
            continue;
        }
        Token token;
        token.at = i + 1;
        if (c == '(' || c == ')') {
            token.kind = c == '(' ? Token::Open : Token::Close;
            ++i;
        } else if (c == '"') {
            const auto end = text.find('"', i + 1);
            if (end == std::string_view::npos)
                return wrong(token, "a quote is not closed", "Put another \" after the text");
            token.kind = Token::Quoted;
            token.text = text.substr(i + 1, end - i - 1);
            i = end + 1;
        } else if (special.find(c) != std::string_view::npos) {
            token.kind = Token::Operator;
            while (i < text.size() && std::string_view("=!<>~").find(text[i]) != std::string_view::npos)
                token.text += text[i++];
        } else {
            token.kind = Token::Word;
            while (i < text.size() && special.find(text[i]) == std::string_view::npos && text[i] != ' ' &&
                   text[i] != '\t' && text[i] != '\n' && text[i] != '\r')
                token.text += text[i++];
            const auto end = text.find('"', std::min(i + 1, text.size()));
            if (joined && i < text.size() && text[i] == '"' && end != std::string_view::npos) {
                token.text += text.substr(i + 1, end - i - 1);
                i = end + 1;
            }
        }
        tokens.push_back(std::move(token));
    }
    Token end;
    end.at = text.size() + 1;
    tokens.push_back(end);
    return tokens;
}

} // namespace

struct FilterTree::Node
{
    enum Kind
    {
        And,
        Or,
        Not,
        Field,
        Anywhere
    } kind = And;
    std::vector<std::shared_ptr<const Node>> children;
    FilterComparison how = FilterComparison::Equal;
    FilterField field;
    std::optional<double> number;
    std::string text; ///< In lower case.

    bool matches(const FilterSubject& subject) const
    {
        const auto child = [&](const auto& node) { return node->matches(subject); };
        switch (kind) {
        case And:
            return std::all_of(children.begin(), children.end(), child);
        case Or:
            return std::any_of(children.begin(), children.end(), child);
        case Not:
            return !child(children.front());
        case Field:
            return compared(subject);
        case Anywhere:
            return subject.mentions(text);
        }
        return false;
    }

    bool compared(const FilterSubject& subject) const
    {
        if (field.kind != FilterField::Kind::Text && number) {
            const auto value = subject.number(field.id);
            // What has no number passes no comparison.
            if (value || field.kind == FilterField::Kind::Number)
                return value && compare(*value, how, *number);
        }
        const auto any = [&](const std::function<bool(const std::string&)>& wanted) {
            return subject.anyText(field.id, wanted);
        };
        const bool same = any([this](const std::string& own) {
            return how == FilterComparison::Contains ? filterFinds(own, text) : equals(own, text);
        });
        if (how == FilterComparison::Unequal)
            return !same && (field.kind == FilterField::Kind::Text || any([](const auto&) { return true; }));
        return same && (how == FilterComparison::Equal || how == FilterComparison::Contains);
    }

    bool compares(std::size_t id, std::string_view with) const
    {
        return (kind == Field && field.id == id && text == with) ||
               std::any_of(children.begin(), children.end(),
                           [&](const auto& node) { return node->compares(id, with); });
    }
};

namespace {

using Node = FilterTree::Node;
using Tree = std::shared_ptr<const Node>;

class Parser
{
public:
    Parser(std::vector<Token> tokens, const FilterVocabulary& vocabulary)
        : m_tokens(std::move(tokens))
        , m_vocabulary(vocabulary)
    {
    }
    Result<Tree> whole()
    {
        SPARSERL_TRY(auto tree, any());
        if (peek().kind == Token::Close)
            return wrong(peek(), "there is no ( for this )", "Remove it");
        if (peek().kind != Token::End)
            return wrong(peek(), fmt::format("\"{}\" needs a name before it", peek().text),
                         "Write for example " + m_vocabulary.example);
        return tree;
    }

private:
    const Token& peek(std::size_t ahead = 0) const
    {
        return m_tokens[std::min(m_at + ahead, m_tokens.size() - 1)];
    }
    bool isWord(std::string_view word) const
    {
        return peek().kind == Token::Word && filterCase(peek().text) == word &&
               peek(1).kind != Token::Operator;
    }
    static Tree join(Node::Kind kind, std::vector<Tree> parts)
    {
        if (parts.size() == 1)
            return parts.front();
        auto node = std::make_shared<Node>();
        node->kind = kind;
        node->children = std::move(parts);
        return node;
    }

    Result<Tree> any()
    {
        std::vector<Tree> parts;
        for (;;) {
            SPARSERL_TRY(auto part, all());
            parts.push_back(std::move(part));
            if (!isWord("or"))
                return join(Node::Or, std::move(parts));
            ++m_at;
        }
    }
    Result<Tree> all()
    {
        std::vector<Tree> parts;
        for (;;) {
            SPARSERL_TRY(auto part, one());
            parts.push_back(std::move(part));
            if (isWord("and"))
                ++m_at;
            else if (isWord("or") || (peek().kind != Token::Word && peek().kind != Token::Quoted &&
                                      peek().kind != Token::Open))
                return join(Node::And, std::move(parts));
        }
    }
    Result<Tree> one()
    {
        if (++m_depth > 100)
            return wrong(peek(), "the filter is nested too deeply");
        auto result = oneInside();
        --m_depth;
        return result;
    }
    Result<Tree> oneInside()
    {
        const Token token = peek();
        if (token.kind == Token::End)
            return wrong(token, "something is missing at the end",
                         "Write for example " + m_vocabulary.example);
        if (token.kind == Token::Close)
            return wrong(token, "something is missing before the )");
        if (token.kind == Token::Operator)
            return wrong(token, fmt::format("\"{}\" needs a name before it", token.text),
                         "Write for example " + m_vocabulary.example);
        if (token.kind == Token::Open) {
            ++m_at;
            SPARSERL_TRY(auto tree, any());
            if (peek().kind != Token::Close)
                return wrong(token, "this ( is not closed", "Put a ) after it");
            ++m_at;
            return tree;
        }
        if (isWord("and") || isWord("or"))
            return wrong(token, fmt::format("something is missing before \"{}\"", token.text));
        if (isWord("not")) {
            ++m_at;
            SPARSERL_TRY(auto inner, one());
            return negated(std::move(inner));
        }
        ++m_at;
        if (m_vocabulary.colons && token.kind == Token::Word && token.text.size() > 1 &&
            token.text.front() == '-') {
            Token rest = token;
            rest.text.erase(0, 1);
            ++rest.at;
            SPARSERL_TRY(auto inner, term(rest));
            return negated(std::move(inner));
        }
        return term(token);
    }
    static Tree negated(Tree inner)
    {
        auto node = std::make_shared<Node>();
        node->kind = Node::Not;
        node->children = {std::move(inner)};
        return node;
    }
    Result<Tree> term(const Token& token)
    {
        if (token.kind == Token::Word && peek().kind == Token::Operator)
            return comparison(token);
        const auto colon =
            m_vocabulary.colons && token.kind == Token::Word ? token.text.find(':') : std::string::npos;
        const auto letters = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
        if (colon != std::string::npos && colon > 0 &&
            std::all_of(token.text.begin(), token.text.begin() + static_cast<std::ptrdiff_t>(colon),
                        letters)) {
            Token name = token, value = token;
            name.text = token.text.substr(0, colon);
            value.text = token.text.substr(colon + 1);
            value.at += colon + 1;
            auto node = std::make_shared<Node>();
            SPARSERL_TRY(node->field, fieldOf(name));
            node->how = filterCase(name.text) == m_vocabulary.exact ? FilterComparison::Equal
                                                                    : FilterComparison::Contains;
            return valued(std::move(node), name, name, value);
        }
        auto node = std::make_shared<Node>();
        node->kind = Node::Anywhere;
        node->text = filterCase(token.text);
        return node;
    }
    Result<FilterField> fieldOf(const Token& name) const
    {
        if (const auto field = m_vocabulary.find(name.text))
            return *field;
        const std::string near = nearestWord(filterCase(name.text), m_vocabulary.names());
        return wrong(name, fmt::format("{} have no \"{}\"", m_vocabulary.rows, name.text),
                     near.empty() ? m_vocabulary.remedy : "Did you mean " + near + "?");
    }
    Result<Tree> comparison(const Token& name)
    {
        auto node = std::make_shared<Node>();
        SPARSERL_TRY(node->field, fieldOf(name));
        const Token sign = peek();
        ++m_at;
        const auto* known = std::find_if(std::begin(comparisons), std::end(comparisons),
                                         [&](const auto& one) { return one.first == sign.text; });
        if (known == std::end(comparisons))
            return wrong(sign, fmt::format("\"{}\" is no comparison", sign.text),
                         "Use =, !=, <, <=, >, >= or ~");
        node->how = known->second;
        const Token value = peek();
        if (value.kind != Token::Word && value.kind != Token::Quoted)
            return wrong(value, fmt::format("a value is missing after \"{} {}\"", name.text, sign.text),
                         node->field.kind != FilterField::Kind::Text ? "Write a number, such as 1e5 or 20k"
                                                                     : "Write a word");
        ++m_at;
        return valued(std::move(node), name, sign, value);
    }
    Result<Tree> valued(std::shared_ptr<Node> node, const Token& name, const Token& sign,
                        const Token& value) const
    {
        const auto kind = node->field.kind;
        const bool ordered = node->how != FilterComparison::Equal && node->how != FilterComparison::Unequal &&
                             node->how != FilterComparison::Contains;
        node->kind = Node::Field;
        node->text = filterCase(value.text);
        node->number = numberOf(value.text);
        if (kind == FilterField::Kind::Text && ordered)
            return wrong(sign, fmt::format("{} is a text, which is not more or less than another", name.text),
                         "Use =, != or ~");
        if (kind == FilterField::Kind::Number && node->how == FilterComparison::Contains)
            return wrong(sign, fmt::format("{} is a number: ~ looks for a part of a text", name.text),
                         "Use =, <, <=, > or >=");
        if (!node->number && (kind == FilterField::Kind::Number || ordered))
            return wrong(value, fmt::format("\"{}\" is no number", value.text),
                         fmt::format("Compare {} with a number, such as 1e5 or 20k", name.text));
        // A part of a text is looked for in what a number is written as, too.
        if (node->how == FilterComparison::Contains)
            node->number.reset();
        if (m_vocabulary.check)
            if (const auto error = m_vocabulary.check(node->field, node->text))
                return wrong(value, error->what, error->remedy);
        return node;
    }

    std::vector<Token> m_tokens;
    const FilterVocabulary& m_vocabulary;
    std::size_t m_at = 0;
    int m_depth = 0;
};

} // namespace

Result<FilterTree> FilterTree::parse(std::string_view text, const FilterVocabulary& vocabulary)
{
    SPARSERL_TRY(auto tokens, tokensOf(text, vocabulary.colons));
    FilterTree filter;
    if (tokens.size() > 1) {
        SPARSERL_TRY(filter.m_root, Parser(std::move(tokens), vocabulary).whole());
    }
    return filter;
}

bool FilterTree::matches(const FilterSubject& subject) const
{
    return !m_root || m_root->matches(subject);
}

bool FilterTree::compares(std::size_t field, std::string_view text) const
{
    return m_root && m_root->compares(field, text);
}

} // namespace sparserl

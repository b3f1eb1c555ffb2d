// SPDX-License-Identifier: Apache-2.0
#include "project/matrix_filter.h"

#include "base/format.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fmt/format.h>

namespace sparserl {

namespace {

enum class Comparison
{
    Equal,
    Unequal,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Contains
};

constexpr std::pair<std::string_view, Comparison> comparisons[] = {
    {"=", Comparison::Equal},         {"==", Comparison::Equal},     {"!=", Comparison::Unequal},
    {"<", Comparison::Less},          {"<=", Comparison::LessEqual}, {">", Comparison::Greater},
    {">=", Comparison::GreaterEqual}, {"~", Comparison::Contains}};

struct TextField
{
    std::string_view key, help;
    const std::string& (*value)(const MatrixRow&);
};

constexpr TextField textFields[] = {
    {"name", "Name in this project.", [](const MatrixRow& r) -> const std::string& { return r.name; }},
    {"class", "Structure class: banded, irregular, power-law, …",
     [](const MatrixRow& r) -> const std::string& { return r.matrixClass; }},
    {"split", "train or held-out.", [](const MatrixRow& r) -> const std::string& { return r.split; }},
    {"source", "File or generator it comes from.",
     [](const MatrixRow& r) -> const std::string& { return r.source; }},
    {"attribution", "Author and licence.",
     [](const MatrixRow& r) -> const std::string& { return r.attribution; }},
    {"note", "Your note.", [](const MatrixRow& r) -> const std::string& { return r.notes.note; }},
    {"problem", "Why it could not be read.",
     [](const MatrixRow& r) -> const std::string& { return r.problem; }}};

const TextField* findText(std::string_view key)
{
    const auto* it = std::find_if(std::begin(textFields), std::end(textFields),
                                  [&](const TextField& field) { return field.key == key; });
    return it == std::end(textFields) ? nullptr : it;
}

std::string lower(std::string_view text)
{
    std::string out(text);
    for (char& c : out)
        c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return out;
}

bool contains(const std::string& text, const std::string& lowered)
{
    return lower(text).find(lowered) != std::string::npos;
}

/// Without its folders, which are the same for many.
std::string fileOf(const std::string& source)
{
    const auto slash = source.rfind('/');
    return slash == std::string::npos ? source : source.substr(slash + 1);
}

bool equals(const std::string& text, const std::string& lowered)
{
    const std::string mine = lower(text);
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

bool compare(double value, Comparison how, double with)
{
    switch (how) {
    case Comparison::Equal:
        return value == with;
    case Comparison::Unequal:
        return value != with;
    case Comparison::Less:
        return value < with;
    case Comparison::LessEqual:
        return value <= with;
    case Comparison::Greater:
        return value > with;
    case Comparison::GreaterEqual:
        return value >= with;
    case Comparison::Contains:
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

Result<std::vector<Token>> tokensOf(std::string_view text)
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
                return wrong(token, "a quote is not closed", "Put another \" behind the text");
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
        }
        tokens.push_back(std::move(token));
    }
    Token end;
    end.at = text.size() + 1;
    tokens.push_back(end);
    return tokens;
}

} // namespace

struct MatrixFilter::Node
{
    enum Kind
    {
        And,
        Or,
        Not,
        Number,
        Text,
        Anywhere
    } kind = And;
    std::vector<std::shared_ptr<const Node>> children;
    Comparison how = Comparison::Equal;
    const FeatureSpec* feature = nullptr;
    const TextField* field = nullptr;
    double number = 0;
    std::string text; ///< In lower case.

    bool matches(const MatrixRow& row, const std::optional<MatrixFeatures>& features) const
    {
        const auto child = [&](const auto& node) { return node->matches(row, features); };
        switch (kind) {
        case And:
            return std::all_of(children.begin(), children.end(), child);
        case Or:
            return std::any_of(children.begin(), children.end(), child);
        case Not:
            return !child(children.front());
        case Number:
            // What has not been read yet has no numbers and passes no comparison.
            return features && feature->known(*features) && compare(feature->value(*features), how, number);
        case Text:
            return how == Comparison::Contains
                       ? contains(field->value(row), text)
                       : equals(field->value(row), text) == (how == Comparison::Equal);
        case Anywhere:
            return contains(row.name, text) || contains(row.matrixClass, text) ||
                   contains(fileOf(row.source), text) || contains(row.attribution, text) ||
                   contains(row.notes.note, text);
        }
        return false;
    }
};

namespace {

using Node = MatrixFilter::Node;
using Tree = std::shared_ptr<const Node>;

class Parser
{
public:
    explicit Parser(std::vector<Token> tokens)
        : m_tokens(std::move(tokens))
    {
    }
    Result<Tree> whole()
    {
        SPARSERL_TRY(auto tree, any());
        if (peek().kind == Token::Close)
            return wrong(peek(), "there is no ( for this )", "Remove it");
        if (peek().kind != Token::End)
            return wrong(peek(), fmt::format("\"{}\" needs a name before it", peek().text),
                         "Write for example nnz > 1e5");
        return tree;
    }

private:
    const Token& peek(std::size_t ahead = 0) const
    {
        return m_tokens[std::min(m_at + ahead, m_tokens.size() - 1)];
    }
    bool isWord(std::string_view word) const
    {
        return peek().kind == Token::Word && lower(peek().text) == word && peek(1).kind != Token::Operator;
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
            return wrong(token, "something is missing at the end", "Write for example nnz > 1e5");
        if (token.kind == Token::Close)
            return wrong(token, "something is missing before the )");
        if (token.kind == Token::Operator)
            return wrong(token, fmt::format("\"{}\" needs a name before it", token.text),
                         "Write for example nnz > 1e5");
        if (token.kind == Token::Open) {
            ++m_at;
            SPARSERL_TRY(auto tree, any());
            if (peek().kind != Token::Close)
                return wrong(token, "this ( is not closed", "Put a ) behind it");
            ++m_at;
            return tree;
        }
        if (isWord("and") || isWord("or"))
            return wrong(token, fmt::format("something is missing before \"{}\"", token.text));
        if (isWord("not")) {
            ++m_at;
            SPARSERL_TRY(auto inner, one());
            auto node = std::make_shared<Node>();
            node->kind = Node::Not;
            node->children = {std::move(inner)};
            return node;
        }
        ++m_at;
        if (token.kind == Token::Word && peek().kind == Token::Operator)
            return comparison(token);
        auto node = std::make_shared<Node>();
        node->kind = Node::Anywhere;
        node->text = lower(token.text);
        return node;
    }
    Result<Tree> comparison(const Token& name)
    {
        auto node = std::make_shared<Node>();
        const std::string key = lower(name.text);
        node->feature = findFeature(key);
        node->field = findText(key);
        if (!node->feature && !node->field) {
            std::vector<std::string> keys;
            for (const MatrixFilterName& known : matrixFilterNames())
                keys.push_back(known.key);
            const std::string near = nearestWord(key, keys);
            return wrong(name, fmt::format("matrices have no \"{}\"", name.text),
                         near.empty() ? "Use for example nnz, rows, row_mean, class or split"
                                      : "Did you mean " + near + "?");
        }
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
            return wrong(value, fmt::format("a value is missing behind \"{} {}\"", name.text, sign.text),
                         node->feature ? "Write a number, such as 1e5 or 20k" : "Write a word");
        ++m_at;
        return node->feature ? numeric(std::move(node), name, sign, value)
                             : textual(std::move(node), name, sign, value);
    }
    static Result<Tree> numeric(std::shared_ptr<Node> node, const Token& name, const Token& sign,
                                const Token& value)
    {
        if (node->how == Comparison::Contains)
            return wrong(sign, fmt::format("{} is a number: ~ looks for a part of a text", name.text),
                         "Use =, <, <=, > or >=");
        const auto number = numberOf(value.text);
        if (!number)
            return wrong(value, fmt::format("\"{}\" is no number", value.text),
                         fmt::format("Compare {} with a number, such as 1e5 or 20k", name.text));
        node->kind = Node::Number;
        node->number = *number;
        return node;
    }
    static Result<Tree> textual(std::shared_ptr<Node> node, const Token& name, const Token& sign,
                                const Token& value)
    {
        if (node->how != Comparison::Equal && node->how != Comparison::Unequal &&
            node->how != Comparison::Contains)
            return wrong(sign, fmt::format("{} is a text, which is not more or less than another", name.text),
                         "Use =, != or ~");
        node->kind = Node::Text;
        node->text = lower(value.text);
        return node;
    }

    std::vector<Token> m_tokens;
    std::size_t m_at = 0;
    int m_depth = 0;
};

} // namespace

Result<MatrixFilter> MatrixFilter::parse(std::string_view text)
{
    SPARSERL_TRY(auto tokens, tokensOf(text));
    MatrixFilter filter;
    if (tokens.size() > 1) {
        SPARSERL_TRY(filter.m_root, Parser(std::move(tokens)).whole());
    }
    return filter;
}

bool MatrixFilter::matches(const MatrixRow& row, const std::optional<MatrixFeatures>& features) const
{
    return !m_root || m_root->matches(row, features);
}

const std::vector<MatrixFilterName>& matrixFilterNames()
{
    static const std::vector<MatrixFilterName> names = [] {
        std::vector<MatrixFilterName> all;
        for (const TextField& field : textFields)
            all.push_back({std::string(field.key), std::string(field.help), false});
        for (const FeatureSpec& spec : featureSpecs())
            all.push_back({std::string(spec.key), std::string(spec.help), true});
        return all;
    }();
    return names;
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "mutants.h"

#include "kernel/cpp_words.h"
#include "source/lexer.h"

#include <algorithm>
#include <array>
#include <vector>

namespace sparserl {

namespace {

using Kind = Token::Kind;
using Tokens = std::vector<Token>;

struct Edit
{
    std::size_t at = 0, length = 0;
    std::string text;
};

constexpr std::array<std::string_view, 21> kinds{
    "undeclared name", "misspelled function", "misspelled keyword", "missing semicolon", "lost bracket",
    "extra bracket",   "wrong bracket",       "wrong member",       "argument lost",     "argument more",
    "wrong type",      "missing declaration", "double declaration", "wrong operand",     "const added",
    "write to const",  "wrong return",        "token lost",         "token doubled",     "tokens swapped",
    "token replaced"};

bool isName(const Token& token)
{
    return token.kind == Kind::Identifier && !isCppKeyword(token.text) && !isBuiltinType(token.text) &&
           !isDeclarationSpecifier(token.text);
}

bool isBracket(const Token& token)
{
    return token.text.size() == 1 && std::string_view("()[]{}").find(token.text[0]) != std::string_view::npos;
}

Edit replaced(const Token& token, std::string text)
{
    return {token.offset, token.text.size(), std::move(text)};
}

std::string misspelled(std::string_view word, Rng& rng)
{
    std::string text(word);
    const std::size_t at = rng.below(text.size());
    switch (rng.below(4)) {
    case 0:
        text.insert(at, 1, text[at]);
        break;
    case 1:
        if (text.size() > 1) {
            text.erase(at, 1);
            break;
        }
        [[fallthrough]];
    case 2:
        if (at + 1 < text.size() && text[at] != text[at + 1]) {
            std::swap(text[at], text[at + 1]);
            break;
        }
        [[fallthrough]];
    default:
        text += "abcdefghijklmnopqrstuvwxyz_"[rng.below(27)];
    }
    if (text[0] >= '0' && text[0] <= '9')
        text.insert(0, 1, 'a');
    return text;
}

std::size_t closing(const Tokens& tokens, std::size_t open)
{
    int depth = 0;
    for (std::size_t i = open; i < tokens.size(); ++i) {
        if (!isBracket(tokens[i]))
            continue;
        depth += std::string_view("([{").find(tokens[i].text[0]) != std::string_view::npos ? 1 : -1;
        if (depth == 0)
            return i;
    }
    return tokens.size();
}

/// Tokens [i, j] from a type at the beginning of a statement to its ';'.
std::optional<std::pair<std::size_t, std::size_t>> declarationAt(const Tokens& tokens, std::size_t i)
{
    const bool begins = i > 0 && (tokens[i - 1].is(";") || tokens[i - 1].is("{") || tokens[i - 1].is("}"));
    if (!begins || !(isBuiltinType(tokens[i].text) || tokens[i].is("const") || tokens[i].is("__shared__")))
        return std::nullopt;
    for (std::size_t j = i; j < tokens.size(); ++j) {
        if (tokens[j].is("("))
            j = closing(tokens, j);
        else if (tokens[j].is(";"))
            return std::pair(i, j);
    }
    return std::nullopt;
}

/// The edit at token `i`, if the kind of mistake has a place there.
std::optional<Edit> editAt(std::string_view kind, const Tokens& tokens, std::size_t i, std::string_view text,
                           Rng& rng)
{
    const Token& token = tokens[i];
    const Token* next = i + 1 < tokens.size() ? &tokens[i + 1] : nullptr;
    const bool call = isName(token) && next && next->is("(");
    const bool member = i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->"));
    const auto anyOther = [&](auto fits) -> const Token* {
        for (int round = 0; round < 40; ++round) {
            const Token& other = tokens[rng.below(tokens.size())];
            if (!other.is(token.text) && fits(other))
                return &other;
        }
        return nullptr;
    };
    if (kind == "undeclared name" && isName(token) && !call && !member)
        return replaced(token, misspelled(token.text, rng));
    if (kind == "misspelled function" && call)
        return replaced(token, misspelled(token.text, rng));
    if (kind == "misspelled keyword" && token.kind == Kind::Identifier && !isName(token))
        return replaced(token, misspelled(token.text, rng));
    if (kind == "missing semicolon" && token.is(";"))
        return replaced(token, "");
    if (kind == "lost bracket" && isBracket(token))
        return replaced(token, "");
    if (kind == "extra bracket")
        return Edit{token.offset, 0, std::string(1, "()[]{}"[rng.below(6)])};
    if (kind == "wrong bracket" && isBracket(token))
        return replaced(token, std::string(1, "()[]{}"[rng.below(6)]));
    if (kind == "wrong member" && member) {
        static constexpr std::array<std::string_view, 9> names{"w", "z",    "r", "v", "xx",
                                                               "a", "size", "x", "0"};
        return replaced(token, std::string(names[rng.below(names.size())]));
    }
    if ((kind == "argument lost" || kind == "argument more") && call) {
        const std::size_t close = closing(tokens, i + 1);
        if (close >= tokens.size())
            return std::nullopt;
        if (kind == "argument more")
            return Edit{tokens[close].offset, 0, tokens[close - 1].is("(") ? "0" : ", 0"};
        std::size_t last = close - 1;
        for (int depth = 0; last > i + 1 && !(depth == 0 && tokens[last].is(",")); --last) {
            if (isBracket(tokens[last]))
                depth +=
                    std::string_view(")]}").find(tokens[last].text[0]) != std::string_view::npos ? 1 : -1;
        }
        const std::size_t from = last == i + 1 ? tokens[i + 1].offset + 1 : tokens[last].offset;
        return Edit{from, tokens[close].offset - from, ""};
    }
    if (kind == "wrong type" && isBuiltinType(token.text)) {
        static constexpr std::array<std::string_view, 11> types{"int",        "float",    "float4", "float*",
                                                                "const int*", "bool",     "double", "void",
                                                                "int2",       "unsigned", "dim3"};
        return replaced(token, std::string(types[rng.below(types.size())]));
    }
    if (kind == "missing declaration" || kind == "double declaration") {
        const auto found = declarationAt(tokens, i);
        if (!found)
            return std::nullopt;
        const std::size_t from = tokens[found->first].offset, to = tokens[found->second].offset + 1;
        if (kind == "missing declaration")
            return Edit{from, to - from, ""};
        return Edit{to, 0, " " + std::string(text.substr(from, to - from))};
    }
    if (kind == "wrong operand" && isName(token) && !member) {
        const Token* other = anyOther([](const Token& t) { return isName(t); });
        return other ? std::optional(replaced(token, std::string(other->text))) : std::nullopt;
    }
    if (kind == "const added" && isBuiltinType(token.text) && i > 0 && !tokens[i - 1].is("const"))
        return Edit{token.offset, 0, "const "};
    if (kind == "write to const" && token.is(";")) {
        const Token* other = anyOther([](const Token& t) { return isName(t); });
        if (!other)
            return std::nullopt;
        const std::string name(other->text);
        const std::string forms[] = {" " + name + " = 0;", " " + name + "[0] = 0;", " ++" + name + ";",
                                     " *" + name + " += 1;"};
        return Edit{token.offset + 1, 0, forms[rng.below(4)]};
    }
    if (kind == "wrong return" && token.is("return") && next)
        return Edit{next->offset, 0, next->is(";") ? " 0" : "; "};
    if (kind == "token lost")
        return replaced(token, " ");
    if (kind == "token doubled")
        return Edit{token.offset, 0, std::string(token.text) + " "};
    if (kind == "tokens swapped" && next) {
        const std::size_t end = next->offset + next->text.size();
        return Edit{token.offset, end - token.offset,
                    std::string(next->text) + " " + std::string(token.text)};
    }
    if (kind == "token replaced") {
        const Token* other = anyOther([](const Token& t) { return !t.is(";"); });
        return other ? std::optional(replaced(token, " " + std::string(other->text) + " ")) : std::nullopt;
    }
    return std::nullopt;
}

std::size_t startOfCode(std::string_view program)
{
    std::size_t at = 0;
    while (program.substr(at, 2) == "//") {
        const std::size_t end = program.find('\n', at);
        if (end == std::string_view::npos)
            return program.size();
        at = end + 1;
    }
    return at;
}

Tokens codeTokens(std::string_view program)
{
    const std::size_t start = startOfCode(program);
    Tokens tokens;
    for (const Token& token : cudaTokens(program)) {
        if (token.offset >= start && token.kind != Kind::Comment && token.kind != Kind::Directive)
            tokens.push_back(token);
    }
    return tokens;
}

} // namespace

std::span<const std::string_view> mutantKinds()
{
    return kinds;
}

std::optional<std::string> mutantOf(const std::string& program, std::string_view kind, Rng& rng)
{
    const Tokens tokens = codeTokens(program);
    for (int round = 0; round < 400 && !tokens.empty(); ++round) {
        const auto edit = editAt(kind, tokens, rng.below(tokens.size()), program, rng);
        if (!edit)
            continue;
        std::string mutant = program;
        mutant.replace(edit->at, edit->length, edit->text);
        if (mutant != program)
            return mutant;
    }
    return std::nullopt;
}

int lineOfLastStatement(std::string_view program)
{
    int line = 0;
    for (const Token& token : codeTokens(program)) {
        if (token.is(";"))
            line = token.line;
    }
    return line;
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "ptx/module.h"
#include "ptx/tokens.h"

#include <array>
#include <fmt/format.h>
#include <openssl/evp.h>

namespace sparserl::ptx {

namespace {

std::string sha256(std::string_view data)
{
    std::array<unsigned char, 32> digest{};
    unsigned int length = 0;
    EVP_Digest(data.data(), data.size(), digest.data(), &length, EVP_sha256(), nullptr);
    std::string hex;
    for (unsigned char byte : digest)
        hex += fmt::format("{:02x}", byte);
    return hex;
}

/// Reads what directives about source lines consist of, by their own grammar: what else stands beside them is
/// code, whatever line it stands on.
class DebugReader
{
public:
    explicit DebugReader(const std::vector<Token>& tokens)
        : m_tokens(tokens)
    {
    }

    /// The token after a directive about source lines that starts at `at`, or `at` where none does.
    std::size_t skip(std::size_t at)
    {
        m_at = at;
        const bool read = word(".loc")       ? location()
                          : word(".file")    ? file()
                          : word(".section") ? section()
                                             : false;
        return read ? m_at : at;
    }

private:
    bool take(bool matches)
    {
        m_at += matches ? 1 : 0;
        return matches;
    }
    bool kind(Token::Kind kind) { return take(m_tokens[m_at].kind == kind); }
    bool number() { return kind(Token::Kind::Number); }
    bool word(std::string_view text)
    {
        return take(m_tokens[m_at].kind == Token::Kind::Word && m_tokens[m_at].text == text);
    }
    bool mark(char c)
    {
        const Token& token = m_tokens[m_at];
        return take(token.kind == Token::Kind::Punctuation && token.text.size() == 1 && token.text[0] == c);
    }
    bool position() { return number() && number() && number(); }

    /// .loc FILE LINE COLUMN [, function_name LABEL [+ OFFSET], inlined_at FILE LINE COLUMN]
    bool location()
    {
        if (!position())
            return false;
        const auto end = m_at;
        const bool inlined = mark(',') && word("function_name") && kind(Token::Kind::Word) &&
                             (!mark('+') || number()) && mark(',') && word("inlined_at") && position();
        if (!inlined)
            m_at = end;
        return true;
    }

    /// .file INDEX "NAME" [, TIMESTAMP, SIZE]
    bool file()
    {
        if (!number() || !kind(Token::Kind::String))
            return false;
        const auto end = m_at;
        if (!(mark(',') && number() && mark(',') && number()))
            m_at = end;
        return true;
    }

    /// .section .debug_NAME { labels and .bN data }: nothing that could run
    bool section()
    {
        const Token& name = m_tokens[m_at];
        if (!kind(Token::Kind::Word) || !name.text.starts_with(".debug_") || !mark('{'))
            return false;
        while (!mark('}'))
            if (!data())
                return false;
        return true;
    }
    bool data()
    {
        if (word(".b8") || word(".b16") || word(".b32") || word(".b64")) {
            do {
                mark('-');
                if (!number() && !(kind(Token::Kind::Word) && (!mark('+') || number())))
                    return false;
            } while (mark(','));
            return true;
        }
        return kind(Token::Kind::Word) && mark(':');
    }

    const std::vector<Token>& m_tokens; ///< Ends with Kind::End, which nothing here matches.
    std::size_t m_at = 0;
};

} // namespace

std::string canonicalHash(std::string_view text)
{
    const auto tokens = tokenize(text);
    if (!tokens)
        return sha256(text);
    std::string kept;
    kept.reserve(text.size());
    const std::vector<Token>& all = *tokens;
    DebugReader reader(all);
    for (std::size_t i = 0; i + 1 < all.size();) {
        if (const auto next = reader.skip(i); next != i) {
            i = next;
            continue;
        }
        const bool string = all[i].kind == Token::Kind::String;
        kept += string ? fmt::format("\"{}\" ", all[i].text) : fmt::format("{} ", all[i].text);
        ++i;
    }
    return sha256(kept);
}

} // namespace sparserl::ptx

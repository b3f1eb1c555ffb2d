// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/lexer.h"
#include "kernel/verifier.h"

#include <map>
#include <set>
#include <span>

namespace sparserl {

/// The part of the incremental verifier that reads code, token by token. Whatever it does not understand
/// makes it look at less (`mode`), never refuse.
class CodeChecker
{
public:
    using Mode = IncrementalVerifier::Mode;
    using Reason = std::optional<Stop>;

    /// Names that exist before the first line: the consts of the plan.
    void predeclare(const std::string& name) { m_predeclared.insert(name); }
    /// `token.text` must stay valid.
    Reason take(const Token& token);
    /// The text is complete.
    Reason finish() const;
    Mode mode() const { return m_mode; }

private:
    using Tokens = std::span<const Token>;
    enum class Brace
    {
        None,
        Block,
        Init,
        Linkage
    };
    struct Open
    {
        char bracket = '(';
        int line = 0;
        Brace brace = Brace::None;
        bool header = false; ///< Parentheses of for, if, while or switch: a ';' may stand inside.
    };
    struct Name
    {
        std::string type;
        int line = 0;
        bool loose = true; ///< Not known well enough to call a second declaration wrong.
    };
    using Scope = std::map<std::string, Name, std::less<>>;

    void lower(Mode mode);
    void takeDirective(const Token& token);
    Reason takeBracket(const Token& token);
    Reason openBrace(const Token& token, Open& open);
    Reason closeBrace(const Token& token, const Open& open);
    Reason takeSemicolon(const Token& token);
    bool atFileScope() const;
    bool isControlHeader() const;

    Reason functionHeader();
    Reason fileStatement(Tokens tokens);
    Reason statement(Tokens tokens);
    Reason simpleStatement(Tokens tokens, bool loose);
    Reason header(Tokens inside, bool isFor);
    bool isDeclaration(Tokens tokens) const;
    Reason declaration(Tokens tokens, bool loose);
    Reason expression(Tokens tokens);
    Reason declare(const Token& name, const std::string& type, bool loose);
    bool isDeclared(const std::string& name) const;

    Mode m_mode = Mode::Full;
    bool m_macros = false;
    std::vector<Open> m_open;
    std::vector<Token> m_statement; ///< Since the last statement end.
    std::vector<Scope> m_scopes{1};
    std::set<std::string, std::less<>> m_predeclared;
    Token m_previous;
};

} // namespace sparserl

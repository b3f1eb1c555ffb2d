// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/expression_reader.h"
#include "kernel/name_table.h"
#include "kernel/verifier.h"
#include "source/lexer.h"

#include <string>
#include <utility>

namespace sparserl {

/// Reports an error at a token.
inline Stop stopAt(const Token& token, std::string reason)
{
    return Stop{token.line, std::move(reason), false};
}

/// The part of the incremental verifier that reads code token by token. Code that it does not understand
/// reduces its checks (`mode`) but is never refused.
class CodeChecker
{
public:
    using Mode = IncrementalVerifier::Mode;
    using Reason = std::optional<Stop>;

    /// Declares a name that exists before the first line, which is a const of the plan.
    void predeclare(const std::string& name) { m_names.addConstant(name); }
    /// Reads a token. `token.text` must stay valid as long as this object exists.
    Reason take(const Token& token);
    /// Reports errors that are visible only at the end of the text.
    Reason finish() const;
    Mode mode() const { return m_mode; }

private:
    using Tokens = TokenRange;
    using Scope = NameTable::Scope;
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
        int semicolons = 0; ///< Allowed semicolons inside the parentheses of for, if or switch.
    };

    void lower(Mode mode);
    void takeDirective(const Token& token);
    Reason takeBracket(const Token& token);
    Reason openBrace(const Token& token, Open& open);
    Reason closeBrace(const Token& token, const Open& open);
    Reason takeSemicolon(const Token& token);
    bool atFileScope() const;
    bool isControlHeader() const;

    // Statements (code_statements.cpp).
    Reason statement(Tokens tokens, const Token& end);
    Reason beginStatement(Tokens& tokens, const Token& end);
    Reason attachElse(const Token& word);
    Reason endOfDo(Tokens tokens, const Token& end);
    Reason control(Tokens& tokens);
    Reason simpleStatement(Tokens tokens);
    Reason condition(Tokens tokens, bool isSwitch);
    Reason expressionStatement(Tokens tokens);
    Reason returnStatement(Tokens tokens);
    Reason resultOf(const ExpressionReader& reader);

    // Functions (code_functions.cpp).
    /// The words of a function's header before its parameters, without attributes and specifiers around the
    /// result type.
    struct HeaderWords
    {
        std::vector<Token> words;
        bool kernel = false;
    };
    Reason headerWords(Tokens tokens, HeaderWords& header);
    Reason functionHeader(Tokens tokens, bool defined, std::vector<std::pair<std::string, Name>>& parameters);
    Reason parameterOf(Tokens piece, FunctionShape& shape, bool defined,
                       std::vector<std::pair<std::string, Name>>& parameters);
    Reason addFunction(const Token& name, FunctionShape shape);
    Reason fileStatement(Tokens tokens);

    // Declarations (code_declarations.cpp).
    bool isDeclaration(Tokens tokens) const;
    Reason declaration(Tokens tokens);
    Reason declarator(ExpressionReader& reader, const ExpressionReader::Specifiers& specifiers);
    Reason missingType(ExpressionReader& reader);
    void arrayBounds(ExpressionReader& reader, CppType& type, bool& open) const;
    void initialiser(ExpressionReader& reader, const ExpressionReader::Specifiers& specifiers,
                     const Token& name, const CppType& type, bool rvalue);
    Reason declare(const Token& name, Name entry);

    Mode m_mode = Mode::Full;
    bool m_macros = false;
    bool m_ended = true; ///< The previous statement is complete; its enclosing statement may continue with
                         ///< `else`.
    std::vector<Open> m_open;
    std::vector<Token> m_statement; ///< The tokens since the end of the previous statement.
    NameTable m_names;
    Token m_previous;
};

} // namespace sparserl

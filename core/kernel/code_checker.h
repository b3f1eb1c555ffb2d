// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/expression_reader.h"
#include "kernel/name_table.h"
#include "kernel/verifier.h"
#include "source/lexer.h"

#include <string>
#include <utility>

namespace sparserl {

/// The code is wrong at a token.
inline Stop stopAt(const Token& token, std::string reason)
{
    return Stop{token.line, std::move(reason), false};
}

/// The part of the incremental verifier that reads code, token by token. Whatever it does not understand
/// makes it look at less (`mode`), never refuse.
class CodeChecker
{
public:
    using Mode = IncrementalVerifier::Mode;
    using Reason = std::optional<Stop>;

    /// Names that exist before the first line: the consts of the plan.
    void predeclare(const std::string& name) { m_names.addConstant(name); }
    /// `token.text` must stay valid.
    Reason take(const Token& token);
    /// The text is complete.
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
        int semicolons = 0; ///< How many may stand inside: parentheses of for, if, switch.
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
    /// A function's header up to its parameters, without what comes before or between the words of the
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
    bool m_ended = true; ///< The statement before is complete; what it is part of may go on with `else`.
    std::vector<Open> m_open;
    std::vector<Token> m_statement; ///< Since the last statement end.
    NameTable m_names;
    Token m_previous;
};

} // namespace sparserl

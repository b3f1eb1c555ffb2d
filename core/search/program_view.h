// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/plan.h"
#include "source/lexer.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A parameter of a function of a program.
struct FunctionParameter
{
    std::string type; ///< "const float*", without the name.
    std::string name;
    bool pointer = false, constant = false, restricted = false;
};

/// A function of the device code; indices refer to ProgramView::tokens().
struct FunctionView
{
    std::string name;
    bool kernel = false;
    std::size_t first = 0;           ///< First token of its head.
    std::size_t nameAt = 0;          ///< Its name in the head.
    std::size_t open = 0, close = 0; ///< Braces of its body.
    std::vector<FunctionParameter> parameters;
};

/// A `for` loop; indices refer to ProgramView::tokens(), ends are exclusive.
struct LoopView
{
    std::size_t keyword = 0;
    std::size_t pragma = 0;                        ///< The `#pragma unroll` before it; 0: none.
    std::size_t init = 0, condition = 0, step = 0; ///< Beginnings of the header's parts.
    std::size_t close = 0;                         ///< The header's closing parenthesis.
    std::size_t end = 0;                           ///< First token after the body.
    bool braces = false;
    bool innermost = false; ///< No loop inside.
    // For a counted loop: for (TYPE NAME = BEGIN; NAME < LIMIT; NAME += STEP). Otherwise empty.
    std::string type, variable, begin, limit, increment;
    bool counted() const { return !variable.empty() && !limit.empty() && !increment.empty(); }
    std::size_t bodyBegin() const { return close + 1 + (braces ? 1 : 0); }
    std::size_t bodyEnd() const { return end - (braces ? 1 : 0); }
};

/// A plan line of a program.
struct PlanLine
{
    std::size_t offset = 0; ///< Offset of the text after "//!".
    std::string_view text;  ///< Text after "//!".
    std::string keyword;    ///< "const", "launch"
};

/// A kernel program as seen by edits: plan lines, code tokens without comments, functions and loops. A
/// heuristic reading, not a compiler's; omits constructs that it does not understand.
class ProgramView
{
public:
    /// nullopt if the plan cannot be read.
    static std::optional<ProgramView> of(std::string text);

    const std::string& text() const { return *m_text; }
    const Plan& plan() const { return m_plan; }
    const std::vector<PlanLine>& planLines() const { return m_planLines; }
    const std::vector<Token>& tokens() const { return m_tokens; }
    const std::vector<FunctionView>& functions() const { return m_functions; }
    const std::vector<LoopView>& loops() const { return m_loops; }

    bool is(std::size_t token, std::string_view text) const
    {
        return token < m_tokens.size() && m_tokens[token].is(text);
    }
    /// Where the text of a token ends.
    std::size_t endOf(std::size_t token) const
    {
        return m_tokens[token].offset + m_tokens[token].text.size();
    }
    /// The text of tokens [first, last), as written.
    std::string between(std::size_t first, std::size_t last) const;
    /// The token after the statement that begins at `token`.
    std::size_t statementEnd(std::size_t token) const;
    /// The token that closes the bracket at `open`.
    std::size_t closing(std::size_t open) const;
    /// Start of a token's line, and its indentation.
    std::size_t lineStart(std::size_t token) const;
    std::string indent(std::size_t token) const;
    /// The function that a token is in, or nullptr.
    const FunctionView* functionAt(std::size_t token) const;

private:
    void findPlanLines();
    void findFunctions();
    void findLoops();
    void readHeader(LoopView& loop) const;

    std::shared_ptr<const std::string> m_text; ///< The text that tokens refer to.
    Plan m_plan;
    std::vector<PlanLine> m_planLines;
    std::vector<Token> m_tokens;
    std::vector<FunctionView> m_functions;
    std::vector<LoopView> m_loops;
};

/// The value of an integer literal, with or without suffix; nullopt for other tokens.
std::optional<std::int64_t> integerOf(const Token& token);

} // namespace sparserl

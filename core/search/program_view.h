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

/// A parameter of a device function or kernel.
struct FunctionParameter
{
    std::string type; ///< "const float*", without the name.
    std::string name;
    bool pointer = false, constant = false, restricted = false;
};

/// A function of the device code. Its indices refer to ProgramView::tokens().
struct FunctionView
{
    std::string name;
    bool kernel = false;
    std::size_t first = 0;           ///< First token of its head.
    std::size_t nameAt = 0;          ///< The token of its name.
    std::size_t open = 0, close = 0; ///< The braces around its body.
    std::vector<FunctionParameter> parameters;
};

/// A `for` loop. Its indices refer to ProgramView::tokens().
struct LoopView
{
    std::size_t keyword = 0;
    std::size_t pragma = 0;                        ///< The `#pragma unroll` before it; 0: none.
    std::size_t init = 0, condition = 0, step = 0; ///< First tokens of the three parts of the header.
    std::size_t close = 0;                         ///< The parenthesis that closes the header.
    std::size_t end = 0;                           ///< First token after the body.
    bool braces = false;
    bool innermost = false; ///< The body contains no loop.
    // The parts of a counted loop, "for (TYPE NAME = BEGIN; NAME < LIMIT; NAME += STEP)"; empty for other
    // loops.
    std::string type, variable, begin, limit, increment;
    bool counted() const { return !variable.empty() && !limit.empty() && !increment.empty(); }
    std::size_t bodyBegin() const { return close + 1 + (braces ? 1 : 0); }
    std::size_t bodyEnd() const { return end - (braces ? 1 : 0); }
};

/// A line of a program's plan.
struct PlanLine
{
    std::size_t offset = 0; ///< Offset of `text` in the program.
    std::string_view text;  ///< The text after "//!".
    std::string keyword;    ///< Its first word, such as "const" or "launch".
};

/// The view that edits have of a kernel program: its plan lines, the tokens of its code without comments, its
/// functions and its loops. It is found by heuristics instead of a compiler. Constructs that the heuristics
/// do not understand are left out.
class ProgramView
{
public:
    /// Analyses a program. Returns nullopt if its plan cannot be parsed.
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
    /// Returns the offset at which the text of a token ends.
    std::size_t endOf(std::size_t token) const
    {
        return m_tokens[token].offset + m_tokens[token].text.size();
    }
    /// Returns the program's text from token `first` to the token before `last`.
    std::string between(std::size_t first, std::size_t last) const;
    /// Returns the first token after the statement that begins at `token`.
    std::size_t statementEnd(std::size_t token) const;
    /// Returns the token that closes the bracket at `open`.
    std::size_t closing(std::size_t open) const;
    /// Returns the offset at which the line of a token begins, and the indentation of that line.
    std::size_t lineStart(std::size_t token) const;
    std::string indent(std::size_t token) const;
    /// Returns the function that contains a token, or nullptr.
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

/// Returns the value of an integer literal, with or without a suffix, or nullopt for other tokens.
std::optional<std::int64_t> integerOf(const Token& token);

} // namespace sparserl

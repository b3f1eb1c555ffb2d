// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/plan_reader.h"
#include "kernel/plan_tokens.h"

namespace sparserl {

/// Parses the tokens of one plan line by recursive descent and adds the line to a PlanReader's plan.
class PlanLineParser
{
public:
    PlanLineParser(PlanReader& reader, std::vector<PlanToken> tokens, int line)
        : m_reader(reader)
        , m_tokens(std::move(tokens))
        , m_line(line)
    {
    }

    /// Parses the line. Returns the reason for refusing it, or nullopt.
    std::optional<std::string> parse();

private:
    using Reason = std::optional<std::string>;
    using Expr = tl::expected<PlanExprPtr, std::string>;

    Reason parseTask();
    Reason parseConst();
    Reason parsePart();
    Reason parseFormat();
    Reason parseBuffer(bool prepared);
    Reason parseZero();
    Reason parseRequirement();
    Reason parseCall(bool prepare);
    Reason parseFormatParameters(FormatSpec& spec);
    Reason checkFormatParameters(const FormatSpec& spec) const;
    Reason parseDim(std::vector<PlanExprPtr>& extents);
    Reason parseArgument(PlanCall& call);

    // Plans of operators, whose tensors have names that are known only when a plan is bound.
    bool isOperator() const { return m_reader.m_plan.task == Task::Operator; }
    /// Parses an array that is the whole argument. Leaves `argument` without an array if there is none.
    Reason parseOperatorArray(bool prepare, PlanArgument& argument);
    Expr parseOperatorNumber();
    /// Returns the number of tokens of the name with dots that comes next; 0 if no name comes next.
    std::size_t dottedLength() const;
    std::string dottedText(std::size_t tokens) const;
    bool endsArgument(std::size_t ahead) const;

    Expr parseExpr();
    Expr parseTerm();
    Expr parseFactor();
    Expr parseFunction(std::string_view name);
    Expr parseNameOrMember();
    Reason checkMember(const std::string& owner, const std::string& member, bool& isArray) const;

    Reason enter(PlanReader::Stage stage, std::string_view keyword);
    Reason define(const std::string& name, PlanReader::Symbol symbol, bool isConst = false);
    Reason expectName(std::string& name, std::string_view what);
    Reason expectPunctuator(std::string_view text, std::string_view where);
    Reason expectEnd();

    const PlanToken& peek(std::size_t ahead = 0) const
    {
        const std::size_t i = m_next + ahead;
        return m_tokens[i < m_tokens.size() ? i : m_tokens.size() - 1];
    }
    bool accept(std::string_view punctuator);
    std::string shownNext() const;

    PlanReader& m_reader;
    std::vector<PlanToken> m_tokens;
    std::size_t m_next = 0;
    int m_line = 0;
    int m_depth = 0;
    bool m_constantsOnly = false;
};

} // namespace sparserl

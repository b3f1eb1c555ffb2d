// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "kernel/plan.h"

#include <map>
#include <string>
#include <string_view>

namespace sparserl {

/// Reads a program line by line and collects its plan (docs/formats.md 1). parseProgram() and the incremental
/// verifier use it.
class PlanReader
{
public:
    enum class LineKind
    {
        Blank,
        Comment,
        Plan,
        Code
    };

    /// Reads one line without its terminator. After an error, the reader is unusable.
    tl::expected<LineKind, PlanError> read(std::string_view line, int number);
    /// Returns the plan after the final checks: the plan must have a task and a launch.
    tl::expected<Plan, PlanError> finish(int lastLine) const;

    const Plan& plan() const { return m_plan; }
    std::int64_t constValue(std::string_view name) const { return m_constValues.find(name)->second; }
    bool inCode() const { return m_inCode; } ///< The first line of code has been read.

    /// The meaning of a name in the plan.
    struct Symbol
    {
        enum class Kind
        {
            Scalar,
            Const,
            Csr,
            Part,
            Format,
            Buffer,
            Vector
        } kind = Kind::Scalar;
        std::size_t index = 0; ///< The index in the list for this kind.
    };

private:
    friend class PlanLineParser;
    enum class Stage
    {
        Nothing,
        Task,
        Const,
        Part,
        Format,
        Buffer,
        Call
    };

    Plan m_plan;
    Stage m_stage = Stage::Nothing;
    bool m_inCode = false;
    bool m_csrWritten = false;
    std::map<std::string, Symbol, std::less<>> m_symbols;
    std::map<std::string, std::int64_t, std::less<>> m_constValues;
};

} // namespace sparserl

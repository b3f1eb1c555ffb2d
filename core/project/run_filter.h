// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries.h"

#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Which runs of a list are seen. Words stand for themselves in names, titles, tags, notes and everything
/// else that a run is called by; "stage:rl", "status:failed", "tag:good" and "is:starred" ask one thing;
/// "last>0.5" and "step>=100" compare numbers. All must hold; a minus in front turns one around; quotes keep
/// blanks. Archived runs are seen only where the filter has "is:archived". Ignores case.
class RunFilter
{
public:
    RunFilter() = default;
    /// Fails with a sentence for a key that there is not, or a number that is none.
    static Result<RunFilter> parse(std::string_view text);

    bool matches(const RunSummary& run) const;

    /// Everything that may stand in front of ':' or of a comparison: "stage:", "last>", ...; and the values
    /// of "is:" and "status:".
    static std::vector<std::string> words();

private:
    struct Term
    {
        bool negated = false;
        std::string key;   ///< Empty: any of the texts.
        std::string value; ///< Lower case.
        char comparison = ':';
        bool orEqual = false;
        double number = 0;
    };
    static Result<Term> parseTerm(std::string word);
    static bool holds(const Term& term, const RunSummary& run);

    std::vector<Term> m_terms;
    bool m_archived = false;
};

} // namespace sparserl

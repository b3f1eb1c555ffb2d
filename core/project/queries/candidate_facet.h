// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <array>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace sparserl {

/// What lists of programs are narrowed by and counted for. A facet is a row of candidateFacets and its two
/// members; filters, counts and the window's lists follow from there.
struct CandidateFacet
{
    enum class Form
    {
        Text,  ///< A sample has one value; those without any are not counted.
        Flags, ///< A sample has any number of values: ",one,two,".
        Range  ///< A sample has a number, which lies in one of speedupRanges; 0: in none.
    };
    using Wanted =
        std::variant<std::vector<std::string> CandidateFilter::*, std::vector<RunId> CandidateFilter::*>;

    Wanted wanted; ///< The values that a filter asks for; none: any.
    std::vector<FacetCount> CandidateFacets::*counts;
    const char* column; ///< SQL over `sample s`.
    Form form = Form::Text;
    const char* label = nullptr; ///< SQL of what is shown for a value, where that is not the value.

    /// What a filter asks for, as texts.
    std::vector<std::string> wantedBy(const CandidateFilter& filter) const;
    bool isRestrictedBy(const CandidateFilter& filter) const { return !wantedBy(filter).empty(); }
    /// Adds a value to those that the filter asks for, or takes it away.
    void want(CandidateFilter& filter, const std::string& value, bool on) const;
};

inline constexpr std::array candidateFacets{
    CandidateFacet{&CandidateFilter::verdicts, &CandidateFacets::verdicts, "ifnull(s.verdict,'unjudged')"},
    CandidateFacet{&CandidateFilter::matrices, &CandidateFacets::matrices, "s.target",
                   CandidateFacet::Form::Text, "s.target_name"},
    CandidateFacet{&CandidateFilter::runs, &CandidateFacets::runs, "s.run"},
    CandidateFacet{&CandidateFilter::families, &CandidateFacets::families, "s.family"},
    CandidateFacet{&CandidateFilter::flags, &CandidateFacets::flags, "s.flags", CandidateFacet::Form::Flags},
    CandidateFacet{&CandidateFilter::origins, &CandidateFacets::origins, "s.origin"},
    CandidateFacet{&CandidateFilter::splits, &CandidateFacets::splits, "s.split"},
    CandidateFacet{&CandidateFilter::tasks, &CandidateFacets::tasks, "s.task"},
    CandidateFacet{&CandidateFilter::speedups, &CandidateFacets::speedups, "s.speedup",
                   CandidateFacet::Form::Range}};

/// By where its counts are.
constexpr const CandidateFacet& facetOf(std::vector<FacetCount> CandidateFacets::*counts)
{
    std::size_t i = 0;
    while (candidateFacets[i].counts != counts)
        ++i;
    return candidateFacets[i];
}

/// A range of speed-ups: [from, to).
struct SpeedupRange
{
    const char* name;
    double from = 0, to = 0;
};
/// Lowest first, without gaps. The bounds are those of fast_p in KernelBench (p = 1, 1.2, 2), and half as
/// fast.
inline constexpr SpeedupRange speedupRanges[] = {{"below 0.5", 0, 0.5},
                                                 {"0.5 to 1", 0.5, 1},
                                                 {"1 to 1.2", 1, 1.2},
                                                 {"1.2 to 2", 1.2, 2},
                                                 {"2 and more", 2, 1e300}};

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <array>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace sparserl {

/// A property by which lists of programs are filtered and counted. To add a facet, add a row to
/// candidateFacets, a member to CandidateFilter and a member to CandidateFacets. Filters, counts and the
/// lists in the window are derived from these.
struct CandidateFacet
{
    enum class Form
    {
        Text,  ///< Each sample has one value or none. Samples without a value are not counted.
        Flags, ///< Each sample has any number of values, in the form ",one,two,".
        Range  ///< Each sample has a number, which is in one of speedupRanges; 0 is in none.
    };
    using Wanted =
        std::variant<std::vector<std::string> CandidateFilter::*, std::vector<RunId> CandidateFilter::*>;

    /// The member of a filter that lists the requested values. If it is empty, all values match.
    Wanted wanted;
    std::vector<FacetCount> CandidateFacets::*counts;
    const char* column; ///< SQL expression for the value, over `sample s`.
    Form form = Form::Text;
    const char* label = nullptr; ///< SQL expression for the text to display, if it is not the value itself.

    /// Returns the values that a filter requests, as texts.
    std::vector<std::string> wantedBy(const CandidateFilter& filter) const;
    bool isRestrictedBy(const CandidateFilter& filter) const { return !wantedBy(filter).empty(); }
    /// Adds a value to those that a filter requests, or removes it.
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

/// Returns the facet whose counts are in this member.
constexpr const CandidateFacet& facetOf(std::vector<FacetCount> CandidateFacets::*counts)
{
    std::size_t i = 0;
    while (candidateFacets[i].counts != counts)
        ++i;
    return candidateFacets[i];
}

/// The speed-ups s with from <= s < to.
struct SpeedupRange
{
    const char* name;
    double from = 0, to = 0;
};
/// The ranges in ascending order, without gaps. Their bounds are the p of fast_p in KernelBench (1, 1.2 and
/// 2) and 0.5.
inline constexpr SpeedupRange speedupRanges[] = {{"below 0.5", 0, 0.5},
                                                 {"0.5 to 1", 0.5, 1},
                                                 {"1 to 1.2", 1, 1.2},
                                                 {"1.2 to 2", 1.2, 2},
                                                 {"2 and more", 2, 1e300}};

} // namespace sparserl

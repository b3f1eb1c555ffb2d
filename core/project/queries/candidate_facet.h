// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"

#include <array>
#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace sparserl {

/// A property by which lists of programs are filtered and counted. A facet is a row of candidateFacets and
/// its two members; filters, counts and the window's lists derive from them.
struct CandidateFacet
{
    enum class Form
    {
        Text,  ///< One value per sample; samples without a value are not counted.
        Flags, ///< Any number of values per sample: ",one,two,".
        Range  ///< A number per sample, in one of speedupRanges; 0: in none.
    };
    using Wanted =
        std::variant<std::vector<std::string> CandidateFilter::*, std::vector<RunId> CandidateFilter::*>;

    Wanted wanted; ///< The values requested in a filter; none: any.
    std::vector<FacetCount> CandidateFacets::*counts;
    const char* column; ///< SQL over `sample s`.
    Form form = Form::Text;
    const char* label = nullptr; ///< SQL of the display text for a value, if it differs from the value.

    /// The requested values as texts.
    std::vector<std::string> wantedBy(const CandidateFilter& filter) const;
    bool isRestrictedBy(const CandidateFilter& filter) const { return !wantedBy(filter).empty(); }
    /// Adds or removes a value of a filter.
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

/// The facet whose counts are in this member.
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
/// Ascending, without gaps. The bounds are those of fast_p in KernelBench (p = 1, 1.2, 2), plus 0.5.
inline constexpr SpeedupRange speedupRanges[] = {{"below 0.5", 0, 0.5},
                                                 {"0.5 to 1", 0.5, 1},
                                                 {"1 to 1.2", 1, 1.2},
                                                 {"1.2 to 2", 1.2, 2},
                                                 {"2 and more", 2, 1e300}};

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "project/queries/candidate_facet.h"

#include <charconv>

namespace sparserl {

std::vector<std::string> CandidateFacet::wantedBy(const CandidateFilter& filter) const
{
    if (const auto* texts = std::get_if<std::vector<std::string> CandidateFilter::*>(&wanted))
        return filter.*(*texts);
    std::vector<std::string> numbers;
    for (const RunId run : filter.*std::get<std::vector<RunId> CandidateFilter::*>(wanted))
        numbers.push_back(std::to_string(run));
    return numbers;
}

void CandidateFacet::want(CandidateFilter& filter, const std::string& value, bool on) const
{
    const auto change = [on](auto& list, const auto& one) {
        std::erase(list, one);
        if (on)
            list.push_back(one);
    };
    if (const auto* texts = std::get_if<std::vector<std::string> CandidateFilter::*>(&wanted)) {
        change(filter.*(*texts), value);
        return;
    }
    RunId run = 0;
    std::from_chars(value.data(), value.data() + value.size(), run);
    change(filter.*std::get<std::vector<RunId> CandidateFilter::*>(wanted), run);
}

} // namespace sparserl

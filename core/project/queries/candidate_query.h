// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/index/sqlite.h"
#include "project/queries/candidate_facet.h"
#include "project/queries/queries.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sparserl {

/// SQL condition: sample `s` is in the SFT set. For programs that were not chosen for any target, it does not
/// examine the target.
inline constexpr const char* inSftSet =
    "(s.program IN (SELECT key FROM annotation WHERE target='program' AND sft<>'') AND instr((SELECT sft "
    "FROM "
    "annotation WHERE target='program' AND key=s.program), ','||s.target_key||','))";

/// A filter as an SQL condition over `sample s`, with the values to bind, in order.
struct CandidateQuery
{
    std::string where = "1";
    std::vector<std::variant<std::int64_t, double, std::string>> values;

    /// Converts a filter. Leaves out the facet `without` (if not null), whose values are being counted.
    static CandidateQuery of(const CandidateFilter& filter, const CandidateFacet* without = nullptr);
    void add(const std::string& condition);
    void addAny(const CandidateFacet& facet, const CandidateFilter& filter);
    void bindTo(sql::Statement& statement) const;
};

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/index/sqlite.h"
#include "project/queries/queries.h"

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sparserl {

/// Facets of the candidates; each can be left out when its own values are counted.
enum class Facet
{
    None,
    Verdict,
    Matrix,
    Task,
    Run,
    Family,
    Flag,
    Origin,
    Split,
    Speedup
};

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

/// Whether the sample `s` is in the SFT set. What no one has chosen is out without a look at its target.
inline constexpr const char* inSftSet =
    "(s.program IN (SELECT key FROM annotation WHERE target='program' AND sft<>'') AND instr((SELECT sft "
    "FROM "
    "annotation WHERE target='program' AND key=s.program), ','||s.target_key||','))";

/// SQL of a filter over `sample s`, with the values to bind in order.
struct CandidateQuery
{
    std::string where = "1";
    std::vector<std::variant<std::int64_t, double, std::string>> values;

    static CandidateQuery of(const CandidateFilter& filter, Facet without = Facet::None);
    void add(const std::string& condition);
    void addAny(const std::string& expression, const std::vector<std::string>& wanted);
    void bindTo(sql::Statement& statement) const;
};

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "search/proposer.h"
#include "verdict/record.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace sparserl {

/// Counts of programs at each stage of the search.
struct FunnelCounts
{
    std::int64_t proposed = 0; ///< Texts, including repeated ones.
    std::int64_t repeated = 0; ///< Same plan and tokens as an earlier one.
    std::int64_t refused = 0;  ///< Refused by the plan grammar or the verifier.
    std::int64_t judged = 0, compiled = 0;
    std::int64_t fresh = 0; ///< Compiled programs with new PTX and plan.
    std::int64_t correct = 0;
};

/// Filters programs before the judge: repeated programs and those that cannot compile cost it nothing.
class Funnel
{
public:
    /// Whether a text should be judged.
    bool admit(const std::string& text);
    void count(const SearchedProgram& program);
    /// Records a text that a resumed search admitted before.
    void remember(const std::string& text);
    /// Restores the other counts of a resumed search.
    void goOn(std::int64_t proposed, std::int64_t repeated, std::int64_t refused);
    const FunnelCounts& counts() const { return m_counts; }

private:
    std::set<std::string> m_texts; ///< Hashes of plan and tokens.
    FunnelCounts m_counts;
};

/// Identifies the executed code: the hash of the plan, and of the canonical PTX found by the judge. Empty
/// without PTX.
std::string runKey(const std::string& text, const VerdictRecord& record);

} // namespace sparserl

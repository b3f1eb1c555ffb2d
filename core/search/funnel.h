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
    std::int64_t proposed = 0; ///< Proposed texts, including repeated ones.
    std::int64_t repeated = 0; ///< Texts with the same plan and tokens as an earlier one.
    std::int64_t refused = 0;  ///< Texts refused by the plan grammar or the verifier.
    std::int64_t judged = 0, compiled = 0;
    std::int64_t fresh = 0; ///< Compiled programs whose PTX and plan are new.
    std::int64_t correct = 0;
};

/// Filters texts before they are judged, so that the judge spends no time on repeated texts and on texts that
/// cannot compile.
class Funnel
{
public:
    /// Returns whether a text should be judged. Counts it and remembers it.
    bool admit(const std::string& text);
    void count(const SearchedProgram& program);
    /// Remembers a text that was admitted before the search was resumed.
    void remember(const std::string& text);
    /// Restores those counts of a resumed search that do not follow from its judged programs.
    void goOn(std::int64_t proposed, std::int64_t repeated, std::int64_t refused);
    const FunnelCounts& counts() const { return m_counts; }

private:
    std::set<std::string> m_texts; ///< Hashes of plan and tokens.
    FunnelCounts m_counts;
};

/// Returns a key for the code that a program executes: the hash of its plan and of the canonical PTX in the
/// judge's record. Returns an empty string if the record has no PTX.
std::string runKey(const std::string& text, const VerdictRecord& record);

} // namespace sparserl

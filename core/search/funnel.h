// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "search/proposer.h"
#include "verdict/record.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace sparserl {

/// How many programs came how far.
struct FunnelCounts
{
    std::int64_t proposed = 0; ///< Texts, repeated ones included.
    std::int64_t repeated = 0; ///< The same plan and tokens as one before.
    std::int64_t refused = 0;  ///< By the plan's grammar or the verifier.
    std::int64_t judged = 0, compiled = 0;
    std::int64_t fresh = 0; ///< Of those compiled: no other had the same PTX and plan.
    std::int64_t correct = 0;
};

/// The gate to the judge: a program that is the same as one before, or cannot compile, costs it nothing.
class Funnel
{
public:
    /// Whether a text is worth the judge's time.
    bool admit(const std::string& text);
    void count(const SearchedProgram& program);
    /// A text that was admitted before, by a search that goes on.
    void remember(const std::string& text);
    /// What that search had counted besides its judged programs.
    void goOn(std::int64_t proposed, std::int64_t repeated, std::int64_t refused);
    const FunnelCounts& counts() const { return m_counts; }

private:
    std::set<std::string> m_texts; ///< Hashes of plan and tokens.
    FunnelCounts m_counts;
};

/// What runs when a program runs: the hash of its plan, and of its canonical PTX as the judge found it. Empty
/// for one that has no PTX.
std::string runKey(const std::string& text, const VerdictRecord& record);

} // namespace sparserl

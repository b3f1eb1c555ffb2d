// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"
#include "widgets/common/delegates.h"

#include <QString>
#include <optional>

namespace sparserl {

/// Verdicts and flags as people read them, with the tone of their badge.
QString verdictText(std::optional<Verdict> verdict);
QString verdictHelp(std::optional<Verdict> verdict); ///< One sentence.
/// A flag by its name: "slower than baseline", "out of memory". Those of a newer version as they are.
QString flagText(const std::string& name);
QString flagHelp(const std::string& name); ///< One sentence, or empty.
/// The verdict, and the speed-up where there is one: "correct, 1.68×".
QString outcomeText(const VerdictRecord& record);
struct JudgedAgain
{
    QString sentence;
    bool differs = false; ///< The verdicts contradict each other.
};
/// What became of judging a program again. One that was stopped while it was written, and does not compile,
/// agrees.
JudgedAgain judgedAgainText(const std::optional<VerdictRecord>& before, const VerdictRecord& now);
/// Where a program comes from: "0003-rl, step 40", "edited by hand".
QString originText(const CandidateRow& candidate);
/// What a search put together: the corpus program, or what was changed in another one; empty where a source
/// wrote it whole.
QString changeText(const ProposalOrigin& proposal);
Tone verdictTone(std::optional<Verdict> verdict);
/// "row 17: expected 1.5, got 0 (allowed difference 3e-6)", or empty.
QString wrongElementText(const VerdictRecord& record);
/// "line 23, block (4, 0, 0), thread (17, 0, 0)", or empty.
QString placeText(const VerdictRecord& record);

} // namespace sparserl

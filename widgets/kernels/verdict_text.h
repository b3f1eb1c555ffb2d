// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"
#include "widgets/common/delegates.h"

#include <QString>
#include <optional>

namespace sparserl {

/// The display name of a verdict; nullopt: not judged.
QString verdictText(std::optional<Verdict> verdict);
QString verdictHelp(std::optional<Verdict> verdict); ///< One sentence.
/// The display text of a flag: "slower than baseline", "out of memory". Names of newer versions are returned
/// unchanged.
QString flagText(const std::string& name);
QString flagHelp(const std::string& name); ///< One sentence, or empty.
/// The verdict and, if there is one, the speed-up: "correct, 1.68×".
QString outcomeText(const VerdictRecord& record);
struct JudgedAgain
{
    QString sentence;
    bool differs = false; ///< The verdicts contradict each other.
};
/// The result of judging a program again. If sampling was stopped early and the program does not compile, the
/// two verdicts agree.
JudgedAgain judgedAgainText(const std::optional<VerdictRecord>& before, const VerdictRecord& now);
/// The origin of a program: "0003-rl, step 40", "edited by hand".
QString originText(const CandidateRow& candidate);
/// How a search made a program: the corpus program, or the change to another program. Empty if a source wrote
/// the whole program.
QString changeText(const ProposalOrigin& proposal);
Tone verdictTone(std::optional<Verdict> verdict);
/// "row 17: expected 1.5, got 0 (allowed difference 3e-6)", or empty.
QString wrongElementText(const VerdictRecord& record);
/// "line 23, block (4, 0, 0), thread (17, 0, 0)", or empty.
QString placeText(const VerdictRecord& record);

} // namespace sparserl

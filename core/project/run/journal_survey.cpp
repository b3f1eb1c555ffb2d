// SPDX-License-Identifier: Apache-2.0
#include "project/run/journal_survey.h"

#include "base/json.h"
#include "project/files/line_reader.h"
#include "project/run/generation.h"
#include "verdict/names.h"

#include <algorithm>

namespace sparserl {
namespace {

bool has(std::string_view line, std::string_view text)
{
    return line.find(text) != std::string_view::npos;
}

/// Is this a line that the survey must parse? Metrics, samples, verdicts and programs need not be.
bool isOfInterest(std::string_view line)
{
    return has(line, R"("kind":"checkpoint")") || has(line, R"("kind":"control")") ||
           has(line, R"("kind":"state")");
}

} // namespace

Result<JournalSurvey> surveyJournal(const FileHandle& journal)
{
    JournalSurvey survey;
    SPARSERL_TRY(const auto size, journal.size());
    survey.size = size;
    LineReader lines(journal, 0, size);
    for (;;) {
        SPARSERL_TRY(const auto line, lines.next());
        if (!line)
            return survey;
        if (!isOfInterest(line->text))
            continue;
        const auto json = parseJson(line->text);
        if (!json || !json->is_object())
            continue;
        if (const auto gen = jsonValue<std::int64_t>(*json, "gen", 0); isGeneration(gen))
            survey.newestGen = std::max(survey.newestGen, static_cast<int>(gen));
        const auto kind = jsonValue<std::string>(*json, "kind", {});
        if (kind == "checkpoint") {
            survey.checkpoints.push_back({jsonValue<std::string>(*json, "name", {}),
                                          jsonValue<std::int64_t>(*json, "step", -1),
                                          jsonValue<std::int64_t>(*json, "seq", -1), line->end});
        } else if (kind == "control") {
            const auto outcome = jsonValue<std::string>(*json, "outcome", {});
            const bool durable = jsonValue<std::string>(*json, "command", {}) == "set";
            if (control_outcome::final(outcome))
                survey.answers.push_back({jsonValue<std::string>(*json, "id", {}), durable, line->end});
        } else if (line->offset == 0 && jsonValue<std::string>(*json, "state", {}) == "queued") {
            survey.headEnd = line->end;
        }
    }
}

Result<JournalCut> cutFor(const CheckpointInfo& checkpoint, const FileHandle& journal,
                          const JournalSurvey& survey)
{
    JournalCut cut;
    std::int64_t bySeq = -1;
    for (const auto& event : survey.checkpoints) {
        if (event.name != checkpoint.name || event.step != checkpoint.step)
            continue;
        cut.hasEvent = true;
        if (event.end == checkpoint.journalLength) {
            cut.keep = event.end;
            cut.exact = true;
            return cut;
        }
        cut.keep = event.end; // the last one of this name
        if (event.seq == checkpoint.journalSeq - 1)
            bySeq = event.end;
    }
    if (bySeq >= 0)
        cut.keep = bySeq;
    if (cut.hasEvent)
        return cut;
    // Its event is gone: everything before the first entry that is younger.
    LineReader lines(journal, 0, survey.size);
    for (;;) {
        SPARSERL_TRY(const auto line, lines.next());
        if (!line)
            return cut;
        const auto json = parseJson(line->text);
        if (!json || !json->is_object())
            continue;
        const auto seq = jsonValue<std::int64_t>(*json, "seq", -1);
        if (seq >= checkpoint.journalSeq)
            return cut;
        if (seq >= 0)
            cut.keep = line->end;
    }
}

} // namespace sparserl

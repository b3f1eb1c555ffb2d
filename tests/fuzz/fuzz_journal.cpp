// SPDX-License-Identifier: Apache-2.0
// journal.jsonl as a crash, an editor or somebody else left it: readers, survey, tail, and the writer that
// goes on behind.
#include "base/json.h"
#include "fuzz.h"
#include "project/run/generation.h"
#include "project/run/journal.h"
#include "project/run/journal_survey.h"
#include "project/run/journal_tail.h"
#include "verdict/event.h"

#include <algorithm>

namespace {

using namespace sparserl;

/// What was read is written and read again the same.
void checkEntry(const JournalEntry& entry)
{
    const std::string written = dumpJson(toJson(entry));
    const auto json = parseJson(written);
    FUZZ_CHECK(json.has_value());
    const auto again = journalEntryFromJson(*json);
    FUZZ_CHECK(again.has_value() && again->event.index() == entry.event.index());
    FUZZ_CHECK(again->seq == entry.seq && again->gen == entry.gen && again->step == entry.step);
    FUZZ_CHECK(dumpJson(toJson(*again)) == written);
}

/// Lines in small pieces and at once: the same entries, each line read once.
std::vector<JournalEntry> checkReading(const std::filesystem::path& run, std::string_view text)
{
    std::vector<JournalEntry> entries;
    std::size_t problems = 0;
    JournalPosition position;
    for (int turns = 0;; ++turns) {
        FUZZ_CHECK(turns <= static_cast<int>(text.size()) + 2);
        const auto batch = readJournal(run, position, 300);
        FUZZ_CHECK(batch.has_value() && !batch->rewound);
        FUZZ_CHECK(batch->next.offset >= position.offset);
        FUZZ_CHECK(batch->next.offset == 0 || text[static_cast<std::size_t>(batch->next.offset) - 1] == '\n');
        entries.insert(entries.end(), batch->entries.begin(), batch->entries.end());
        problems += batch->problems.size();
        for (const std::string& problem : batch->problems)
            fuzz::checkReason(problem);
        position = batch->next;
        if (batch->atEnd)
            break;
    }
    std::size_t lines = 0;
    for (std::size_t at = 0, end; (end = text.find('\n', at)) != std::string_view::npos; at = end + 1)
        lines += end > at ? 1 : 0;
    FUZZ_CHECK(entries.size() + problems == lines);
    const auto whole = readWholeJournal(run);
    FUZZ_CHECK(whole.has_value() && whole->size() == entries.size());
    for (const JournalEntry& entry : entries)
        checkEntry(entry);
    return entries;
}

void checkSurvey(const std::filesystem::path& file, std::string_view text)
{
    const auto handle = FileHandle::openRead(file);
    FUZZ_CHECK(handle.has_value());
    const auto survey = surveyJournal(*handle);
    FUZZ_CHECK(survey.has_value() && survey->size == static_cast<std::int64_t>(text.size()));
    const auto isLineEnd = [&](std::int64_t end) {
        return end >= 0 && end <= survey->size &&
               (end == 0 || text[static_cast<std::size_t>(end) - 1] == '\n');
    };
    FUZZ_CHECK(isLineEnd(survey->headEnd));
    for (const auto& answer : survey->answers)
        FUZZ_CHECK(isLineEnd(answer.end));
    for (const auto& event : survey->checkpoints) {
        FUZZ_CHECK(isLineEnd(event.end));
        CheckpointInfo checkpoint;
        checkpoint.name = event.name;
        checkpoint.step = event.step;
        checkpoint.journalSeq = event.seq;
        checkpoint.journalLength = event.end;
        const auto cut = cutFor(checkpoint, *handle, *survey);
        FUZZ_CHECK(cut.has_value() && cut->exact && cut->hasEvent && cut->keep == event.end);
        checkpoint.name += "?"; // its event is gone
        const auto bySeq = cutFor(checkpoint, *handle, *survey);
        FUZZ_CHECK(bySeq.has_value() && isLineEnd(bySeq->keep));
    }
}

/// A worker goes on behind what is there: nothing readable is lost, and its own entry arrives.
void checkWriter(const std::filesystem::path& run, const std::vector<JournalEntry>& before)
{
    std::int64_t seq = 0;
    {
        auto writer = JournalWriter::open(run / "journal.jsonl", 0);
        FUZZ_CHECK(writer.has_value());
        seq = writer->nextSeq();
        FUZZ_CHECK(seq >= 0);
        FUZZ_CHECK(writer->append(7, LogEvent{"info", "behind"}).has_value());
        FUZZ_CHECK(writer->flush().has_value());
    }
    const auto after = readWholeJournal(run);
    FUZZ_CHECK(after.has_value() && after->size() == before.size() + 1);
    const auto* log = std::get_if<LogEvent>(&after->back().event);
    FUZZ_CHECK(log != nullptr && log->text == "behind" && after->back().seq == seq);
    std::filesystem::remove(run / "journal.torn");
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text = fuzz::textOf(data, size);
    const std::filesystem::path run = fuzz::scratch("journal");
    const auto file = fuzz::writeFile(run / "journal.jsonl", text);
    const auto entries = checkReading(run, text);
    checkSurvey(file, text);
    const auto state = lastState(run, {});
    const bool any = std::any_of(entries.begin(), entries.end(), [](const JournalEntry& entry) {
        return std::holds_alternative<StateEvent>(entry.event);
    });
    FUZZ_CHECK(any || !state);
    checkWriter(run, entries);
    return 0;
}

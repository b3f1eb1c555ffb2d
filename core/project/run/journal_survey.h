// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/files/file_handle.h"
#include "project/run/run_directory.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sparserl {

/// The facts about a journal needed for a resume, found in one pass, even if the journal was edited or
/// truncated.
struct JournalSurvey
{
    struct Checkpoint
    {
        std::string name;
        std::int64_t step = 0, seq = 0;
        std::int64_t end = 0; ///< Offset after the event's line.
    };
    struct Answer
    {
        std::string id;
        bool durable = false; ///< The answer belongs to a `set`, which is rolled back with the journal.
        std::int64_t end = 0;
    };

    std::int64_t size = 0;
    std::int64_t headEnd = 0; ///< Offset after the initial state `queued`, which every run has.
    int newestGen = 0;
    std::vector<Checkpoint> checkpoints;
    std::vector<Answer> answers; ///< Commands that were applied or refused.
};
Result<JournalSurvey> surveyJournal(const FileHandle& journal);

/// The end of a journal for a resume from a checkpoint.
struct JournalCut
{
    std::int64_t keep = 0; ///< Bytes that belong to the checkpoint.
    bool exact = false;    ///< They match the checkpoint's record.
    bool hasEvent = false; ///< The checkpoint's own event is the last of them.
};
/// Uses the checkpoint's event if the journal has it, otherwise the seq recorded in the checkpoint.
Result<JournalCut> cutFor(const CheckpointInfo& checkpoint, const FileHandle& journal,
                          const JournalSurvey& survey);

} // namespace sparserl

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

/// What a resume has to know of a journal, also of one that somebody edited or cut: found in one pass.
struct JournalSurvey
{
    struct Checkpoint
    {
        std::string name;
        std::int64_t step = 0, seq = 0;
        std::int64_t end = 0; ///< Behind the event's line.
    };
    struct Answer
    {
        std::string id;
        bool durable = false; ///< Of a `set`, which is rolled back with the journal.
        std::int64_t end = 0;
    };

    std::int64_t size = 0;
    std::int64_t headEnd = 0; ///< Behind the state `queued` that every run begins with.
    int newestGen = 0;
    std::vector<Checkpoint> checkpoints;
    std::vector<Answer> answers; ///< Commands that were applied or refused.
};
Result<JournalSurvey> surveyJournal(const FileHandle& journal);

/// Where a journal ends for a resume from a checkpoint.
struct JournalCut
{
    std::int64_t keep = 0; ///< Bytes that belong to the checkpoint.
    bool exact = false;    ///< They are what the checkpoint recorded.
    bool hasEvent = false; ///< The checkpoint's own event is the last of them.
};
/// By the checkpoint's event where the journal has it, else by the seq that the checkpoint recorded.
Result<JournalCut> cutFor(const CheckpointInfo& checkpoint, const FileHandle& journal,
                          const JournalSurvey& survey);

} // namespace sparserl

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

/// The facts about a journal that a resume needs. They are found in one pass, even if the journal was edited
/// or truncated.
struct JournalSurvey
{
    struct Checkpoint
    {
        std::string name;
        std::int64_t step = 0, seq = 0;
        std::int64_t end = 0; ///< Offset of the first byte after the event's line.
    };
    struct Answer
    {
        std::string id;
        bool durable = false; ///< The command was a `set`, which is rolled back with the journal.
        std::int64_t end = 0;
    };

    std::int64_t size = 0;
    /// Offset of the first byte after the initial state `queued`, which every run has.
    std::int64_t headEnd = 0;
    int newestGen = 0;
    std::vector<Checkpoint> checkpoints;
    std::vector<Answer> answers; ///< Answers to commands that were applied or refused.
};
Result<JournalSurvey> surveyJournal(const FileHandle& journal);

/// The place at which a journal is cut for a resume from a checkpoint.
struct JournalCut
{
    std::int64_t keep = 0; ///< Length of the part that belongs to the checkpoint.
    bool exact = false;    ///< The length is the one that the checkpoint has recorded.
    bool hasEvent = false; ///< The last event in this part is the checkpoint's own event.
};
/// Finds the place at which to cut a journal: after the checkpoint's event if the journal has it, otherwise
/// at the seq that the checkpoint has recorded.
Result<JournalCut> cutFor(const CheckpointInfo& checkpoint, const FileHandle& journal,
                          const JournalSurvey& survey);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/work/job.h"
#include "training/work/stage.h"

#include <functional>
#include <string>
#include <vector>

namespace sparserl {

/// What runJob needs besides the project.
struct JobEnvironment
{
    std::function<void(bool saving)> onSaving; ///< As in StageEnvironment.
    CancelToken cancel;                        ///< Set: the stage checkpoints, the job ends as interrupted.
    Progress progress;                         ///< Of the stage at work; may be empty.
    /// Called once before each stage: its position in the job, and whether it is skipped because it is done,
    /// goes on from a checkpoint, or starts. May be empty.
    enum class Begin
    {
        Start,
        Resume,
        Skip
    };
    std::function<void(std::size_t stage, Begin begin)> onStage;
    /// Every journal entry as it is written; may be empty.
    std::function<void(const std::string& run, const JournalEntry& entry)> onEntry;
};

/// Runs the stages in order, each in its run directory under the project; one that is done already is
/// skipped, one that was interrupted resumes from its last checkpoint. So a job may be killed at any moment
/// and run again.
Result<StageOutcome::End> runJob(Project& project, const Job& job, const JobEnvironment& environment);

} // namespace sparserl

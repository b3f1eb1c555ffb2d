// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/work/job.h"
#include "training/work/stage.h"

#include <functional>
#include <string>
#include <vector>

namespace sparserl {

/// The environment of runJob besides the project.
struct JobEnvironment
{
    std::function<void(bool saving)> onSaving; ///< See StageEnvironment.
    CancelToken cancel;                        ///< If set: the stage checkpoints and the job ends as
                                               ///< interrupted.
    Progress progress;                         ///< Receives the progress of the current stage; may be empty.
    /// Called once before each stage with its position in the job, and whether it is skipped because it is
    /// done, resumes from a checkpoint, or starts. May be empty.
    enum class Begin
    {
        Start,
        Resume,
        Skip
    };
    std::function<void(std::size_t stage, Begin begin)> onStage;
    /// Receives every journal entry as it is written; may be empty.
    std::function<void(const std::string& run, const JournalEntry& entry)> onEntry;
};

/// Runs the stages in order, each in its run directory under the project. Skips completed stages and resumes
/// an interrupted one from its last checkpoint. A job may therefore be killed at any moment and run again.
Result<StageOutcome::End> runJob(Project& project, const Job& job, const JobEnvironment& environment);

} // namespace sparserl

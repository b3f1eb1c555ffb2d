// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/work/job.h"
#include "training/work/stage.h"

#include <functional>
#include <string>
#include <vector>

namespace sparserl {

/// The inputs of runJob() besides the project and the job.
struct JobEnvironment
{
    std::function<void(bool saving)> onSaving;        ///< See StageEnvironment.
    std::function<void(const FileLock* lock)> onLock; ///< See StageEnvironment.
    CancelToken cancel;                               ///< If set, the stage writes a checkpoint and the job
                                                      ///< ends as interrupted.
    Progress progress; ///< Receives the progress of the current stage. May be empty.
    /// Called once before each stage with the stage's position in the job and how it begins: it starts,
    /// resumes from a checkpoint, or is skipped because it is done. May be empty.
    enum class Begin
    {
        Start,
        Resume,
        Skip
    };
    std::function<void(std::size_t stage, Begin begin)> onStage;
    /// Receives a sentence if the stage's run exists and has other parameters than the job asks for, which a
    /// run keeps. May be empty.
    std::function<void(std::size_t stage, const std::string& sentence)> onOtherParameters;
    /// Receives every journal entry as it is written. May be empty.
    std::function<void(const std::string& run, const JournalEntry& entry)> onEntry;
};

/// Runs the stages in order, each in a run directory of the project. Skips a stage that is done and resumes
/// an interrupted one from its last checkpoint, so a job may be killed at any moment and run again.
Result<StageOutcome::End> runJob(Project& project, const Job& job, const JobEnvironment& environment);

} // namespace sparserl

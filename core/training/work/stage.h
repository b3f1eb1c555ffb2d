// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/lock.h"
#include "base/result.h"
#include "evaluation/judge.h"
#include "machine/system_sampler.h"
#include "matrix/target.h"
#include "project/files/sft_set.h"
#include "project/run/run_directory.h"
#include "training/parameters/stage_parameters.h"
#include "training/work/find_policy.h" // IWYU pragma: export
#include "training/work/process_group.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

struct Experience; // training/learning/experience.h

/// A target of a stage, with its split.
struct StageTarget
{
    Target target; ///< Has the dense columns of the run's task.
    bool heldOut = false;
    std::vector<std::string> warnings{}; ///< Sentences for the journal about the matrix file.
};

/// The inputs of a stage besides its run directory. The caller has resolved the paths from run.toml.
struct StageEnvironment
{
    std::vector<StageTarget> matrices; ///< Train and held-out. Their order affects only the order of reports.
    Judge* judge = nullptr;            ///< Must outlive the stage.
    /// Creates separate judges for figures that are reported. Used only by search.
    std::function<Result<std::unique_ptr<Judge>>()> makeFinalJudge;
    std::vector<ChosenProgram> chosen; ///< The project's SFT set. Used only by sft.
    std::filesystem::path runs;        ///< Folder of the project's runs; sft.records uses its searches.
    /// The directory of the initial policy, or a checkpoint that contains a policy. Required in rl and
    /// evaluate, optional in sft.
    std::filesystem::path parent;
    /// The processes that train the run together; by default, only this process.
    std::shared_ptr<ProcessGroup> processes = std::make_shared<ProcessGroup>();
    CancelToken cancel; ///< If set, the stage saves a checkpoint and ends as Interrupted.
    Progress progress;  ///< May be empty.
    /// The sources of the system.* metrics. The default disk is the one of the run directory.
    SystemSources system;
    /// Called with true before a checkpoint is saved and with false afterwards. Code that ends the process
    /// may wait for the end of saving.
    std::function<void(bool saving)> onSaving;
    /// Called with the worker's lock when the stage has taken it, and with nullptr before it is released.
    /// Code that ends the process leaves a note there (FileLock::markCutShort).
    std::function<void(const FileLock* lock)> onLock;
    /// For tests: may return another text for a sample before it is judged. Gets the seed of the rollout and
    /// the position of the sample. Otherwise empty.
    std::function<std::optional<std::string>(std::uint64_t seed, std::size_t sample)> replaceSample;
    /// For tests: receives the experience of an iteration of stage rl before training. Otherwise empty.
    std::function<void(std::int64_t iteration, const Experience& experience)> onExperience;
    /// Receives every journal event as it is written, for `--json` and for tests. May be empty.
    std::function<void(std::int64_t step, const Event& event)> onEvent;
    /// Receives the same events with their numbers and times in the journal. May be empty.
    std::function<void(const JournalEntry& entry)> onEntry;
};

/// How a stage ended, unless it failed. A failure is an Error; the last state in the journal has the reason.
struct StageOutcome
{
    enum class End
    {
        Done,       ///< All steps are done.
        Stopped,    ///< By a `stop` command. New state was saved; can be resumed.
        Interrupted ///< By `cancel`. New state was saved; can be resumed.
    };
    End end = End::Done;
    std::int64_t step = 0;
    std::filesystem::path checkpoint; ///< The last checkpoint; empty if none was written.
};

/// Records in the journal why a run could not start, because remote observers see only the journal. A run
/// that has worked before keeps its state, because it can still be resumed.
void noteFailedStart(RunDirectory& run, const Error& error);

/// Runs the stage named in run.toml from its last checkpoint, or from the start, to its end. Takes the run's
/// lock and records all actions in the journal. With several processes, each process calls this function for
/// the same run directory, but only process 0 takes the lock and writes.
Result<StageOutcome> runStage(RunDirectory& run, const StageEnvironment& environment);

/// Returns the complete run configuration for a stage, with the value of every parameter.
RunConfig stageRunConfig(StageKind kind, const ParameterSet& parameters);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
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

struct Experience; // learner.h

/// A target of a stage.
struct StageTarget
{
    Target target; ///< Its dense columns are those of the run's task.
    bool heldOut = false;
    std::vector<std::string> warnings{}; ///< Sentences about the matrix file, for the journal.
};

/// The inputs of a stage besides its run directory. The caller has resolved the paths in run.toml.
struct StageEnvironment
{
    std::vector<StageTarget> matrices; ///< Train and held-out. The order affects only the order of reports.
    Judge* judge = nullptr;            ///< Must outlive the stage.
    /// Creates separate judges for reported figures; only search uses them.
    std::function<Result<std::unique_ptr<Judge>>()> makeFinalJudge;
    std::vector<ChosenProgram> chosen; ///< The project's SFT set; only sft uses it.
    std::filesystem::path runs;        ///< The project's runs; sft.records uses the searches among them.
    /// Initial policy directory (or a checkpoint that contains one). Required in rl and evaluate, optional in
    /// sft.
    std::filesystem::path parent;
    /// The processes that train the run together; by default only this one.
    std::shared_ptr<ProcessGroup> processes = std::make_shared<ProcessGroup>();
    CancelToken cancel; ///< If set: checkpoint as soon as possible and return `interrupted`.
    Progress progress;  ///< May be empty.
    /// The sources of system.* metrics; the default disk is that of the run directory.
    SystemSources system;
    /// Called when saving of a checkpoint begins (true) and ends (false). Code that ends the process may wait
    /// for it.
    std::function<void(bool saving)> onSaving;
    /// For tests: may replace the text of a sample before judging, given the rollout's seed and the sample's
    /// position. Empty otherwise.
    std::function<std::optional<std::string>(std::uint64_t seed, std::size_t sample)> replaceSample;
    /// For tests: receives the experience of an iteration of stage rl before training. Empty otherwise.
    std::function<void(std::int64_t iteration, const Experience& experience)> onExperience;
    /// Receives every journal event as it is written, for `--json` and for tests. May be empty.
    std::function<void(std::int64_t step, const Event& event)> onEvent;
    /// The same with the event's number and time in the journal. May be empty.
    std::function<void(const JournalEntry& entry)> onEntry;
};

/// How a stage ended. A failure is an Error instead; the journal's last state gives the reason.
struct StageOutcome
{
    enum class End
    {
        Done,       ///< All steps were taken.
        Stopped,    ///< A `stop` command: checkpointed; resumable.
        Interrupted ///< `cancel`: checkpointed; resumable.
    };
    End end = End::Done;
    std::int64_t step = 0;
    std::filesystem::path checkpoint; ///< The last one; empty if the stage writes none (evaluate).
};

/// Records in the journal why a run could not start, because remote observers see only the journal. A run
/// that has worked before keeps its state, because it can still be resumed.
void noteFailedStart(RunDirectory& run, const Error& error);

/// Runs the stage named in run.toml from its last checkpoint (or from the start) to its end. Takes the run's
/// lock. Records all actions in the journal. With several processes, each calls this function for the same
/// run directory; only process 0 takes the lock and writes.
Result<StageOutcome> runStage(RunDirectory& run, const StageEnvironment& environment);

/// A complete run configuration for a stage: every parameter with its value.
RunConfig stageRunConfig(StageKind kind, const ParameterSet& parameters);

} // namespace sparserl

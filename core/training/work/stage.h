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

/// A target as a stage sees it.
struct StageTarget
{
    Target target; ///< Its dense columns are those of the run's task.
    bool heldOut = false;
    std::vector<std::string> warnings{}; ///< Sentences about the matrix's file, for the journal.
};

/// What a stage needs besides its run directory. Paths in run.toml have been resolved by whoever fills this
/// in.
struct StageEnvironment
{
    std::vector<StageTarget>
        matrices;           ///< Train and held-out; the order decides nothing but the order of reports.
    Judge* judge = nullptr; ///< Outlives the stage.
    /// Judges with processes of their own for figures that count; only search asks for some.
    std::function<Result<std::unique_ptr<Judge>>()> makeFinalJudge;
    std::vector<ChosenProgram> chosen; ///< The project's SFT set; only sft looks at it.
    std::filesystem::path runs;        ///< Of the project: its searches are what sft.records asks for.
    /// Policy directory (or checkpoint that holds one) to start from; rl and evaluate need it, sft does not.
    std::filesystem::path parent;
    /// Those that train the run together; this one alone unless somebody joins several.
    std::shared_ptr<ProcessGroup> processes = std::make_shared<ProcessGroup>();
    CancelToken cancel; ///< Set: checkpoint as soon as possible and return `interrupted`.
    Progress progress;  ///< May be empty.
    /// What system.* metrics are read from; without a disk it is that of the run directory.
    SystemSources system;
    /// A checkpoint begins to be saved (true) or was (false): what ends the process may want to wait.
    std::function<void(bool saving)> onSaving;
    /// For tests: may put another text in the place of a sample before it is judged, by the seed of the
    /// rollout and the sample's position in it. Empty otherwise.
    std::function<std::optional<std::string>(std::uint64_t seed, std::size_t sample)> replaceSample;
    /// For tests: what an iteration of the rl stage learns from, before it does. Empty otherwise.
    std::function<void(std::int64_t iteration, const Experience& experience)> onExperience;
    /// Every journal entry as it is written, for `--json` and for tests. May be empty.
    std::function<void(std::int64_t step, const Event& event)> onEvent;
    /// The same with the number and the time that the journal has for it. May be empty.
    std::function<void(const JournalEntry& entry)> onEntry;
};

/// How a stage ended. A failure is an Error instead (and the journal's last state says why).
struct StageOutcome
{
    enum class End
    {
        Done,       ///< All steps were taken.
        Stopped,    ///< A `stop` command: checkpointed; can be resumed.
        Interrupted ///< `cancel`: checkpointed; can be resumed.
    };
    End end = End::Done;
    std::int64_t step = 0;
    std::filesystem::path checkpoint; ///< The last one; empty where the stage writes none (evaluate).
};

/// A run that cannot even begin says why in its journal: who looks at it from elsewhere knows no other place.
/// A run that has worked before keeps its state, for it can be resumed as it was.
void noteFailedStart(RunDirectory& run, const Error& error);

/// Runs the stage that run.toml names from its last checkpoint (or from the start) to its end. Takes the
/// run's lock. Everything it does is in the journal. With several processes each of them calls this for the
/// same run directory; process 0 alone takes the lock and writes.
Result<StageOutcome> runStage(RunDirectory& run, const StageEnvironment& environment);

/// A complete run configuration for a stage: every parameter with its value.
RunConfig stageRunConfig(StageKind kind, const ParameterSet& parameters);

} // namespace sparserl

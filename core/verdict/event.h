// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "target/target_id.h"
#include "verdict/names.h"
#include "verdict/record.h"

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sparserl {

/// The state that a run reports in `state` events. Whether the run is alive is determined separately: see
/// RunStatus in queries.h.
enum class RunState
{
    Queued,
    Running,
    Paused,
    Done,
    Failed
};
std::string_view nameOf(RunState state); ///< "queued", "running", ...
std::optional<RunState> runStateFromName(std::string_view name);

/// `state`: the run changed its state. `reason` is a sentence for `Failed` and `Paused`.
struct StateEvent
{
    RunState state = RunState::Queued;
    std::string reason;
    std::int64_t totalSteps = 0; ///< Number of steps of this stage, 0 if unknown.
};

/// `metric`: values by name at one step. NaN and infinities are allowed and preserved.
struct MetricEvent
{
    std::string split = split::train;
    std::map<std::string, double> values;
};

/// `program`: the text of a kernel program, once per run (JournalWriter::appendProgram ensures this).
struct ProgramEvent
{
    std::string hash; ///< SHA-256 of the text in hex, as in VerdictRecord::programHash.
    std::string text; ///< Any bytes; zlib + base64 in the file.
};

/// One change by which a search derived a program from another.
struct ProposalEdit
{
    std::string kind;  ///< From the table of edits.
    std::string words; ///< "batches of 6 instead of 4 in the loop over i in spmv"
};

/// How a search obtained a program (docs/search.md).
struct ProposalOrigin
{
    std::int64_t number = 0;          ///< Number among the target's programs, in the order of proposals.
    std::string source;               ///< "bench", "grid", "edits", ...
    std::string corpus;               ///< For a corpus program: "S2 {...}"; otherwise empty.
    std::vector<std::string> parents; ///< Hashes of programs. The first one was edited.
    std::vector<ProposalEdit> edits;  ///< From the first parent to this program.
    double seconds = 0;               ///< Time in the target's search when the verdict arrived.
    std::string niche;                ///< Family and storage formats.
    bool fresh = false;               ///< No earlier program has the same plan and PTX.
    bool record = false;              ///< The fastest program at that time.
};

nlohmann::json toJson(const ProposalOrigin& origin);
/// Reads as many fields as possible. The others keep their defaults.
ProposalOrigin proposalFromJson(const nlohmann::json& json);

/// `sample`: one program proposed for one target.
struct SampleEvent
{
    std::string programHash;
    TargetId target;
    std::string origin = sample_origin::policy;
    std::string split = split::train;
    std::string family; ///< As identified by the corpus ("S3"), or empty.
    double logProb = 0; ///< Sum over the sampled tokens.
    std::int64_t tokens = 0;
    double reward = 0;                         ///< NaN if there is none.
    std::map<std::string, double> rewardParts; ///< "compile", "test", "efficiency", "memory", ...
    bool truncated = false;                    ///< Ended by the length limit, not by end-of-sequence.
    std::optional<ProposalOrigin> proposal;    ///< Set for programs of a search.
};

/// `verdict`: the verdict on a program for a target. Applies to every sample of the run with the same program
/// and target. A later verdict replaces an earlier one.
struct VerdictEvent
{
    VerdictRecord record;
};

/// `evaluation`: result of sampling `samples` programs for one target from a policy.
struct EvaluationEvent
{
    std::string policy; ///< Label of the evaluated checkpoint ("step-000400", "sft").
    TargetId target;
    std::string split = split::heldOut;
    std::int64_t nnz = 0;
    std::int64_t samples = 0, compiled = 0, correct = 0;
    std::int64_t faster = 0;                               ///< Correct and faster than the baseline.
    double bestMicroseconds = 0, baselineMicroseconds = 0; ///< 0: none
    std::string bestProgram;                               ///< Hash, or empty.
    std::vector<std::string> families;                     ///< Families of the correct programs.
    std::map<std::string, std::int64_t>
        familyCounts;       ///< The families with their counts; empty in old journals.
    std::string bestFamily; ///< Family of the fastest corpus program measured on the target, or empty.
    double meanReward = 0;
    /// Microseconds of other known routines and programs for the target, by the names in `reference`
    /// (names.h).
    std::map<std::string, double> references;

    /// Baseline / best program; 0 if either has no time.
    double bestSpeedup() const
    {
        return bestMicroseconds > 0 && baselineMicroseconds > 0 ? baselineMicroseconds / bestMicroseconds : 0;
    }
};
/// "12xS2 4xS3, fastest corpus family: S3": the number of programs of each family, the most frequent first,
/// and the family of the fastest corpus program judged before. Old journals have no counts: "S2 S3".
std::string familiesText(const EvaluationEvent& event);
/// The counts alone.
std::string familiesText(const std::map<std::string, std::int64_t>& counts);

/// `control`: the outcome of a command in control.jsonl, and its step (the entry's step).
struct ControlEvent
{
    std::string id;      ///< Id of the command; empty if the worker acted without one (signal).
    std::string command; ///< "pause", "resume", "stop", "checkpoint", "set"
    std::string key, value;
    std::string outcome = control_outcome::applied; ///< "accepted": takes effect at `effectiveStep`.
    std::string message;                            ///< The reason for a refusal, or what happened.
    std::int64_t effectiveStep = 0;
};

/// `checkpoint`: a checkpoint was written; the entry's step is its step.
struct CheckpointEvent
{
    std::string name; ///< Folder under checkpoints/.
};

/// `log`: a line of text for the user.
struct LogEvent
{
    std::string level = "info"; ///< "info", "warning", "error"
    std::string text;
};

/// An event of a kind that this version does not know; preserved unchanged.
struct UnknownEvent
{
    std::string kind;
    nlohmann::json json;
};

using Event = std::variant<StateEvent, MetricEvent, ProgramEvent, SampleEvent, VerdictEvent, EvaluationEvent,
                           ControlEvent, CheckpointEvent, LogEvent, UnknownEvent>;

/// One line of journal.jsonl (docs/formats.md 3).
struct JournalEntry
{
    std::int64_t seq = 0;  ///< 0, 1, 2, ... without gaps within the kept entries.
    int gen = 0;           ///< Number of times that the run had been resumed when this was written.
    double t = 0;          ///< Unix seconds.
    std::int64_t step = 0; ///< The training step (or iteration) of the entry.
    Event event;
};

std::string_view kindOf(const Event& event); ///< "state", "metric", ...
nlohmann::json toJson(const JournalEntry& entry);
Result<JournalEntry> journalEntryFromJson(const nlohmann::json& json);

} // namespace sparserl

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

/// `metric`: named values at one step. NaN and infinities are allowed and preserved.
struct MetricEvent
{
    std::string split = split::train;
    std::map<std::string, double> values;
};

/// `program`: the text of a kernel program. Each run contains it once (JournalWriter::appendProgram ensures
/// this).
struct ProgramEvent
{
    std::string hash; ///< SHA-256 of the text in hex, as in VerdictRecord::programHash.
    std::string text; ///< May contain any bytes. In the file: zlib, then base64.
};

/// One change by which a search derived a program from another.
struct ProposalEdit
{
    std::string kind;  ///< Name of the edit in the table of edits.
    std::string words; ///< Description: "batches of 6 instead of 4 in the loop over i in spmv".
};

/// How a search obtained a program (docs/search.md).
struct ProposalOrigin
{
    std::int64_t number = 0; ///< Number among the target's programs, in the order of proposals.
    std::string source;      ///< "bench", "grid", "edits", ...
    std::string corpus;      ///< Family and parameters of a corpus program: "S2 {...}"; otherwise empty.
    std::vector<std::string> parents; ///< Hashes of the parent programs. The first one was edited.
    std::vector<ProposalEdit> edits;  ///< The edits that turned the first parent into this program.
    double seconds = 0;               ///< Time from the start of the target's search to the verdict.
    std::string niche;                ///< Family and storage formats.
    bool fresh = false;               ///< No earlier program has the same plan and PTX.
    bool record = false;              ///< This was the fastest program so far.
};

nlohmann::json toJson(const ProposalOrigin& origin);
/// Reads as many fields as possible. The others keep their defaults.
ProposalOrigin proposalFromJson(const nlohmann::json& json);

/// The advantage of consecutive bytes of a program in the update of the policy (docs/rl.md). Above 0, the
/// update made their tokens more likely.
struct AdvantageRun
{
    std::int64_t bytes = 0; ///< Number of bytes; 0 for an end token whose advantage differs.
    double advantage = 0;   ///< NaN for text that the policy has only read.
    bool operator==(const AdvantageRun&) const = default;
};

/// Returns the advantage of the token that writes the byte at offset `at` of the program; for the offset
/// after the last byte, that of the end token. NaN if the runs do not say it.
double advantageAt(const std::vector<AdvantageRun>& runs, std::int64_t at);

nlohmann::json toJson(const std::vector<AdvantageRun>& runs);
/// Fails for JSON that toJson() does not write.
Result<std::vector<AdvantageRun>> advantagesFromJson(const nlohmann::json& json);

/// `sample`: one program proposed for one target.
struct SampleEvent
{
    std::string programHash;
    TargetId target;
    std::string origin = sample_origin::policy;
    std::string split = split::train;
    std::string family; ///< The family that the corpus recognises ("S3"), or empty.
    double logProb = 0; ///< Log probability of the sampled tokens.
    std::int64_t tokens = 0;
    double reward = 0;                         ///< NaN if the sample has no reward.
    std::map<std::string, double> rewardParts; ///< "compile", "test", "efficiency", "memory", ...
    /// The advantages of the program's tokens, in order. Empty if the policy was not trained on the sample.
    std::vector<AdvantageRun> advantages;
    bool truncated = false; ///< The length limit ended the text, not an end-of-sequence token.
    std::optional<ProposalOrigin> proposal; ///< Set for programs of a search.
};

/// `verdict`: the verdict on a program for a target. It applies to every sample of the run with the same
/// program and target. A later verdict replaces an earlier one.
struct VerdictEvent
{
    VerdictRecord record;
};

/// `evaluation`: the results of `samples` programs that a policy generated for one target.
struct EvaluationEvent
{
    std::string policy; ///< Label of the evaluated checkpoint ("step-000400", "sft").
    TargetId target;
    std::string split = split::heldOut;
    std::int64_t nnz = 0;
    std::int64_t samples = 0, compiled = 0, correct = 0;
    std::int64_t faster = 0; ///< Correct programs that are faster than the baseline.
    double bestMicroseconds = 0, baselineMicroseconds = 0; ///< 0: no time.
    std::string bestProgram;                               ///< Hash of the fastest correct program, or empty.
    std::vector<std::string> families;                     ///< Families of the correct programs.
    std::map<std::string, std::int64_t>
        familyCounts;       ///< Number of correct programs of each family; empty in old journals.
    std::string bestFamily; ///< Family of the fastest corpus program measured on the target, or empty.
    double meanReward = 0;
    /// Times of other routines and programs for the target, in microseconds. The keys are the names in
    /// `reference` (names.h).
    std::map<std::string, double> references;

    /// Time of the baseline divided by the time of the best program; 0 if either is unknown.
    double bestSpeedup() const
    {
        return bestMicroseconds > 0 && baselineMicroseconds > 0 ? baselineMicroseconds / bestMicroseconds : 0;
    }
};
/// Describes an evaluation: how many correct programs each family has, the most frequent family first, and
/// the family of the fastest corpus program ("12xS2 4xS3, fastest corpus family: S3"). Without counts:
/// "S2 S3".
std::string familiesText(const EvaluationEvent& event);
/// The same for counts only, without the corpus program.
std::string familiesText(const std::map<std::string, std::int64_t>& counts);

/// `control`: the outcome of a command in control.jsonl. The entry's step is the step of the outcome.
struct ControlEvent
{
    std::string id;      ///< Id of the command; empty if the worker acted on a signal.
    std::string command; ///< "pause", "resume", "stop", "checkpoint", "set"
    std::string key, value;
    /// If "accepted", the command takes effect at `effectiveStep`.
    std::string outcome = control_outcome::applied;
    std::string message; ///< The reason for a refusal, or what happened.
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
    std::int64_t seq = 0;  ///< 0, 1, 2, ...; the entries that are kept have no gaps.
    int gen = 0;           ///< Number of times that the run had been resumed when this was written.
    double t = 0;          ///< Unix seconds.
    std::int64_t step = 0; ///< The training step (or iteration) of the entry.
    Event event;
};

std::string_view kindOf(const Event& event); ///< "state", "metric", ...
nlohmann::json toJson(const JournalEntry& entry);
Result<JournalEntry> journalEntryFromJson(const nlohmann::json& json);

} // namespace sparserl

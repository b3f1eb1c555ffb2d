// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"
#include "reward/reward.h"
#include "training/work/judging.h"
#include "training/work/stage.h"
#include "verdict/record.h"

#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A program of the corpus, or of the project's SFT set, judged on a matrix.
struct SftExample
{
    TargetId target; ///< In files, the verdict stores its columns.
    bool heldOut = false;
    std::string text;
    std::string family;
    FamilyParameters parameters;
    bool chosen = false; ///< From the project's SFT set rather than the corpus.
    bool found = false;  ///< From the project's searches.
    VerdictRecord record;
};

struct SftDataOptions
{
    std::int64_t programsPerMatrix = 16;
    std::int64_t heldOutPrograms = 4;
    std::vector<std::string> families; ///< Empty: all. Each task selects its own among them.
    double variety = 0.2;
    std::int64_t maxBytes = 0; ///< Longer programs are not drawn; 0: no limit.
    double recommended = 0.5;
    bool inTurn = true; ///< Cycles through the recommended families; otherwise draws them by score, as
                        ///< earlier versions did.
    std::uint64_t seed = 1;
    TargetVariant variant; ///< Computation of the programs. buildSftData uses that of the targets.
    std::vector<ChosenProgram> chosen; ///< Added to the drawn programs for their training matrices.
};

/// The programs of the SFT set and of searches for a run: `now` at its start, later always the copy in
/// `file`, even if the set and the searches change. Process 0 reads and writes it for all processes.
Result<std::vector<ChosenProgram>> chosenForRun(const std::filesystem::path& file,
                                                const std::vector<ChosenProgram>& now,
                                                ProcessGroup& processes);

/// Draws corpus programs for every matrix, adds the chosen programs, and judges all. Appends judged programs
/// to `file` (JSON Lines) immediately, so an interrupted build resumes. Deterministic: a target's programs
/// depend only on the seed and its contents. Returns all records, including incorrect ones.
Result<std::vector<SftExample>> buildSftData(const std::filesystem::path& file,
                                             const std::vector<StageTarget>& matrices,
                                             const SftDataOptions& options, CachedJudge& judge,
                                             const CancelToken& cancel,
                                             const std::function<void(double fraction)>& progress);

/// At most `count` different corpus programs for a matrix, drawn from `rng`: with probability `recommended`
/// from a suitable family, otherwise from any. In turn: the best sufficiently short candidate of each
/// suitable family, then the second best of each, and so on, so every family is measured.
Result<std::vector<DerivedProgram>> drawPrograms(const Csr& matrix, std::int64_t count,
                                                 const SftDataOptions& options, const Rng& rng);

/// How the speed of a correct program determines its sampling frequency.
enum class SpeedWeighting
{
    ZScore, ///< exp(weight * z), with z the z-score of ln(speed-up) among the correct examples of the matrix.
    Power   ///< speed-up to the power `weight`: a softmax of ln(speed-up) at temperature 1 / weight.
};
Result<SpeedWeighting> speedWeightingFromName(std::string_view name); ///< "z-score", "power"

/// The weight of each example within its matrix; 0 for incorrect ones. The weights of a matrix sum to 1, so a
/// family's frequency depends on how often it wins, not on how often it was drawn for others.
std::vector<double> sftWeights(const std::vector<SftExample>& examples, SpeedWeighting weighting,
                               double weight);

/// For each example, the correct examples of its target that are slower by at least 3 %, which is more than
/// the noise of a clock. Empty for an example that is not correct.
std::vector<std::vector<std::size_t>> slowerExamples(const std::vector<SftExample>& examples);

/// Facts about a matrix and task from corpus programs: times of correct ones (the basis of reward
/// statistics), their families, and the texts used in supervised fine-tuning. Keyed by TargetId::key().
/// Stored in every checkpoint as reward_times.json, so rewards stay comparable across a chain of stages.
class RewardTimes
{
public:
    /// `shown`: the policy was trained on the text.
    void add(const VerdictRecord& record, const std::string& family, bool shown);
    bool has(const std::string& taskKey) const { return m_times.contains(taskKey); }
    /// The statistics for a preset; n = 0 for an unknown matrix.
    MatrixRewardStats statistics(const RewardModel& model, const std::string& taskKey) const;
    bool empty() const { return m_times.empty(); }
    /// Speed-up of the fastest program over the baseline of the same measurement; 0 if unknown.
    double bestSpeedup(const std::string& taskKey) const;
    /// Family of the fastest program; empty if unknown.
    std::string bestFamily(const std::string& taskKey) const;
    /// Whether a program with this hash was used for training, on any matrix.
    bool wasShown(const std::string& programHash) const;

    Status save(const std::filesystem::path& file) const;
    /// Returns an empty table if the file does not exist.
    static Result<RewardTimes> load(const std::filesystem::path& file);

private:
    struct Times
    {
        double baseline = 0;
        std::vector<double> microseconds;
        std::vector<std::int64_t> sharedBytes;
        std::vector<std::string> families; ///< Empty texts in files from earlier versions.
        std::vector<std::string> shown;    ///< Prefixes of hashes.
    };
    std::map<std::string, Times> m_times;
    std::set<std::string> m_shown;
};

} // namespace sparserl

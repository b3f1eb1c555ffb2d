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

/// A program of the corpus, or of the project's SFT set, that was judged on a matrix.
struct SftExample
{
    TargetId target; ///< In files the verdict has its columns.
    bool heldOut = false;
    std::string text;
    std::string family;
    FamilyParameters parameters;
    bool chosen = false; ///< Of the project's SFT set, not of the corpus.
    bool found = false;  ///< Of the project's searches.
    VerdictRecord record;
};

struct SftDataOptions
{
    std::int64_t programsPerMatrix = 16;
    std::int64_t heldOutPrograms = 4;
    std::vector<std::string> families; ///< Empty: all. Each task has its own among them.
    double variety = 0.2;
    std::int64_t maxBytes = 0; ///< Longer programs are not drawn; 0: no limit.
    double recommended = 0.5;
    bool inTurn = true; ///< Recommended families in turn; else by their scores, as earlier versions drew.
    std::uint64_t seed = 1;
    TargetVariant variant; ///< What programs are to compute. buildSftData takes those of the targets.
    std::vector<ChosenProgram> chosen; ///< Join those that are drawn for the training matrices they are for.
};

/// What a run takes of the project's SFT set and searches: `now` at its start, and then the same however they
/// change, as `file` says. Process 0 reads and writes it for all.
Result<std::vector<ChosenProgram>> chosenForRun(const std::filesystem::path& file,
                                                const std::vector<ChosenProgram>& now,
                                                ProcessGroup& processes);

/// Draws corpus programs for every matrix, adds those that were chosen for it, and judges them. Judged
/// programs are appended to `file` (JSON Lines) as they come, so that an interrupted build goes on where it
/// was. Deterministic: which programs a target gets depends on the seed and its contents only. All records
/// are returned, also those that are not correct.
Result<std::vector<SftExample>> buildSftData(const std::filesystem::path& file,
                                             const std::vector<StageTarget>& matrices,
                                             const SftDataOptions& options, CachedJudge& judge,
                                             const CancelToken& cancel,
                                             const std::function<void(double fraction)>& progress);

/// At most `count` different corpus programs for a matrix, drawn from `rng`: with probability `recommended`
/// of a family that suits it, else of any. In turn: the best candidate of each family that suits the matrix
/// and is short enough, then the second best of each, and so on, so that every family is measured on it.
Result<std::vector<DerivedProgram>> drawPrograms(const Csr& matrix, std::int64_t count,
                                                 const SftDataOptions& options, const Rng& rng);

/// How the speed of a correct program decides how often it is shown.
enum class SpeedWeighting
{
    ZScore, ///< exp(weight * z), z the z-score of ln(speed-up) among the correct examples of the matrix.
    Power   ///< speed-up to the power `weight`: a softmax of ln(speed-up) at temperature 1 / weight.
};
Result<SpeedWeighting> speedWeightingFromName(std::string_view name); ///< "z-score", "power"

/// Weight of each example within its matrix; 0 for those that are not correct. The weights of a matrix sum to
/// 1, so that a family is shown as often as it wins, however often it was drawn for others.
std::vector<double> sftWeights(const std::vector<SftExample>& examples, SpeedWeighting weighting,
                               double weight);

/// For each example, the correct ones of its target that are slower by at least 3 %, which is more than the
/// noise of a clock; none for those that are not correct.
std::vector<std::vector<std::size_t>> slowerExamples(const std::vector<SftExample>& examples);

/// What is known of a matrix and task from programs of the corpus: times of correct ones (a reward preset's
/// statistics are made from them), their families, and which texts supervised fine-tuning has shown. By
/// TargetId::key(). Travels with every checkpoint as reward_times.json, so that rewards stay
/// comparable along a chain of stages.
class RewardTimes
{
public:
    /// `shown`: the policy was trained on the text.
    void add(const VerdictRecord& record, const std::string& family, bool shown);
    bool has(const std::string& taskKey) const { return m_times.contains(taskKey); }
    /// Statistics of a preset; n = 0 for a matrix that nothing is known of.
    MatrixRewardStats statistics(const RewardModel& model, const std::string& taskKey) const;
    bool empty() const { return m_times.empty(); }
    /// Speed-up of the fastest program over the baseline that it was measured beside; 0 where none is known.
    double bestSpeedup(const std::string& taskKey) const;
    /// Family of the fastest program; empty where none is known.
    std::string bestFamily(const std::string& taskKey) const;
    /// Whether a program with this hash was trained on, for whatever matrix.
    bool wasShown(const std::string& programHash) const;

    Status save(const std::filesystem::path& file) const;
    /// An empty table where the file does not exist.
    static Result<RewardTimes> load(const std::filesystem::path& file);

private:
    struct Times
    {
        double baseline = 0;
        std::vector<double> microseconds;
        std::vector<std::int64_t> sharedBytes;
        std::vector<std::string> families; ///< Empty texts in files of earlier versions.
        std::vector<std::string> shown;    ///< Beginnings of hashes.
    };
    std::map<std::string, Times> m_times;
    std::set<std::string> m_shown;
};

} // namespace sparserl

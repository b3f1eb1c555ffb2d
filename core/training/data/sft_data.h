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

/// A judged program for a matrix, from the corpus, the project's SFT set or its searches.
struct SftExample
{
    TargetId target; ///< In files, its columns are stored in the verdict.
    bool heldOut = false;
    std::string text;
    std::string family;
    FamilyParameters parameters;
    bool chosen = false; ///< From the project's SFT set instead of the corpus.
    bool found = false;  ///< From the project's searches.
    VerdictRecord record;
};

struct SftDataOptions
{
    std::int64_t programsPerMatrix = 16;
    std::int64_t heldOutPrograms = 4;
    std::vector<std::string> families; ///< Empty: all. A task ignores families that it does not have.
    double variety = 0.2;
    std::int64_t maxBytes = 0; ///< Longer programs are not drawn; 0: no limit.
    double recommended = 0.5;
    bool inTurn = true; ///< Cycles through the recommended families; otherwise draws candidates by score, as
                        ///< earlier versions did.
    std::uint64_t seed = 1;
    TargetVariant variant; ///< What the programs compute. buildSftData() uses the targets' variants.
    std::vector<ChosenProgram> chosen; ///< Added to the drawn programs for their training matrices.
};

/// Returns the programs of the SFT set and of searches for a run. At the start of the run, these are `now`;
/// afterwards, they are always the copy in `file`, even if the set and the searches change. Process 0 reads
/// and writes the file for all processes.
Result<std::vector<ChosenProgram>> chosenForRun(const std::filesystem::path& file,
                                                const std::vector<ChosenProgram>& now,
                                                ProcessGroup& processes);

/// Draws corpus programs for every matrix, adds the chosen programs, and judges all of these programs.
/// Appends each judged program to `file` (JSON Lines) at once, so that an interrupted build can resume.
/// Deterministic: the programs for a target depend only on the seed and the target's contents. Returns all
/// records, including those of incorrect programs.
Result<std::vector<SftExample>> buildSftData(const std::filesystem::path& file,
                                             const std::vector<StageTarget>& matrices,
                                             const SftDataOptions& options, CachedJudge& judge,
                                             const CancelToken& cancel,
                                             const std::function<void(double fraction)>& progress);

/// Draws at most `count` different corpus programs for a matrix: with probability `recommended` from a
/// suitable family, otherwise from any family. With `inTurn`, the suitable families take turns: first the
/// best candidate of each family that is short enough, then the second best of each, and so on, so that
/// every suitable family is measured.
Result<std::vector<DerivedProgram>> drawPrograms(const Csr& matrix, std::int64_t count,
                                                 const SftDataOptions& options, const Rng& rng);

/// How the speed of a correct program determines its sampling frequency.
enum class SpeedWeighting
{
    ZScore, ///< exp(weight * z), with z the z-score of ln(speed-up) among the correct examples of the matrix.
    Power   ///< Speed-up to the power `weight`: a softmax of ln(speed-up) at temperature 1 / weight.
};
Result<SpeedWeighting> speedWeightingFromName(std::string_view name); ///< "z-score", "power"

/// Returns the weight of each example within its matrix; 0 for incorrect examples. The weights of a matrix
/// sum to 1, so the frequency of a family depends on how often it wins, not on how often it was drawn for
/// other matrices.
std::vector<double> sftWeights(const std::vector<SftExample>& examples, SpeedWeighting weighting,
                               double weight);

/// Returns, for each example, the correct examples of its target that are slower by at least 3 %, which is
/// more than the noise of a measurement. Empty for an incorrect example.
std::vector<std::vector<std::size_t>> slowerExamples(const std::vector<SftExample>& examples);

/// Facts about each target from judged corpus programs: the times of correct programs (the basis of
/// the reward statistics), their families, and the texts used in supervised fine-tuning. The key is
/// TargetId::key(). Every checkpoint stores this table as reward_times.json, so that rewards stay comparable
/// across a chain of stages.
class RewardTimes
{
public:
    /// `shown` says whether the policy was trained on the program's text.
    void add(const VerdictRecord& record, const std::string& family, bool shown);
    bool has(const std::string& taskKey) const { return m_times.contains(taskKey); }
    /// Returns the statistics that the reward model needs; n = 0 for an unknown target.
    MatrixRewardStats statistics(const RewardModel& model, const std::string& taskKey) const;
    bool empty() const { return m_times.empty(); }
    /// Returns the speed-up of the fastest program over the baseline in the same measurement; 0 if unknown.
    double bestSpeedup(const std::string& taskKey) const;
    /// Returns the family of the fastest program; empty if unknown.
    std::string bestFamily(const std::string& taskKey) const;
    /// Returns whether a program with this hash was used for training, for any matrix.
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
        std::vector<std::string> families; ///< Empty strings in files from earlier versions.
        std::vector<std::string> shown;    ///< Prefixes of program hashes.
    };
    std::map<std::string, Times> m_times;
    std::set<std::string> m_shown;
};

} // namespace sparserl

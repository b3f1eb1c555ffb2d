// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "machine/shared_memory.h"
#include "reward/expression.h"
#include "reward/weights.h"
#include "verdict/record.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Statistics of the speed of the SFT samples for one matrix. They are frozen before RL starts, so the reward
/// of a program does not change while the policy learns.
struct MatrixRewardStats
{
    double mu = 0;    ///< Mean of the preset's speed measure over the correct samples.
    double sigma = 0; ///< Standard deviation (n - 1).
    int n = 0;        ///< Number of correct samples; 0: no statistics.
    /// Highest speed-up of the samples over the baseline; 0: unknown. If no library routine was timed (on the
    /// simulated device), the preset `milestone` uses it as its second threshold.
    double bestSpeedup = 0;
};

/// A reward and its parts. RL receives `total` at the end of the sequence. `plan` and `code` are the rewards
/// of the two classes of tokens if the recipe rewards them separately (TritonRL); otherwise both equal
/// `total`.
struct RewardParts
{
    double compile = 0, test = 0, efficiency = 0, memory = 0;
    double total = 0;
    double plan = 0, code = 0;
};

/// Data for a reward that a verdict does not contain.
struct RewardExtras
{
    /// Similarity to a reference program in [0, 1] (program_match.h), for reward models that use it
    /// (usesReference()). Zero if there is no reference.
    double syntaxMatch = 0, dataflowMatch = 0;
    std::int64_t tokens = 0;
    bool truncated = false; ///< The length limit ended the program.
};

/// A named reward preset (docs/design.md 7): a pure function of a verdict and the frozen statistics of its
/// matrix. In every preset except `expression`, a correct program of any speed gets at least as much as a
/// wrong one that compiles, which gets at least as much as one that does not compile. In `sparserl`, it gets
/// strictly more. A program with the flag `suspicious` counts as compiled and wrong until it is verified
/// again.
class RewardModel
{
public:
    struct Description
    {
        std::string name, source, formula;
    };
    /// The presets: sparserl, sparserl-literal, coderl, ppocoder, rft-kernelbench, milestone, hierarchical,
    /// expression.
    static std::span<const Description> presets();
    /// Creates the model of a preset. Fails if the name is unknown (the Error lists the known names), if the
    /// preset has no weights but `weights` differ from the paper's, or if `expression` is invalid or not used
    /// by the preset.
    static Result<RewardModel> preset(std::string_view name, const RewardWeights& weights = {},
                                      std::string_view expression = {});

    const std::string& name() const { return m_name; }
    /// Returns whether the reward depends on the similarities in RewardExtras, which the caller must then
    /// measure.
    bool usesReference() const
    {
        return m_preset == Preset::PPOCoder || m_expression.uses("syntax_match") ||
               m_expression.uses("dataflow_match");
    }
    /// Returns a sentence if the user's formula violates the order of outcomes; otherwise an empty text.
    std::string orderWarning() const
    {
        return m_preset == Preset::Expression ? m_expression.orderWarning() : std::string();
    }
    /// Returns whether `plan` and `code` may differ from `total`.
    bool paysClassesApart() const { return m_preset == Preset::Hierarchical; }
    RewardParts reward(const VerdictRecord& record, const MatrixRewardStats* stats = nullptr,
                       const RewardExtras& extras = {}) const;
    /// Returns the quantity whose mean and deviation over SFT samples are `mu` and `sigma`: ln(speedup) in
    /// `sparserl` and `expression`, speedup - 1 in other presets. Returns 0 for records that are not correct
    /// or have no times.
    double speedMeasure(const VerdictRecord& record) const;
    /// Computes the statistics of one matrix from the records of its SFT samples.
    MatrixRewardStats statistics(std::span<const VerdictRecord> samples) const;

    /// Shared memory (static + dynamic, bytes) above which the memory penalty applies: 48 KiB (SparseRL
    /// A.25).
    static constexpr std::int64_t sharedLimit = sharedBytesOfEveryDevice;

private:
    enum class Preset
    {
        SparseRL,
        Literal,
        CodeRL,
        PPOCoder,
        RftKernelBench,
        Milestone,
        Hierarchical,
        Expression
    };
    RewardModel(Preset preset, std::string name, const RewardWeights& weights);
    Preset m_preset;
    std::string m_name;
    RewardWeights m_weights;
    RewardExpression m_expression;
};

/// Returns DAPO's soft length penalty: 0 up to `longest - buffer` tokens. From there, it falls linearly to
/// -factor at `longest`. If `buffer` is 0, there is no penalty.
double overlongPenalty(std::int64_t tokens, std::int64_t longest, std::int64_t buffer, double factor);

/// Returns whether any preset pays more for this record than for a program that is simply wrong. No attack
/// may achieve this.
bool paidMoreThanWrong(const VerdictRecord& record);

} // namespace sparserl

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

/// What the SFT samples of one matrix tell about speed; frozen before RL starts, so that the reward of a
/// program does not change while the policy learns.
struct MatrixRewardStats
{
    double mu = 0;          ///< Mean of the preset's speed measure over the correct samples.
    double sigma = 0;       ///< Standard deviation (n - 1).
    int n = 0;              ///< Correct samples that entered; 0: nothing known.
    double bestSpeedup = 0; ///< Best baseline / t of the samples; 0: unknown. Preset milestone's second bar
                            ///< where no library routine was timed (the simulated device).
};

/// A reward and what it is made of. `total` is what RL gets at the end of the sequence; `plan` and `code` are
/// the rewards of the two classes of tokens where a recipe rewards them apart (TritonRL), else both are
/// `total`.
struct RewardParts
{
    double compile = 0, test = 0, efficiency = 0, memory = 0;
    double total = 0;
    double plan = 0, code = 0;
};

/// What a verdict does not say of a program.
struct RewardExtras
{
    /// Similarity to a reference program in [0, 1] (program_match.h), for models that use it
    /// (usesReference). Zero where there is no reference.
    double syntaxMatch = 0, dataflowMatch = 0;
    std::int64_t tokens = 0;
    bool truncated = false; ///< By the limit of length.
};

/// A named reward preset (docs/design.md 7): a pure function of a verdict and of the frozen statistics of its
/// matrix. In every preset correct >= compiled >= not compiled, strictly in `sparserl`, for every time. A
/// program flagged `suspicious` counts as compiled and wrong until it is verified again.
class RewardModel
{
public:
    struct Description
    {
        std::string name, source, formula;
    };
    /// sparserl, sparserl-literal, coderl, ppocoder, rft-kernelbench, milestone, hierarchical, expression.
    static std::span<const Description> presets();
    /// Fails with the list of names for an unknown one.
    /// Also for weights other than the paper's with a preset that has none, and for an `expression` that is
    /// wrong, or that the preset has no use for.
    static Result<RewardModel> preset(std::string_view name, const RewardWeights& weights = {},
                                      std::string_view expression = {});

    const std::string& name() const { return m_name; }
    /// Whether RewardExtras count: the caller then has to measure them.
    bool usesReference() const
    {
        return m_preset == Preset::PPOCoder || m_expression.uses("syntax_match") ||
               m_expression.uses("dataflow_match");
    }
    /// Whether the user's formula breaks the order of outcomes: a sentence, or empty.
    std::string orderWarning() const
    {
        return m_preset == Preset::Expression ? m_expression.orderWarning() : std::string();
    }
    /// Whether `plan` and `code` differ from `total`.
    bool paysClassesApart() const { return m_preset == Preset::Hierarchical; }
    RewardParts reward(const VerdictRecord& record, const MatrixRewardStats* stats = nullptr,
                       const RewardExtras& extras = {}) const;
    /// The number whose mean and deviation over SFT samples is `mu`, `sigma`: ln(speedup) in `sparserl` and
    /// `expression`, speedup - 1 elsewhere. 0 for records that are not correct or have no times.
    double speedMeasure(const VerdictRecord& record) const;
    /// Statistics of one matrix from the records of its SFT samples.
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

/// DAPO's soft punishment of length: 0 up to `longest - buffer` tokens, then falling linearly to -factor at
/// `longest`. `buffer` 0: none.
double overlongPenalty(std::int64_t tokens, std::int64_t longest, std::int64_t buffer, double factor);

/// True if some preset pays more for this record than for a plain wrong program: what no attack may reach.
bool paidMoreThanWrong(const VerdictRecord& record);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "reward/reward.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sparserl {

namespace {

// SparseRL 3.4 and A.4: R_compile and R_test are +-0.5, scores are truncated to [-2, 2].
constexpr double half = 0.5;
constexpr double zLimit = 2.0;
/// What is left between the worst correct program and the best wrong one in `sparserl`.
constexpr double orderMargin = 0.1;
/// Below this the deviation of speeds is noise, and a z-score would blow it up (docs/rl.md 1, trap 8): 5 %
/// for the ratio, the same for its logarithm.
constexpr double sigmaFloor = 0.05;
/// Scale of the score before anything is known about a matrix: a factor of e^0.5 = 1.65 is one unit.
constexpr double unknownSigma = 0.5;

/// 0 not compiled, 1 compiled and wrong, 2 correct.
enum class Outcome
{
    NotCompiled,
    Wrong,
    Correct
};

Outcome outcomeOf(const VerdictRecord& record)
{
    if (!isCompiled(record.verdict))
        return Outcome::NotCompiled;
    return record.correct() && !record.flags.has(VerdictFlag::Suspicious) ? Outcome::Correct : Outcome::Wrong;
}

/// (v - mu) / sigma truncated to [-2, 2]; with fewer than two samples v in units of `unknownSigma` around mu.
double zScore(double value, const MatrixRewardStats* stats)
{
    const double mu = stats && stats->n > 0 ? stats->mu : 0.0;
    const double sigma = stats && stats->n > 1 ? std::max(stats->sigma, sigmaFloor) : unknownSigma;
    const double z = (value - mu) / sigma;
    return std::isfinite(z) ? std::clamp(z, -zLimit, zLimit) : (z > 0 ? zLimit : -zLimit);
}

bool overSharedLimit(const VerdictRecord& record)
{
    return isCompiled(record.verdict) &&
           record.staticShared + record.dynamicShared > RewardModel::sharedLimit;
}

/// R = R_compile + R_test + R_eff - 0.3 I_memory, R_eff = z/2 for z >= 0 and 0.3 z for z < 0, z of
/// ln(speedup). The lower slope keeps every correct program at least `orderMargin` above every wrong one
/// (whose best is 0) without flattening the order of slow ones: 1 - 0.6 - 0.3 = 0.1. Other weights scale
/// both slopes, the lower one no further than that.
RewardParts paperWithOrder(const VerdictRecord& record, Outcome outcome, double measure,
                           const MatrixRewardStats* stats, const RewardWeights& weights)
{
    RewardParts parts;
    parts.compile = outcome == Outcome::NotCompiled ? -half : half;
    if (outcome != Outcome::NotCompiled)
        parts.test = outcome == Outcome::Correct ? half : -half;
    if (outcome == Outcome::Correct) {
        const double z = record.speedup() > 0 ? zScore(measure, stats) : 0.0;
        constexpr double paperSlope = (1 - RewardWeights().penalty - orderMargin) / zLimit;
        const double lowerSlope =
            std::min(weights.efficiency * paperSlope, (1 - weights.penalty - orderMargin) / zLimit);
        parts.efficiency = z >= 0 ? weights.efficiency * z / zLimit : lowerSlope * z;
    }
    // A wrong program stays above one that does not compile.
    if (overSharedLimit(record))
        parts.memory = -(outcome == Outcome::Correct ? weights.penalty
                                                     : std::min(weights.penalty, half - orderMargin / 2));
    parts.total = parts.compile + parts.test + parts.efficiency + parts.memory;
    return parts;
}

/// A.4.3: alpha R_corr + (1 - alpha) R_eff - 0.3 I_memory with alpha = 0.5, R_corr = R_compile + R_test,
/// R_eff = r_eff times the truncated z-score of t_base/t - 1 (un-normalised where the matrix has no
/// statistics). As printed, a slow correct program falls below a wrong one; the only change is a floor:
/// correct >= 0, wrong >= -alpha/2.
RewardParts literal(const VerdictRecord& record, Outcome outcome, double measure,
                    const MatrixRewardStats* stats, const RewardWeights& weights)
{
    const double alpha = weights.correctness;
    RewardParts parts;
    parts.compile = outcome == Outcome::NotCompiled ? -half : half;
    if (outcome != Outcome::NotCompiled)
        parts.test = outcome == Outcome::Correct ? half : -half;
    if (outcome == Outcome::Correct && record.speedup() > 0)
        parts.efficiency =
            weights.efficiency *
            (stats && stats->n > 1 ? zScore(measure, stats) : std::clamp(measure, -zLimit, zLimit));
    if (overSharedLimit(record))
        parts.memory = -weights.penalty;
    parts.total = alpha * (parts.compile + parts.test) + (1 - alpha) * parts.efficiency + parts.memory;
    if (outcome == Outcome::Correct)
        parts.total = std::max(parts.total, 0.0);
    else if (outcome == Outcome::Wrong)
        parts.total = std::max(parts.total, -alpha * half);
    return parts;
}

/// CodeRL: -1 does not compile, -0.6 run-time error, -0.3 wrong result, +1 correct.
RewardParts codeRl(const VerdictRecord& record, Outcome outcome)
{
    RewardParts parts;
    if (outcome == Outcome::NotCompiled)
        parts.compile = -1;
    else if (outcome == Outcome::Correct)
        parts.test = 1;
    else
        parts.test = record.verdict == Verdict::WrongResult || record.correct() ? -0.3 : -0.6;
    parts.total = parts.compile + parts.test;
    return parts;
}

/// PPOCoder: the same outcome scale plus syntax-tree and data-flow match with a reference program
/// (program_match.h). As printed both weigh 1, and a wrong program with both is paid more than a correct one
/// with none; here the two together weigh 0.29, less than the smallest gap of the scale, so that they never
/// change the order of outcomes.
RewardParts ppoCoder(const VerdictRecord& record, Outcome outcome, const RewardExtras& extras)
{
    constexpr double matchWeight = 0.145;
    RewardParts parts = codeRl(record, outcome);
    parts.efficiency =
        matchWeight * (std::clamp(extras.syntaxMatch, 0.0, 1.0) + std::clamp(extras.dataflowMatch, 0.0, 1.0));
    parts.total += parts.efficiency;
    return parts;
}

/// RFT-Kernels: alpha 1[compiled] + beta 1[correct] + gamma min(t0/t, 3) 1[correct]; 0.5, 1.0 and up to 1.5.
RewardParts rftKernelBench(const VerdictRecord& record, Outcome outcome)
{
    constexpr double maxRatio = 3.0;
    RewardParts parts;
    parts.compile = outcome == Outcome::NotCompiled ? 0.0 : 0.5;
    if (outcome == Outcome::Correct) {
        parts.test = 1.0;
        parts.efficiency = 0.5 * std::min(record.speedup(), maxRatio);
    }
    parts.total = parts.compile + parts.test + parts.efficiency;
    return parts;
}

/// CUDA Agent: -1 wrong; 3 if more than 5 % faster than both bars, 2 if than the first, else 1; faster by
/// (t0 - t)/t0. Their bars, eager and compile, are here cuSPARSE's DEFAULT algorithm and its best CSR
/// routine. Where no library was timed (the simulated device) they are the baseline and the best program of
/// the frozen statistics.
RewardParts milestone(const VerdictRecord& record, Outcome outcome, const MatrixRewardStats* stats)
{
    RewardParts parts;
    if (outcome != Outcome::Correct) {
        parts.compile = outcome == Outcome::NotCompiled ? -1 : 0;
        parts.test = outcome == Outcome::NotCompiled ? 0 : -1;
        parts.total = -1;
        return parts;
    }
    // 1 - t/t0 > 0.05 for a bar t0 = t_base / s_bar: t_base/t > s_bar / 0.95.
    constexpr double keep = 0.95;
    const double speedup = record.speedup(), base = record.baselineMicroseconds;
    const bool library = record.defaultRoutineMicroseconds > 0 && record.bestRoutineMicroseconds > 0;
    const double first = library ? base / record.defaultRoutineMicroseconds : 1;
    const double second = library ? base / record.bestRoutineMicroseconds : stats ? stats->bestSpeedup : 0;
    const bool overFirst = speedup > first / keep;
    const bool overSecond = second > 0 && speedup > second / keep;
    parts.test = 1;
    parts.efficiency = overFirst ? (overSecond ? 2 : 1) : 0;
    parts.total = parts.test + parts.efficiency;
    return parts;
}

/// TritonRL: r_plan = syntax func speedup, r_code = syntax func correct; J = alpha F_plan + F_code, alpha =
/// 0.1. syntax: compiled; func: the gate and the flags found no cheating (here part of the outcome).
RewardParts hierarchical(const VerdictRecord& record, Outcome outcome)
{
    constexpr double planWeight = 0.1;
    RewardParts parts;
    if (outcome == Outcome::Correct) {
        parts.test = parts.code = 1;
        parts.efficiency = parts.plan = record.speedup();
    }
    parts.total = planWeight * parts.plan + parts.code;
    return parts;
}

/// The user's formula over what a verdict, the statistics of the matrix and the sample say.
RewardParts byExpression(const RewardExpression& expression, const VerdictRecord& record, Outcome outcome,
                         double measure, const MatrixRewardStats* stats, const RewardExtras& extras)
{
    const bool compiled = outcome != Outcome::NotCompiled, correct = outcome == Outcome::Correct;
    RewardValues values{{"compiled", compiled ? 1 : 0},
                        {"correct", correct ? 1 : 0},
                        {"wrong_result", record.verdict == Verdict::WrongResult ? 1 : 0},
                        {"record", stats ? stats->bestSpeedup : 0},
                        {"bytes", static_cast<double>(record.compulsoryBytes)},
                        {"copied", record.flags.has(VerdictFlag::Copied) ? 1 : 0},
                        {"tokens", static_cast<double>(extras.tokens)},
                        {"truncated", extras.truncated ? 1 : 0},
                        {"syntax_match", extras.syntaxMatch},
                        {"dataflow_match", extras.dataflowMatch}};
    if (compiled)
        values.insert({{"shared", static_cast<double>(record.staticShared + record.dynamicShared)},
                       {"over_shared", overSharedLimit(record) ? 1 : 0},
                       {"registers", record.registers},
                       {"occupancy", record.occupancy}});
    if (correct) {
        const double speedup = record.speedup();
        values.insert({{"speedup", speedup},
                       {"z", speedup > 0 ? zScore(measure, stats) : 0},
                       {"t", record.warm ? record.warm->median : 0},
                       {"t_base", record.baselineMicroseconds},
                       {"t_default", record.defaultRoutineMicroseconds},
                       {"t_best", record.bestRoutineMicroseconds},
                       {"share", record.shareOfLimit},
                       {"setup", record.setupMicroseconds}});
    }
    RewardParts parts;
    parts.total = expression.value(values);
    return parts;
}

const std::array<RewardModel::Description, 8> descriptions{{
    {"sparserl", "SparseRL 3.4, A.4 with the order of outcomes made strict",
     "compile +-0.5, test +-0.5, efficiency z/2 (z >= 0) or 0.3 z (z < 0) with z = (ln(t_base/t) - mu)/sigma "
     "in "
     "[-2, 2], memory -0.3 above 48 KiB of shared memory; correct >= 0.1 > wrong <= 0, wrong >= -0.3 > not "
     "compiled = -0.5"},
    {"sparserl-literal", "SparseRL A.4.3",
     "0.5 (R_compile + R_test) + 0.5 z - 0.3 I_memory with z of t_base/t - 1 in [-2, 2]; floors: correct >= "
     "0, "
     "wrong >= -0.25"},
    {"coderl", "CodeRL", "-1 not compiled, -0.6 run-time error, -0.3 wrong result, +1 correct"},
    {"ppocoder", "PPOCoder",
     "coderl's scale + 0.145 (syntax match + data-flow match) with the matrix's best corpus program; as "
     "printed the matches weigh 1, which breaks the order of outcomes"},
    {"rft-kernelbench", "RFT-Kernels", "0.5 compiled + 1.0 correct + 0.5 min(t_base/t, 3) if correct"},
    {"milestone", "CUDA Agent",
     "-1 wrong, 1 correct, 2 more than 5 % faster than cuSPARSE's DEFAULT, 3 also than its best CSR "
     "routine; on the simulated device than the reference program and the best SFT program"},
    {"hierarchical", "TritonRL",
     "code tokens: 1 if correct; plan tokens: t_base/t if correct (rl.token_classes keeps them apart); "
     "total = 0.1 plan + code"},
    {"expression", "yours", "the formula reward.expression"},
}};

} // namespace

RewardModel::RewardModel(Preset preset, std::string name, const RewardWeights& weights)
    : m_preset(preset)
    , m_name(std::move(name))
    , m_weights(weights)
{
}

std::span<const RewardModel::Description> RewardModel::presets()
{
    return descriptions;
}

Result<RewardModel> RewardModel::preset(std::string_view name, const RewardWeights& weights,
                                        std::string_view expression)
{
    const auto inside = [](double value, double most) { return value >= 0 && value <= most; };
    if (!inside(weights.efficiency, 10) || !inside(weights.penalty, 0.5) || !inside(weights.correctness, 1))
        return fail("a weight of the reward is out of its range",
                    "use r_eff from 0 to 10, r_penalty from 0 to 0.5 and alpha from 0 to 1");
    std::string known;
    for (std::size_t i = 0; i < descriptions.size(); ++i) {
        if (descriptions[i].name == name) {
            const auto preset = static_cast<Preset>(i);
            if (preset != Preset::SparseRL && preset != Preset::Literal && weights != RewardWeights())
                return fail(
                    "the reward preset \"" + std::string(name) + "\" has no weights to change",
                    "leave r_eff, r_penalty and alpha as they are, or use sparserl or sparserl-literal");
            if (preset != Preset::Literal && weights.correctness != RewardWeights().correctness)
                return fail("the reward preset \"" + std::string(name) + "\" has no alpha",
                            "leave it as it is, or use sparserl-literal");
            RewardModel model(preset, std::string(name), weights);
            if (preset == Preset::Expression) {
                SPARSERL_TRY(model.m_expression, RewardExpression::parse(expression));
            } else if (!expression.empty()) {
                return fail("the reward preset \"" + std::string(name) +
                                "\" has no use for reward.expression",
                            "use reward.preset = expression, or leave reward.expression empty");
            }
            return model;
        }
        known += (i ? ", " : "") + descriptions[i].name;
    }
    return fail("there is no reward preset \"" + std::string(name) + "\"", "use one of: " + known);
}

RewardParts RewardModel::reward(const VerdictRecord& record, const MatrixRewardStats* stats,
                                const RewardExtras& extras) const
{
    const Outcome outcome = outcomeOf(record);
    RewardParts parts;
    switch (m_preset) {
    case Preset::SparseRL:
        parts = paperWithOrder(record, outcome, speedMeasure(record), stats, m_weights);
        break;
    case Preset::Literal:
        parts = literal(record, outcome, speedMeasure(record), stats, m_weights);
        break;
    case Preset::CodeRL:
        parts = codeRl(record, outcome);
        break;
    case Preset::PPOCoder:
        parts = ppoCoder(record, outcome, extras);
        break;
    case Preset::RftKernelBench:
        parts = rftKernelBench(record, outcome);
        break;
    case Preset::Milestone:
        parts = milestone(record, outcome, stats);
        break;
    case Preset::Hierarchical:
        return hierarchical(record, outcome);
    case Preset::Expression:
        parts = byExpression(m_expression, record, outcome, speedMeasure(record), stats, extras);
        break;
    }
    parts.plan = parts.code = parts.total;
    return parts;
}

double RewardModel::speedMeasure(const VerdictRecord& record) const
{
    const double speedup = record.speedup();
    if (!record.correct() || !(speedup > 0))
        return 0;
    return m_preset == Preset::SparseRL || m_preset == Preset::Expression ? std::log(speedup) : speedup - 1;
}

MatrixRewardStats RewardModel::statistics(std::span<const VerdictRecord> samples) const
{
    MatrixRewardStats stats;
    double sum = 0;
    for (const auto& record : samples)
        if (outcomeOf(record) == Outcome::Correct && record.speedup() > 0) {
            sum += speedMeasure(record);
            stats.bestSpeedup = std::max(stats.bestSpeedup, record.speedup());
            ++stats.n;
        }
    if (stats.n == 0)
        return stats;
    stats.mu = sum / stats.n;
    double squares = 0;
    for (const auto& record : samples)
        if (outcomeOf(record) == Outcome::Correct && record.speedup() > 0)
            squares += std::pow(speedMeasure(record) - stats.mu, 2);
    stats.sigma = stats.n > 1 ? std::sqrt(squares / (stats.n - 1)) : 0;
    return stats;
}

double overlongPenalty(std::int64_t tokens, std::int64_t longest, std::int64_t buffer, double factor)
{
    if (buffer <= 0)
        return 0;
    const auto excess = static_cast<double>(tokens - (longest - buffer)) / static_cast<double>(buffer);
    return -factor * std::clamp(excess, 0.0, 1.0);
}

bool paidMoreThanWrong(const VerdictRecord& record)
{
    VerdictRecord plain;
    plain.verdict = Verdict::WrongResult;
    return std::any_of(RewardModel::presets().begin(), RewardModel::presets().end(), [&](const auto& preset) {
        const auto model = RewardModel::preset(preset.name);
        return model && model->reward(record).total > model->reward(plain).total;
    });
}

} // namespace sparserl

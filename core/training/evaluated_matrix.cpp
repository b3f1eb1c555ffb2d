// SPDX-License-Identifier: Apache-2.0
#include "training/evaluated_matrix.h"

#include "base/json.h"
#include "project/queries.h"
#include "training/matrix_information.h"
#include "verdict/names.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace sparserl {

namespace {

nlohmann::json toJson(const EvaluatedSample& sample)
{
    return {{"compiled", sample.compiled}, {"correct", sample.correct}, {"verbatim", sample.verbatim},
            {"family", sample.family},     {"kernel", sample.kernel},   {"reward", sample.reward},
            {"us", sample.microseconds}};
}

EvaluatedSample sampleFromJson(const nlohmann::json& json)
{
    EvaluatedSample sample;
    sample.compiled = jsonValue(json, "compiled", false);
    sample.correct = jsonValue(json, "correct", false);
    sample.verbatim = jsonValue(json, "verbatim", false);
    sample.family = jsonValue<std::string>(json, "family", {});
    sample.kernel = jsonValue<std::string>(json, "kernel", {});
    sample.reward = jsonValue(json, "reward", 0.0);
    sample.microseconds = jsonValue(json, "us", 0.0);
    return sample;
}

} // namespace

double EvaluatedMatrix::speedup(const EvaluatedSample& sample) const
{
    return sample.microseconds > 0 ? baselineMicroseconds / sample.microseconds : 0;
}

void EvaluatedMatrix::add(const EvaluatedSample& sample)
{
    ++samples;
    compiled += sample.compiled ? 1 : 0;
    correct += sample.correct ? 1 : 0;
    faster += speedup(sample) > 1 ? 1 : 0;
    rewardSum += sample.reward;
    bestSpeedup = std::max(bestSpeedup, speedup(sample));
    each.push_back(sample);
}

nlohmann::json toJson(const EvaluatedMatrix& matrix)
{
    nlohmann::json each = nlohmann::json::array();
    for (const auto& sample : matrix.each)
        each.push_back(toJson(sample));
    return {{"digest", matrix.digest},
            {"name", matrix.name},
            {"split", matrix.split},
            {"nnz", matrix.nnz},
            {"baseline_us", matrix.baselineMicroseconds},
            {"baseline", matrix.baseline},
            {"best_family", matrix.bestFamily},
            {"samples", matrix.samples},
            {"compiled", matrix.compiled},
            {"correct", matrix.correct},
            {"faster", matrix.faster},
            {"reward_sum", matrix.rewardSum},
            {"best_speedup", matrix.bestSpeedup},
            {"each", std::move(each)},
            {"programs", matrix.programs}};
}

EvaluatedMatrix evaluatedMatrixFromJson(const nlohmann::json& json)
{
    EvaluatedMatrix matrix;
    matrix.digest = jsonValue<std::string>(json, "digest", {});
    matrix.name = jsonValue<std::string>(json, "name", {});
    matrix.split = jsonValue<std::string>(json, "split", "held-out");
    matrix.nnz = jsonValue<std::int64_t>(json, "nnz", 0);
    matrix.baselineMicroseconds = jsonValue(json, "baseline_us", 0.0);
    matrix.baseline = jsonValue<std::string>(json, "baseline", {});
    matrix.bestFamily = jsonValue<std::string>(json, "best_family", {});
    matrix.samples = jsonValue<std::int64_t>(json, "samples", 0);
    matrix.compiled = jsonValue<std::int64_t>(json, "compiled", 0);
    matrix.correct = jsonValue<std::int64_t>(json, "correct", 0);
    matrix.faster = jsonValue<std::int64_t>(json, "faster", 0);
    matrix.rewardSum = jsonValue(json, "reward_sum", 0.0);
    matrix.bestSpeedup = jsonValue(json, "best_speedup", 0.0);
    for (const auto& sample : jsonValue(json, "each", nlohmann::json::array()))
        matrix.each.push_back(sampleFromJson(sample));
    matrix.programs = jsonValue<std::vector<std::vector<std::int32_t>>>(json, "programs", {});
    return matrix;
}

EvaluatedMatrix evaluatedMatrix(const StageMatrix& matrix, const RewardTimes& times)
{
    EvaluatedMatrix row;
    row.digest = matrix.digest;
    row.name = matrix.name;
    row.split = split::of(matrix.heldOut);
    row.nnz = matrix.matrix->nnz();
    row.bestFamily = times.bestFamily(matrix.digest);
    return row;
}

EvaluatedSample evaluatedSample(const VerdictRecord& record, const std::string& family, double reward,
                                const RewardTimes& times)
{
    EvaluatedSample sample;
    sample.compiled = isCompiled(record.verdict);
    sample.correct = record.correct();
    sample.verbatim = times.wasShown(record.programHash);
    if (sample.compiled) {
        sample.family = family.empty() ? "other" : family;
        sample.kernel = record.ptxHash;
    }
    sample.reward = reward;
    if (sample.correct && record.warm)
        sample.microseconds = record.warm->median;
    return sample;
}

Metrics totalsOf(std::span<const EvaluatedMatrix> matrices, std::span<const std::int64_t> ks)
{
    Metrics metrics;
    double samples = 0, compiled = 0, correct = 0, faster = 0, reward = 0, logs = 0, solved = 0;
    std::vector<double> speedups;
    double sampleLogs = 0;
    for (const auto& row : matrices) {
        samples += static_cast<double>(row.samples);
        compiled += static_cast<double>(row.compiled);
        correct += static_cast<double>(row.correct);
        faster += static_cast<double>(row.faster);
        reward += row.rewardSum;
        if (row.bestSpeedup > 0) {
            solved += 1;
            logs += std::log(row.bestSpeedup);
        }
        for (const auto& sample : row.each) {
            if (const double speedup = row.speedup(sample); speedup > 0) {
                speedups.push_back(speedup);
                sampleLogs += std::log(speedup);
            }
        }
    }
    samples = std::max(samples, 1.0);
    metrics[metric::compileRate] = compiled / samples;
    metrics[metric::correctRate] = correct / samples;
    metrics[metric::fastRate.part("1.0")] = faster / samples;
    metrics[metric::reward] = reward / samples;
    metrics[metric::evaluationMatrices] = static_cast<double>(matrices.size());
    metrics[metric::evaluationSolved] = solved;
    if (solved > 0)
        metrics[metric::bestSpeedupGeomean] = std::exp(logs / solved);
    if (!speedups.empty()) {
        const auto above = [&](double than) {
            return static_cast<double>(
                       std::count_if(speedups.begin(), speedups.end(), [&](double s) { return s > than; })) /
                   samples;
        };
        metrics[metric::fastRate.part("1.2")] = above(1.2);
        metrics[metric::fastRate.part("2.0")] = above(2.0);
        metrics[metric::speedupGeomean] = std::exp(sampleLogs / static_cast<double>(speedups.size()));
        metrics[metric::speedup.part("min")] = quantile(speedups, 0.0);
        metrics[metric::speedup.part("p50")] = quantile(speedups, 0.5);
        metrics[metric::speedup.part("p90")] = quantile(speedups, 0.9);
        metrics[metric::speedup.part("max")] = quantile(speedups, 1.0);
    }
    for (const auto k : ks) {
        double sum = 0, n = 0;
        for (const auto& row : matrices) {
            if (k <= row.samples) {
                sum += passAtK(row.samples, row.correct, k);
                n += 1;
            }
        }
        if (n > 0)
            metrics[metric::passAt.part(fmt::format("@{}", k))] = sum / n;
    }
    return metrics;
}

Metrics familyMetrics(std::span<const EvaluatedMatrix> matrices, std::uint64_t seed)
{
    Metrics metrics;
    std::vector<FamilyChoice> compiled, correct;
    std::vector<std::string> best;
    std::set<std::string> kernels;
    double verbatim = 0;
    for (std::size_t m = 0; m < matrices.size(); ++m) {
        best.push_back(matrices[m].bestFamily);
        for (const auto& sample : matrices[m].each) {
            if (!sample.compiled)
                continue;
            compiled.push_back({static_cast<int>(m), sample.family});
            if (!sample.correct)
                continue;
            correct.push_back(compiled.back());
            verbatim += sample.verbatim ? 1 : 0;
            kernels.insert(sample.kernel);
        }
    }
    if (!compiled.empty() && matrices.size() > 1) {
        const auto choice = familyInformation(compiled, 200, seed);
        const auto interval = familyInformationInterval(compiled, 0.95, 200, seed);
        metrics[metric::familyEntropy.part("marginal")] = choice.entropy;
        metrics[metric::familyEntropy.part("conditional")] = choice.conditionalEntropy;
        metrics[metric::familyInformation] = choice.corrected();
        metrics[metric::familyInformationPermuted] = choice.permuted;
        metrics[metric::familyInformationInterval.part("low")] = interval.low;
        metrics[metric::familyInformationInterval.part("high")] = interval.high;
    }
    if (correct.empty())
        return metrics;
    const auto n = static_cast<double>(correct.size());
    metrics[metric::novelRate] = 1 - verbatim / n;
    metrics[metric::distinctRate] = static_cast<double>(kernels.size()) / n;
    if (const auto shares = bestFamilyShares(correct, best); shares.matrices > 0) {
        metrics[metric::bestFamilyShare] = shares.share;
        metrics[metric::bestFamilyChance] = shares.chance;
        metrics[metric::bestFamilyHit] = shares.hit;
    }
    return metrics;
}

} // namespace sparserl

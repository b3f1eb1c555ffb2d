// SPDX-License-Identifier: Apache-2.0
#include "training/evaluated/evaluated_matrix.h"

#include "base/geometric_mean.h"
#include "base/json.h"
#include "project/queries/queries.h"
#include "training/data/matrix_information.h"
#include "training/evaluated/evaluated_fields.h"
#include "verdict/names.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace sparserl {

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
    return writeFields(matrix);
}

EvaluatedMatrix evaluatedMatrixFromJson(const nlohmann::json& json)
{
    EvaluatedMatrix matrix;
    readFields(json, matrix, readLeniently);
    return matrix;
}

EvaluatedMatrix evaluatedMatrix(const StageTarget& matrix, const RewardTimes& times)
{
    EvaluatedMatrix row;
    row.target = matrix.target.id.key();
    row.name = matrix.target.id.name;
    row.split = split::of(matrix.heldOut);
    row.nnz = matrix.target.matrix->nnz();
    row.bestFamily = times.bestFamily(matrix.target.id.key());
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
    double samples = 0, compiled = 0, correct = 0, faster = 0, reward = 0;
    GeometricMean solved;
    std::vector<double> speedups;
    for (const auto& row : matrices) {
        samples += static_cast<double>(row.samples);
        compiled += static_cast<double>(row.compiled);
        correct += static_cast<double>(row.correct);
        faster += static_cast<double>(row.faster);
        reward += row.rewardSum;
        solved.add(row.bestSpeedup);
        for (const auto& sample : row.each) {
            if (const double speedup = row.speedup(sample); speedup > 0)
                speedups.push_back(speedup);
        }
    }
    samples = std::max(samples, 1.0);
    metrics[metric::compileRate] = compiled / samples;
    metrics[metric::correctRate] = correct / samples;
    metrics[metric::fastRate.part("1.0")] = faster / samples;
    metrics[metric::reward] = reward / samples;
    metrics[metric::evaluationMatrices] = static_cast<double>(matrices.size());
    metrics[metric::evaluationSolved] = static_cast<double>(solved.count());
    if (solved.count() > 0)
        metrics[metric::bestSpeedupGeomean] = solved.value();
    if (!speedups.empty()) {
        const auto above = [&](double than) {
            return static_cast<double>(
                       std::count_if(speedups.begin(), speedups.end(), [&](double s) { return s > than; })) /
                   samples;
        };
        metrics[metric::fastRate.part("1.2")] = above(1.2);
        metrics[metric::fastRate.part("2.0")] = above(2.0);
        metrics[metric::speedup.part("min")] = *std::min_element(speedups.begin(), speedups.end());
        addSpeedups(metrics, speedups);
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

// SPDX-License-Identifier: Apache-2.0
#include "base/json.h"
#include "base/rng.h"
#include "project/queries.h"
#include "training/parameter_keys.h"
#include "training/placement.h"
#include "training/reference_programs.h"
#include "training/stages.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace sparserl {

namespace {

std::vector<std::int64_t> parseList(const std::string& text)
{
    std::vector<std::int64_t> values;
    const char* at = text.c_str();
    while (*at != '\0') {
        char* end = nullptr;
        const auto value = std::strtoll(at, &end, 10);
        if (end == at) {
            ++at;
            continue;
        }
        if (value > 0)
            values.push_back(value);
        at = end;
    }
    return values;
}

/// "0003-rl/step-000024" of a policy folder in a run, else the folder's name.
std::string labelOf(const std::filesystem::path& policy)
{
    const auto parent = policy.parent_path();
    if (parent.filename() == "checkpoints")
        return (parent.parent_path().filename() / policy.filename()).string();
    return policy.filename().string();
}

/// What the totals need of a matrix; travels in the checkpoint so that an interrupted evaluation goes on.
struct Row
{
    std::string digest;
    std::string split = "held-out";
    std::int64_t samples = 0, compiled = 0, correct = 0, faster = 0;
    double rewardSum = 0, bestSpeedup = 0;
    std::vector<std::string> families;
};

nlohmann::json toJson(const Row& row)
{
    return {{"digest", row.digest},        {"split", row.split},
            {"samples", row.samples},      {"compiled", row.compiled},
            {"correct", row.correct},      {"faster", row.faster},
            {"reward_sum", row.rewardSum}, {"best_speedup", row.bestSpeedup},
            {"families", row.families}};
}

Row rowFromJson(const nlohmann::json& json)
{
    Row row;
    row.digest = jsonValue<std::string>(json, "digest", {});
    row.split = jsonValue<std::string>(json, "split", "held-out");
    row.samples = jsonValue<std::int64_t>(json, "samples", 0);
    row.compiled = jsonValue<std::int64_t>(json, "compiled", 0);
    row.correct = jsonValue<std::int64_t>(json, "correct", 0);
    row.faster = jsonValue<std::int64_t>(json, "faster", 0);
    row.rewardSum = jsonValue(json, "reward_sum", 0.0);
    row.bestSpeedup = jsonValue(json, "best_speedup", 0.0);
    row.families = jsonValue<std::vector<std::string>>(json, "families", {});
    return row;
}

SamplingOptions samplingOf(const ParameterSet& p)
{
    SamplingOptions options;
    options.temperature = p[param::evaluate::temperature];
    options.topK = static_cast<int>(p[param::evaluate::topK]);
    options.topP = p[param::evaluate::topP];
    options.broadFraction = p[param::evaluate::broadShare];
    options.broadTemperature = p[param::evaluate::broadTemperature];
    options.greedy = p[param::evaluate::greedy];
    options.maxTokens = static_cast<int>(p[param::evaluate::maxTokens]);
    return options;
}

Metrics totalsOf(const std::vector<Row>& rows, const std::vector<std::int64_t>& ks)
{
    Metrics metrics;
    double samples = 0, compiled = 0, correct = 0, faster = 0, reward = 0, logs = 0, solved = 0;
    for (const auto& row : rows) {
        samples += static_cast<double>(row.samples);
        compiled += static_cast<double>(row.compiled);
        correct += static_cast<double>(row.correct);
        faster += static_cast<double>(row.faster);
        reward += row.rewardSum;
        if (row.bestSpeedup > 0) {
            solved += 1;
            logs += std::log(row.bestSpeedup);
        }
    }
    samples = std::max(samples, 1.0);
    metrics[metric::compileRate] = compiled / samples;
    metrics[metric::correctRate] = correct / samples;
    metrics[metric::fastRate.part("1.0")] = faster / samples;
    metrics[metric::reward] = reward / samples;
    metrics[metric::evaluationMatrices] = static_cast<double>(rows.size());
    metrics[metric::evaluationSolved] = solved;
    if (solved > 0)
        metrics[metric::bestSpeedupGeomean] = std::exp(logs / solved);
    for (const auto k : ks) {
        double sum = 0, n = 0;
        for (const auto& row : rows) {
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

} // namespace

EvaluationEvent evaluationOf(const Rollout& rollout, const StageMatrix& matrix, const std::string& policyName)
{
    EvaluationEvent event;
    event.policy = policyName;
    event.matrixDigest = matrix.digest;
    event.matrixName = matrix.name;
    event.split = matrix.heldOut ? "held-out" : "train";
    event.nnz = matrix.matrix->nnz();
    std::set<std::string> families;
    double reward = 0;
    for (const auto& item : rollout.items) {
        if (item.matrix != &matrix)
            continue;
        ++event.samples;
        reward += item.reward.total;
        event.compiled += isCompiled(item.record.verdict) ? 1 : 0;
        if (item.record.baselineMicroseconds > 0)
            event.baselineMicroseconds = item.record.baselineMicroseconds;
        if (!item.record.correct())
            continue;
        ++event.correct;
        event.faster += item.record.speedup() > 1 ? 1 : 0;
        families.insert(item.family.empty() ? "other" : item.family);
        if (item.record.warm &&
            (event.bestMicroseconds == 0 || item.record.warm->median < event.bestMicroseconds)) {
            event.bestMicroseconds = item.record.warm->median;
            event.bestProgram = item.record.programHash;
        }
    }
    event.meanReward = event.samples > 0 ? reward / static_cast<double>(event.samples) : 0;
    event.families.assign(families.begin(), families.end());
    return event;
}

namespace {

/// Samples programs for matrices, some of them at a time; a step is a matrix.
class EvaluateStage : public Stage
{
public:
    EvaluateStage(StageContext& context, RewardModel model, std::vector<const StageMatrix*> matrices)
        : m_context(context)
        , m_p(context.parameters())
        , m_model(std::move(model))
        , m_matrices(std::move(matrices))
    {
    }
    std::int64_t totalSteps() const override { return static_cast<std::int64_t>(m_matrices.size()); }
    Status prepare(const CheckpointInfo* from, const nlohmann::json& state) override;
    Result<std::int64_t> advance(std::int64_t step) override;
    nlohmann::json state() const override;
    Status save(const std::filesystem::path&) const override { return {}; }
    const RewardTimes& rewardTimes() const override { return m_times; }

private:
    Status journalTotals(std::int64_t step);

    StageContext& m_context;
    const ParameterSet& m_p;
    RewardModel m_model;
    std::vector<const StageMatrix*> m_matrices;
    RewardTimes m_times;
    ReferencePrograms m_references;
    std::optional<Policy> m_policy;
    std::optional<MatrixViews> m_views;
    std::vector<Row> m_rows;
};

Status EvaluateStage::prepare(const CheckpointInfo* from, const nlohmann::json& state)
{
    if (from != nullptr) {
        const auto saved = jsonValue(state, "rows", nlohmann::json::array());
        for (const auto& row : saved)
            m_rows.push_back(rowFromJson(row));
    }
    const auto& parent = m_context.environment().parent;
    SPARSERL_TRY(auto policy, Policy::load(parent));
    SPARSERL_TRY(const auto compute, computeOf(m_context.parameters()));
    policy.moveTo(compute);
    m_policy.emplace(std::move(policy));
    SPARSERL_TRY(m_times, RewardTimes::load(parent / "reward_times.json"));
    SPARSERL_CHECK(completeRewardTimes(m_context, m_times));
    if (m_model.usesReference()) {
        SPARSERL_TRY(m_references, findReferencePrograms(m_context, parent / "reference_programs.json"));
    }
    std::vector<StageMatrix> chosen;
    for (const auto* matrix : m_matrices)
        chosen.push_back(*matrix);
    m_views.emplace(*m_policy, chosen, 1);
    return {};
}

nlohmann::json EvaluateStage::state() const
{
    nlohmann::json rows = nlohmann::json::array();
    for (const auto& row : m_rows)
        rows.push_back(toJson(row));
    return {{"rows", rows}};
}

Result<std::int64_t> EvaluateStage::advance(std::int64_t step)
{
    const auto total = totalSteps();
    // As many matrices at once as fill the sampler; between two groups a checkpoint keeps what is known.
    const auto group = std::max<std::int64_t>(1, 96 / m_p[param::evaluate::samples]);
    const auto end = std::min(total, step + group);
    const Rng seeds = Rng(static_cast<std::uint64_t>(m_p[param::seed])).derive("evaluate");
    RolloutRequest request;
    request.matrices.assign(m_matrices.begin() + step, m_matrices.begin() + end);
    request.samples = m_p[param::evaluate::samples];
    request.seed = seeds.derive(m_matrices[static_cast<std::size_t>(step)]->digest).next();
    request.sampling = samplingOf(m_p);
    request.beam = static_cast<int>(m_p[param::evaluate::beam]);
    request.references = &m_references;
    request.verifier = m_p[param::evaluate::verifier];
    request.phase = fmt::format("evaluating matrix {} to {} of {}", step + 1, end, total);
    auto rollout = rollOut(m_context, *m_policy, *m_views, m_model, m_times, request);
    if (!rollout)
        return fail(rollout.error());
    SPARSERL_CHECK(journalRollout(m_context, end, *rollout, "evaluation"));
    const auto label = labelOf(m_context.environment().parent);
    for (const auto* matrix : request.matrices) {
        const auto event = evaluationOf(*rollout, *matrix, label);
        const double speedup =
            event.bestMicroseconds > 0 ? event.baselineMicroseconds / event.bestMicroseconds : 0;
        m_rows.push_back({event.matrixDigest, event.split, event.samples, event.compiled, event.correct,
                          event.faster, event.meanReward * static_cast<double>(event.samples), speedup,
                          event.families});
        SPARSERL_CHECK(m_context.emit(end, event));
    }
    if (end == total) {
        SPARSERL_CHECK(journalTotals(end));
    }
    return end;
}

/// The totals of each split apart: what was trained on tells nothing of what was not.
Status EvaluateStage::journalTotals(std::int64_t step)
{
    for (const char* split : {"train", "held-out"}) {
        std::vector<Row> rows;
        std::copy_if(m_rows.begin(), m_rows.end(), std::back_inserter(rows),
                     [&](const Row& row) { return row.split == split; });
        if (!rows.empty()) {
            SPARSERL_CHECK(
                m_context.metrics(step, split, totalsOf(rows, parseList(m_p[param::evaluate::k]))));
        }
    }
    return {};
}

} // namespace

Result<std::unique_ptr<Stage>> makeEvaluateStage(StageContext& context)
{
    const auto& p = context.parameters();
    if (context.environment().parent.empty())
        return fail("The evaluate stage needs a policy",
                    "Give the checkpoint of an sft or rl run as the parent");
    SPARSERL_TRY(auto model, RewardModel::preset(p[param::reward::preset]));
    if (const auto beam = p[param::evaluate::beam]; beam > 0 && p[param::evaluate::samples] > beam)
        return fail(fmt::format("A beam search of {} beams cannot give {} programs of a matrix", beam,
                                p[param::evaluate::samples]),
                    "Raise evaluate.beam or lower evaluate.samples");
    std::vector<const StageMatrix*> matrices;
    const auto& split = p[param::evaluate::split];
    for (const auto& matrix : context.environment().matrices) {
        if (split == "all" || matrix.heldOut == (split == "held-out"))
            matrices.push_back(&matrix);
    }
    if (matrices.empty())
        return fail("There are no matrices of the split \"" + split + "\"",
                    "Add some to the project or choose another evaluate.split");
    return std::make_unique<EvaluateStage>(context, std::move(model), std::move(matrices));
}

} // namespace sparserl

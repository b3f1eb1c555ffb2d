// SPDX-License-Identifier: Apache-2.0
#include "training/checkpoint_io.h"
#include "training/stages.h"

#include "base/json.h"
#include "base/rng.h"
#include "project/queries.h"

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
    std::int64_t samples = 0, compiled = 0, correct = 0, faster = 0;
    double rewardSum = 0, bestSpeedup = 0;
    std::vector<std::string> families;
};

nlohmann::json toJson(const Row& row)
{
    return {{"digest", row.digest},
            {"samples", row.samples},
            {"compiled", row.compiled},
            {"correct", row.correct},
            {"faster", row.faster},
            {"reward_sum", row.rewardSum},
            {"best_speedup", row.bestSpeedup},
            {"families", row.families}};
}

Row rowFromJson(const nlohmann::json& json)
{
    Row row;
    row.digest = jsonValue<std::string>(json, "digest", {});
    row.samples = jsonValue<std::int64_t>(json, "samples", 0);
    row.compiled = jsonValue<std::int64_t>(json, "compiled", 0);
    row.correct = jsonValue<std::int64_t>(json, "correct", 0);
    row.faster = jsonValue<std::int64_t>(json, "faster", 0);
    row.rewardSum = jsonValue(json, "reward_sum", 0.0);
    row.bestSpeedup = jsonValue(json, "best_speedup", 0.0);
    row.families = jsonValue<std::vector<std::string>>(json, "families", {});
    return row;
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
    metrics["kernel/compile_rate"] = compiled / samples;
    metrics["kernel/correct_rate"] = correct / samples;
    metrics["kernel/fast_p/1.0"] = faster / samples;
    metrics["reward"] = reward / samples;
    metrics["evaluation/matrices"] = static_cast<double>(rows.size());
    metrics["evaluation/solved"] = solved;
    if (solved > 0)
        metrics["evaluation/best_speedup_geomean"] = std::exp(logs / solved);
    for (const auto k : ks) {
        double sum = 0, n = 0;
        for (const auto& row : rows) {
            if (k <= row.samples) {
                sum += passAtK(row.samples, row.correct, k);
                n += 1;
            }
        }
        if (n > 0)
            metrics[fmt::format("pass@{}", k)] = sum / n;
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

Status runEvaluate(StageContext& context, StageOutcome& outcome)
{
    const auto& p = context.parameters();
    if (context.environment().parent.empty())
        return fail("The evaluate stage needs a policy",
                    "Give the checkpoint of an sft or rl run as the parent");
    SPARSERL_TRY(auto model, RewardModel::preset(p.text("reward.preset")));
    std::vector<const StageMatrix*> matrices;
    const auto split = p.text("evaluate.split");
    for (const auto& matrix : context.environment().matrices) {
        if (split == "all" || matrix.heldOut == (split == "held-out"))
            matrices.push_back(&matrix);
    }
    if (matrices.empty())
        return fail("There are no matrices of the split \"" + split + "\"",
                    "Add some to the project or choose another evaluate.split");
    const auto total = static_cast<std::int64_t>(matrices.size());

    std::int64_t step = 0;
    std::vector<Row> rows;
    if (const auto& from = context.session().checkpoint()) {
        SPARSERL_TRY(auto state, readCheckpointState(context, *from));
        step = std::min<std::int64_t>(from->step, total);
        const auto saved = jsonValue(state, "rows", nlohmann::json::array());
        for (const auto& row : saved)
            rows.push_back(rowFromJson(row));
    }
    if (auto status = context.emit(step, StateEvent{RunState::Running, {}, total}); !status)
        return status;
    context.setPosition(step, total);
    SPARSERL_TRY(auto policy, Policy::load(context.environment().parent));
    SPARSERL_TRY(auto times, RewardTimes::load(context.environment().parent / "reward_times.json"));
    if (auto status = completeRewardTimes(context, times); !status)
        return context.cancel().cancelled() ? Status() : status;
    std::vector<StageMatrix> chosen;
    for (const auto* matrix : matrices)
        chosen.push_back(*matrix);
    const MatrixViews views(policy, chosen, 1);
    const auto label = labelOf(context.environment().parent);
    const auto samples = p.integer("evaluate.samples");
    // As many matrices at once as fill the sampler; between two groups a checkpoint keeps what is known.
    const auto group = std::max<std::int64_t>(1, 96 / samples);
    const Rng seeds = Rng(static_cast<std::uint64_t>(p.integer("seed"))).derive("evaluate");

    while (step < total) {
        context.setPosition(step, total);
        outcome.step = step;
        const auto save = [&]() -> Status {
            nlohmann::json saved = nlohmann::json::array();
            for (const auto& row : rows)
                saved.push_back(toJson(row));
            return writeCheckpoint(context, step, {{"rows", saved}}, times,
                                   [](const std::filesystem::path&) { return Status(); });
        };
        SPARSERL_TRY(auto next, context.boundary(step, save));
        if (next == StageContext::Next::End)
            return {};
        const auto end = std::min(total, step + group);
        RolloutRequest request;
        request.matrices.assign(matrices.begin() + step, matrices.begin() + end);
        request.samples = samples;
        request.seed = seeds.derive(matrices[static_cast<std::size_t>(step)]->digest).next();
        request.temperature = p.real("evaluate.temperature");
        request.maxTokens = p.integer("evaluate.max_tokens");
        request.verifier = p.boolean("evaluate.verifier");
        request.phase = fmt::format("evaluating matrix {} to {} of {}", step + 1, end, total);
        auto rollout = rollOut(context, policy, views, model, times, request);
        if (!rollout)
            return context.cancel().cancelled() ? Status() : fail(rollout.error());
        SPARSERL_CHECK(journalRollout(context, end, *rollout, "evaluation", split));
        for (const auto* matrix : request.matrices) {
            const auto event = evaluationOf(*rollout, *matrix, label);
            const double speedup =
                event.bestMicroseconds > 0 ? event.baselineMicroseconds / event.bestMicroseconds : 0;
            rows.push_back({event.matrixDigest, event.samples, event.compiled, event.correct, event.faster,
                            event.meanReward * static_cast<double>(event.samples), speedup, event.families});
            SPARSERL_CHECK(context.emit(end, event));
        }
        step = end;
        outcome.step = step;
        if (step == total) {
            if (auto status =
                    context.metrics(step, "held-out", totalsOf(rows, parseList(p.text("evaluate.k"))));
                !status)
                return status;
        }
        SPARSERL_CHECK(save());
    }
    return {};
}

} // namespace sparserl

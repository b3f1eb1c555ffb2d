// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "base/interruption.h"
#include "base/json.h"
#include "base/rng.h"
#include "training/learner.h"
#include "training/parameter_keys.h"
#include "training/placement.h"
#include "training/stages.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sparserl {

namespace {

Experience experienceOf(const Rollout& rollout)
{
    Experience experience;
    experience.batch = rollout.batch();
    experience.scores = rollout.rewards();
    experience.groups = rollout.groups();
    for (const auto& item : rollout.items)
        experience.samplerLogProbs.push_back(item.sample.logProbs);
    return experience;
}

class RlStage : public Stage
{
public:
    explicit RlStage(StageContext& context, RewardModel model)
        : m_context(context)
        , m_p(context.parameters())
        , m_model(std::move(model))
    {
    }
    std::int64_t totalSteps() const override { return m_p[param::rl::iterations]; }
    Status prepare(const CheckpointInfo* from, const nlohmann::json& state) override;
    Result<std::int64_t> advance(std::int64_t iteration) override;
    Status evaluate(std::int64_t step) override;
    nlohmann::json state() const override;
    Status save(const std::filesystem::path& folder) const override;
    const RewardTimes& rewardTimes() const override { return m_times; }

private:
    Status loadLearner(const std::filesystem::path& policyFolder,
                       const std::filesystem::path& referenceFolder);
    Result<RlSettings> settings(std::int64_t iteration) const;
    Rng stream(const char* purpose, std::int64_t iteration) const;
    RolloutRequest trainRequest(std::int64_t iteration) const;
    Status learn(std::int64_t iteration, const Rollout& rollout, const RlSettings& current,
                 const Stopwatch& whole);
    Status journal(std::int64_t step, const Rollout& rollout, const Metrics& metrics);

    StageContext& m_context;
    const ParameterSet& m_p;
    RewardModel m_model;
    RewardTimes m_times;
    std::optional<Learner> m_learner;
    std::optional<MatrixViews> m_views;
    std::optional<Policy> m_previous; ///< Before the last update, where an evaluation of it is to come.
};

Result<RlSettings> RlStage::settings(std::int64_t iteration) const
{
    const auto own = m_p[param::rl::maxTokens];
    const auto longest = own > 0 ? own : m_learner ? m_learner->policy().config().generation.maxTokens : 250;
    return RlSettings::from(m_p, iteration, totalSteps(), longest);
}

/// Draws of an iteration depend on the seed and the iteration only: nothing to save, nothing to restore.
Rng RlStage::stream(const char* purpose, std::int64_t iteration) const
{
    return Rng(static_cast<std::uint64_t>(m_p[param::seed]))
        .derive(purpose)
        .derive(static_cast<std::uint64_t>(iteration));
}

Status RlStage::loadLearner(const std::filesystem::path& policyFolder,
                            const std::filesystem::path& referenceFolder)
{
    SPARSERL_TRY(auto policy, Policy::load(policyFolder));
    SPARSERL_TRY(auto reference, Policy::load(referenceFolder));
    const auto from = m_context.session().checkpoint();
    std::optional<Critic> critic;
    if (m_p[param::rl::algorithm] == "ppo") {
        if (from) {
            SPARSERL_TRY(auto loaded, Critic::load(policyFolder));
            critic.emplace(std::move(loaded));
        } else {
            critic.emplace(Critic::fromPolicy(policy, stream("critic", 0).next()));
        }
    }
    SPARSERL_TRY(const auto compute, computeOf(m_p));
    policy.moveTo(compute);
    reference.moveTo(compute);
    if (critic)
        critic->moveTo(compute);
    SPARSERL_TRY(auto first, settings(0));
    m_learner.emplace(std::move(policy), reference.clone(false), std::move(critic), first,
                      m_p[param::rl::klCoef], m_p[param::rl::klTarget], m_p[param::rl::klHorizon],
                      m_context.environment().cancel);
    return {};
}

Status RlStage::prepare(const CheckpointInfo* from, const nlohmann::json& state)
{
    const auto& parent = m_context.environment().parent;
    if (parent.empty())
        return fail("The rl stage needs a policy to start from",
                    "Run the sft stage first and give its checkpoint as the parent");
    if (m_context.matrices(false).empty())
        return fail("There are no training matrices", "Add matrices with split \"train\" to the project");
    SPARSERL_CHECK(loadLearner(from ? from->path : parent, parent));
    SPARSERL_TRY(m_times, RewardTimes::load((from ? from->path : parent) / "reward_times.json"));
    m_views.emplace(m_learner->policy(), m_context.environment().matrices, 4);
    if (from == nullptr)
        return completeRewardTimes(m_context, m_times);

    SPARSERL_TRY(auto optimizers, readSafeTensors(from->path / "optimizer.safetensors"));
    SPARSERL_CHECK(m_learner->loadOptimizers(optimizers));
    m_learner->klController().setCoefficient(jsonValue(state, "kl_coefficient", m_p[param::rl::klCoef]));
    if (jsonValue(state, "has_previous", false)) {
        SPARSERL_TRY(auto previous, Policy::load(from->path / "previous"));
        SPARSERL_TRY(const auto compute, computeOf(m_p));
        previous.moveTo(compute);
        m_previous.emplace(previous.clone(false));
    }
    return {};
}

RolloutRequest RlStage::trainRequest(std::int64_t iteration) const
{
    RolloutRequest request;
    auto pool = m_context.matrices(false);
    const auto wanted = static_cast<std::size_t>(m_p[param::rl::matrices]);
    // Matrices come in shuffled rounds, so that each is used equally often whatever `rl.matrices` is.
    const auto position = static_cast<std::size_t>(iteration) * wanted;
    for (std::size_t i = 0; i < wanted; ++i) {
        const auto round = (position + i) / pool.size();
        auto order = pool;
        stream("matrices", static_cast<std::int64_t>(round)).shuffle(order);
        request.matrices.push_back(order[(position + i) % pool.size()]);
    }
    Rng views = stream("views", iteration);
    for (std::size_t i = 0; i < wanted; ++i)
        request.views.push_back(static_cast<std::int64_t>(views.below(4)));
    request.samples = m_p[param::rl::samples];
    request.seed = stream("rollout", iteration).next();
    request.temperature = m_p[param::rl::temperature];
    request.maxTokens = m_p[param::rl::maxTokens];
    request.verifier = m_p[param::rl::verifier];
    request.truncatedPenalty = m_p[param::reward::truncated];
    request.phase = fmt::format("iteration {}/{}: sampling", iteration + 1, totalSteps());
    return request;
}

Result<std::int64_t> RlStage::advance(std::int64_t iteration)
{
    const Stopwatch whole;
    SPARSERL_TRY(auto current, settings(iteration));
    auto rollout =
        rollOut(m_context, m_learner->policy(), *m_views, m_model, m_times, trainRequest(iteration));
    if (!rollout)
        return fail(rollout.error());
    SPARSERL_CHECK(learn(iteration, *rollout, current, whole));
    return iteration + 1;
}

/// The iteration is completed even if asked to stop, as what it needs is there. A signal gives it up: weights
/// are never left between two steps.
Status RlStage::learn(std::int64_t iteration, const Rollout& rollout, const RlSettings& current,
                      const Stopwatch& whole)
{
    auto metrics = rolloutMetrics(rollout);
    const auto experience = experienceOf(rollout);
    const Stopwatch preparing;
    const auto targets = m_learner->prepare(experience, current, metrics);
    if (!targets)
        return fail(interruption());
    metrics[metric::timeOldLogProb] = preparing.seconds();
    const Stopwatch updating;
    if (isDue(iteration + 1, totalSteps(), m_p[param::eval::every]))
        m_previous.emplace(m_learner->policy().clone(false));
    const bool frozen = current.critic && iteration < m_p[param::rl::valuePretrain];
    const auto pulse = [&](double part) {
        m_context.pulse(fmt::format("iteration {}/{}: updating", iteration + 1, totalSteps()),
                        0.8 + 0.2 * part);
    };
    auto learned =
        m_learner->update(experience, *targets, current, frozen, stream("update", iteration), pulse);
    if (!learned) {
        m_previous.reset();
        return fail(interruption());
    }
    metrics.merge(*learned);
    metrics[metric::timeUpdate] = updating.seconds();
    m_learner->klController().update(metrics[metric::klSftK1],
                                     static_cast<std::int64_t>(rollout.items.size()));

    metrics[metric::timeSampling] = rollout.samplingSeconds;
    metrics[metric::timeJudging] = rollout.judgingSeconds;
    metrics[metric::timeStep] = whole.seconds();
    metrics[metric::timePerStep] = whole.seconds();
    metrics[metric::throughput] = metrics[metric::totalTokens] / whole.seconds();
    const double tokens = std::max(1.0, metrics[metric::totalTokens]);
    metrics[metric::timePerToken.part("gen")] = 1000 * rollout.samplingSeconds / tokens;
    metrics[metric::timePerToken.part("update_actor")] = 1000 * updating.seconds() / tokens;
    metrics[metric::judgeHits] = static_cast<double>(m_context.judge().hits());
    return journal(iteration + 1, rollout, metrics);
}

Status RlStage::journal(std::int64_t step, const Rollout& rollout, const Metrics& metrics)
{
    SPARSERL_CHECK(journalRollout(m_context, step, rollout, "policy"));
    // Recomputed log-probabilities make the first ratio 1; anything else is a bug that would poison learning.
    const auto error = metrics.find(metric::firstRatioError);
    if (error != metrics.end() && error->second > 1e-4) {
        const auto text =
            fmt::format("The first importance ratio of iteration {} is off 1 by {:.2g}", step, error->second);
        SPARSERL_CHECK(m_context.log(step, "warning", text));
    }
    for (const MetricId name : {metric::policyLoss, metric::valueLoss, metric::actorGradNorm}) {
        if (const auto found = metrics.find(name); found != metrics.end() && !std::isfinite(found->second)) {
            static_cast<void>(m_context.metrics(step, "train", metrics));
            return fail(fmt::format("{} is not finite at iteration {}", name.text, step),
                        "Resume from the last checkpoint with a smaller rl.lr");
        }
    }
    return m_context.metrics(step, "train", metrics);
}

Status RlStage::evaluate(std::int64_t step)
{
    const auto matrices = m_context.matrices(true);
    const auto samples = m_p[param::eval::samples];
    if (matrices.empty() || samples == 0) {
        m_previous.reset();
        return {};
    }
    const Stopwatch watch;
    SPARSERL_TRY(auto current, settings(std::max<std::int64_t>(0, step - 1)));
    RolloutRequest request;
    request.matrices = matrices;
    request.samples = samples;
    // The same draws at every evaluation: paired with one another, differences are the policy's.
    request.seed = stream("evaluation", 0).next();
    request.temperature = m_p[param::rl::temperature];
    request.maxTokens = m_p[param::rl::maxTokens];
    request.verifier = m_p[param::rl::verifier];
    request.phase = fmt::format("evaluating after iteration {}", step);
    SPARSERL_TRY(auto rollout, rollOut(m_context, m_learner->policy(), *m_views, m_model, m_times, request));
    auto metrics = rolloutMetrics(rollout);
    const auto& before = m_previous ? *m_previous : m_learner->policy();
    auto measured = m_learner->measure(experienceOf(rollout), before, current);
    if (!measured)
        return fail(interruption());
    metrics.merge(*measured);
    metrics[metric::timeTesting] = watch.seconds();
    SPARSERL_CHECK(journalRollout(m_context, step, rollout, "policy"));
    SPARSERL_CHECK(m_context.metrics(step, "held-out", metrics));
    m_previous.reset();
    return {};
}

nlohmann::json RlStage::state() const
{
    return {{"kl_coefficient", m_learner->klController().coefficient()},
            {"has_previous", m_previous.has_value()}};
}

Status RlStage::save(const std::filesystem::path& folder) const
{
    SPARSERL_CHECK(m_learner->policy().saveFiles(folder));
    if (m_learner->critic()) {
        SPARSERL_CHECK(m_learner->critic()->saveFiles(folder));
    }
    if (m_previous) {
        SPARSERL_CHECK(makeDirectories(folder / "previous"));
        SPARSERL_CHECK(m_previous->saveFiles(folder / "previous"));
    }
    SafeTensors optimizers;
    m_learner->saveOptimizers(optimizers);
    return writeSafeTensors(folder / "optimizer.safetensors", optimizers);
}

} // namespace

Status completeRewardTimes(StageContext& context, RewardTimes& times)
{
    const auto& p = context.parameters();
    std::vector<CachedJudge::Request> requests;
    for (const auto& matrix : context.environment().matrices) {
        if (times.has(matrix.digest))
            continue;
        SftDataOptions options;
        options.recommended = 0.5;
        const Rng base =
            Rng(static_cast<std::uint64_t>(p[param::seed])).derive("reward-times").derive(matrix.digest);
        for (std::int64_t i = 0; i < p[param::reward::statsSamples]; ++i) {
            Rng rng = base.derive(static_cast<std::uint64_t>(i));
            SPARSERL_TRY(auto program, drawProgram(*matrix.matrix, options, rng));
            requests.push_back({std::move(program.text), &matrix, false, {}});
        }
    }
    if (requests.empty())
        return {};
    auto records = context.judge().judge(requests, context.cancel(), [&](std::size_t done) {
        context.pulse(fmt::format("judging corpus programs {}/{}", done, requests.size()), 0);
    });
    if (!records)
        return fail(records.error());
    for (const auto& record : *records)
        times.add(record);
    return {};
}

Result<std::unique_ptr<Stage>> makeRlStage(StageContext& context)
{
    SPARSERL_TRY(auto model, RewardModel::preset(context.parameters()[param::reward::preset]));
    return std::make_unique<RlStage>(context, std::move(model));
}

} // namespace sparserl

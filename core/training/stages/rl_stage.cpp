// SPDX-License-Identifier: Apache-2.0
#include "base/beneath.h"
#include "base/files.h"
#include "base/interruption.h"
#include "base/json.h"
#include "base/rng.h"
#include "policy/policy/policy_update.h"
#include "project/files/run_files.h"
#include "training/data/sft_prompt.h"
#include "training/learning/learner.h"
#include "training/parameters/parameter_keys.h"
#include "training/parameters/stage_parameters.h"
#include "training/sampling/matrix_reading.h"
#include "training/sampling/rl_experience.h"
#include "training/sampling/rl_sampling.h"
#include "training/sampling/rl_server.h"
#include "training/stages/placement.h"
#include "training/stages/stages.h"
#include "training/work/alarms.h"
#include "training/work/kl_reference.h"
#include "training/work/run_targets.h"
#include "training/work/stage_setup.h"
#include "verdict/names.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace sparserl {

namespace {

constexpr const char* const bestProgramsFile = "best_programs.json";
constexpr const char* const rlAdvice = "with a smaller rl.lr or a larger rl.kl_coef";

class RlStage : public Stage
{
public:
    explicit RlStage(StageContext& context, RewardModel model)
        : m_context(context)
        , m_p(context.parameters())
        , m_rewards{std::move(model), {}, {}, false}
        , m_alarms(m_p)
    {
    }
    std::int64_t totalSteps() const override { return m_p[param::rl::iterations]; }
    Status prepare(const CheckpointInfo* from, const nlohmann::json& state) override;
    Result<std::int64_t> advance(std::int64_t iteration) override;
    Status evaluate(std::int64_t step) override;
    nlohmann::json state() const override;
    Status save(const std::filesystem::path& folder) const override;
    const RewardTimes& rewardTimes() const override { return m_rewards.times; }
    bool isSound() const override { return m_alarms.sound(); }
    bool isComplete() const override { return m_p[param::rl::valueOnly] && m_criticReady; }

private:
    Status loadLearner(const std::filesystem::path& policyFolder,
                       const std::filesystem::path& referenceFolder);
    Result<RlSettings> settings(std::int64_t iteration) const;
    Rng stream(const char* purpose, std::int64_t iteration) const
    {
        return rlStream(m_p, purpose, iteration);
    }
    Status useRewards(std::int64_t iteration);
    Status drawAhead(std::int64_t iteration);
    Result<bool> isFrozen(std::int64_t iteration, const RlSettings& current, const Metrics& metrics);
    Status learn(std::int64_t iteration, const Rollout& rollout, RlSettings current, const Stopwatch& whole);
    Status journal(std::int64_t step, const Rollout& rollout,
                   const std::vector<std::vector<AdvantageRun>>& advantages, const Metrics& metrics);

    StageContext& m_context;
    const ParameterSet& m_p;
    StageRewards m_rewards;
    Alarms m_alarms;
    bool m_criticReady = false; ///< It has passed rl.value_bar.
    double m_klAsked = 0;       ///< The rl.kl_coef that the controller began with, or was given last.
    std::optional<Learner> m_learner;
    std::optional<MatrixViews> m_views;
    std::optional<Policy> m_previous; ///< Before the last update, where an evaluation of it is to come.
    std::string m_frozen;             ///< frozenDigest() of the policy; only with a server.
    std::unique_ptr<EndpointSampler> m_server; ///< rl.sampler = endpoint
    std::optional<RlSampling> m_sampling;      ///< Last: it uses others.
};

Result<RlSettings> RlStage::settings(std::int64_t iteration) const
{
    const auto own = m_p[param::rl::maxTokens];
    const auto longest = own > 0 ? own : m_learner ? m_learner->policy().config().generation.maxTokens : 250;
    return RlSettings::from(m_p, iteration, totalSteps(), longest);
}

Status RlStage::loadLearner(const std::filesystem::path& policyFolder,
                            const std::filesystem::path& referenceFolder)
{
    SPARSERL_TRY(auto policy, Policy::load(policyFolder));
    policy.config().prompt = promptFor(policy.config().prompt, firstVariantOf(m_p));
    policy.config().refines = policy.config().refines || m_p[param::rl::refine] > 0;
    SPARSERL_TRY(auto reference,
                 referenceFolder == policyFolder ? policy.clone(false) : Policy::load(referenceFolder));
    if (reference.tokenizer().toJson() != policy.tokenizer().toJson() ||
        reference.tokenizer().end() != policy.tokenizer().end())
        return failAt(referenceFolder.string(), 0,
                      "rl.kl_reference names a policy with another vocabulary: its probabilities cannot be "
                      "compared with the policy's",
                      "Name one that the policy comes from, or has its vocabulary from");
    const auto from = m_context.checkpoint();
    std::optional<Critic> critic;
    if (m_p[param::rl::algorithm] == "ppo") {
        const bool inherited =
            m_p[param::rl::critic] == "parent" && glance(policyFolder / "critic.json").exists;
        if (from || inherited) {
            SPARSERL_TRY(auto loaded, Critic::load(policyFolder));
            critic.emplace(std::move(loaded));
        } else {
            critic.emplace(Critic::fromPolicy(policy, stream("critic", 0).next()));
        }
    }
    SPARSERL_TRY(const auto compute, computeOf(m_p, m_context.processes()));
    if (m_p[param::rl::judgeAhead] && !from && compute.device.is_cuda()) {
        SPARSERL_TRY(const bool shared,
                     measuresOnGpu(m_p, compute.device.has_index() ? compute.device.index() : 0));
        if (shared) // Both get slower, and times are wrong (tests/benchmarks/judge_throughput.md).
            return fail(
                "rl.judge_ahead would measure programs on the GPU that the policy learns on meanwhile",
                "Set rl.judge_ahead = false, judge.device = sim, or judge.gpus to other GPUs");
    }
    if (usesServer(m_p))
        m_frozen = frozenDigest(policy);
    policy.moveTo(compute);
    policy.learn();
    reference = reference.clone(false);
    reference.shareFrozen(policy); // one copy of a large model under several adapters
    reference.moveTo(compute);
    if (critic) {
        critic->shareFrozen(policy);
        critic->moveTo(compute);
    }
    SPARSERL_TRY(auto first, settings(0));
    m_learner.emplace(std::move(policy), std::move(reference), std::move(critic), first,
                      m_p[param::rl::klCoef], m_p[param::rl::klTarget], m_p[param::rl::klHorizon],
                      m_context.environment().cancel, m_context.environment().processes);
    return {};
}

Status RlStage::prepare(const CheckpointInfo* from, const nlohmann::json& state)
{
    SPARSERL_CHECK(requireParentAndMatrices(m_context, "rl"));
    SPARSERL_CHECK(checkTogether(m_p));
    m_klAsked = m_p[param::rl::klCoef];
    if (m_p[param::rl::valueOnly] && m_p[param::rl::algorithm] != "ppo")
        return fail("rl.value_only trains a critic, and the algorithm " +
                        std::string(m_p[param::rl::algorithm]) + " has none",
                    "Use rl.algorithm = ppo");
    if (m_p[param::rl::judgeAhead] && m_p[param::rl::refine] > 0)
        return fail("rl.judge_ahead draws programs before the best ones of an iteration are known, and "
                    "rl.refine shows those",
                    "Set rl.judge_ahead = false or rl.refine = 0");
    if (m_p[param::rl::judgeAhead] && !m_context.processes().alone())
        return fail("rl.judge_ahead is for one process, and this run has several",
                    "Set rl.judge_ahead = false, or train with one process");
    SPARSERL_CHECK(checkServerParameters(m_context));
    const auto& parent = m_context.environment().parent;
    const std::string& reference = m_p[param::rl::klReference];
    SPARSERL_TRY(const auto referenceFolder,
                 klReference(reference, parent, m_context.run().config().project));
    SPARSERL_CHECK(loadLearner(from ? from->path : parent, referenceFolder));
    if (!from && reference != "parent")
        SPARSERL_CHECK(
            m_context.log(0, "info", "The KL is measured against the policy in " + referenceFolder.string()));
    if (!from && m_rewards.model.paysClassesApart() && !m_p[param::rl::tokenClasses]) {
        SPARSERL_CHECK(m_context.log(
            0, "warning",
            "The reward preset " + m_rewards.model.name() +
                " rewards plan and code separately, but rl.token_classes is off: all tokens get the sum"));
    }
    SPARSERL_CHECK(loadRewards(m_context, from ? from->path : parent,
                               from ? RewardSource::Checkpoint : RewardSource::Policy, m_rewards));
    m_views.emplace(m_learner->policy(), m_context.environment().matrices,
                    static_cast<int>(m_p[param::policy::views]));
    SPARSERL_TRY(const auto measuring, measuringOptions(m_p));
    BestPrograms best;
    if (from != nullptr) {
        SPARSERL_TRY(best, BestPrograms::load(from->path / bestProgramsFile));
    }
    m_sampling.emplace(m_context, m_rewards, *m_views, measuring, std::move(best));
    SPARSERL_TRY(m_server, serverOf(m_context, m_frozen));
    m_sampling->sampleWith(m_server.get());
    if (from == nullptr)
        return {};
    m_alarms.restore(jsonValue(state, "alarms", nlohmann::json::object()));
    m_criticReady = jsonValue(state, "critic_ready", false);

    SPARSERL_TRY(auto optimizers, readSafeTensors(from->path / "optimizer.safetensors"));
    SPARSERL_CHECK(m_learner->loadOptimizers(optimizers));
    m_learner->klController().setCoefficient(jsonValue(state, "kl_coefficient", m_p[param::rl::klCoef]));
    // A fork that asks for another one than its parent begins with it.
    m_klAsked = jsonValue(jsonValue(state, parametersOfParent, nlohmann::json::object()),
                          std::string(param::rl::klCoef.key).c_str(), m_klAsked);
    const auto restore = [&](const char* key, const char* folder, std::optional<Policy>& into) -> Status {
        if (!jsonValue(state, key, false))
            return {};
        SPARSERL_TRY(auto policy, Policy::load(from->path / folder));
        SPARSERL_TRY(const auto compute, computeOf(m_p, m_context.processes()));
        policy.shareFrozen(m_learner->policy());
        policy.moveTo(compute);
        into.emplace(policy.clone(false));
        return {};
    };
    SPARSERL_CHECK(restore("has_previous", "previous", m_previous));
    std::optional<Policy> writer;
    SPARSERL_CHECK(restore("has_writer", "writer", writer));
    if (writer)
        m_sampling->setWriter(std::move(*writer));
    return m_sampling->loadMeasurements(from->path);
}

/// The weights and the formula as they are asked for now.
Status RlStage::useRewards(std::int64_t iteration)
{
    const std::string warned = iteration == 0 ? std::string() : m_rewards.model.orderWarning();
    SPARSERL_TRY(m_rewards.model, rewardModel(m_p));
    if (const auto warning = m_rewards.model.orderWarning(); !warning.empty() && warning != warned)
        SPARSERL_CHECK(m_context.log(iteration, "warning", warning));
    return completeReferences(m_context, m_rewards);
}

Status RlStage::drawAhead(std::int64_t iteration)
{
    if (!m_p[param::rl::judgeAhead] || iteration >= totalSteps())
        return {};
    SPARSERL_TRY(const auto then, settings(iteration));
    return m_sampling->drawAhead(iteration, then, m_learner->policy());
}

Result<std::int64_t> RlStage::advance(std::int64_t iteration)
{
    const Stopwatch whole;
    // Changed while the run goes on: the controller adapts from there.
    if (const double asked = m_p[param::rl::klCoef]; asked != m_klAsked) {
        m_learner->klController().setCoefficient(asked);
        m_klAsked = asked;
    }
    SPARSERL_CHECK(useRewards(iteration));
    SPARSERL_TRY(auto current, settings(iteration));
    SPARSERL_TRY(const auto rollout, m_sampling->sample(iteration, current, m_learner->policy()));
    SPARSERL_CHECK(drawAhead(iteration + 1));
    SPARSERL_CHECK(learn(iteration, rollout, current, whole));
    m_sampling->learned(rollout);
    return iteration + 1;
}

/// Whether the critic learns alone: in the first rl.value_pretrain iterations, and on until it has explained
/// rl.value_bar of the returns' variance once, on samples that it has not learned from.
Result<bool> RlStage::isFrozen(std::int64_t iteration, const RlSettings& current, const Metrics& metrics)
{
    const double bar = m_p[param::rl::valueBar];
    if (!current.critic || iteration < m_p[param::rl::valuePretrain])
        return current.critic;
    const bool only = m_p[param::rl::valueOnly];
    if (bar <= 0 || m_criticReady)
        return only;
    // Rounding may differ where machines do; what is decided may not.
    const double explained =
        gatherNumbers(m_context.processes(), {metrics.at(std::string(metric::explainedVariance.text))})[0][0];
    m_criticReady = explained >= bar;
    if (m_criticReady) {
        SPARSERL_CHECK(m_context.log(
            iteration + 1, "info",
            fmt::format("The critic explains {:.2f} of the variance of the returns: "
                        "{}",
                        explained, only ? "this run has reached its aim" : "the policy learns from now on")));
    }
    return only || !m_criticReady;
}

/// The iteration is completed even if asked to stop, as what it needs is there. A signal gives it up: weights
/// are never left between two steps.
Status RlStage::learn(std::int64_t iteration, const Rollout& rollout, RlSettings current,
                      const Stopwatch& whole)
{
    auto metrics = rolloutMetrics(rollout);
    metrics[metric::rolloutFamilyEntropy] = familyEntropy(rollout);
    const bool dynamic = m_p[param::rl::resampleRounds] > 0;
    const auto learned =
        dynamic ? learnedGroups(rollout, m_p[param::rl::matrices]) : std::set<std::int64_t>();
    current.filterGroups = current.filterGroups || dynamic;
    const auto experience = experienceOf(rollout, m_learner->policy(), dynamic ? &learned : nullptr,
                                         m_sampling->isSelfCritical());
    if (const auto& tell = m_context.environment().onExperience)
        tell(iteration, experience);
    metrics[metric::resampled] = static_cast<double>(rollout.items.size()) -
                                 static_cast<double>(m_p[param::rl::matrices] * m_p[param::rl::samples]);
    const Stopwatch preparing;
    const auto targets = m_learner->prepare(experience, current, metrics);
    if (!targets)
        return fail(interruption());
    metrics[metric::timeOldLogProb] = preparing.seconds();
    SPARSERL_CHECK(checkServer(m_context, iteration, metrics));
    const Stopwatch updating;
    if (isDue(iteration + 1, totalSteps(), m_p[param::eval::every]))
        m_previous.emplace(m_learner->policy().clone(false));
    SPARSERL_TRY(const bool frozen, isFrozen(iteration, current, metrics));
    const auto pulse = [&](double part) {
        m_context.pulse(fmt::format("iteration {}/{}: updating", iteration + 1, totalSteps()),
                        0.8 + 0.2 * part);
    };
    auto updated =
        m_learner->update(experience, *targets, current, frozen, stream("update", iteration), pulse);
    if (!updated) {
        m_previous.reset();
        return fail(interruption());
    }
    metrics.merge(*updated);
    metrics[metric::timeUpdate] = updating.seconds();
    m_learner->klController().update(metrics[metric::klSftK1],
                                     static_cast<std::int64_t>(rollout.items.size()));

    metrics[metric::timeSampling] = rollout.samplingSeconds;
    metrics[metric::timeJudging] = rollout.judgingSeconds;
    metrics[metric::timeStep] = whole.seconds();
    metrics[metric::throughput] = metrics[metric::totalTokens] / whole.seconds();
    const double tokens = std::max(1.0, metrics[metric::totalTokens]);
    metrics[metric::timePerToken.part("gen")] = 1000 * rollout.samplingSeconds / tokens;
    metrics[metric::timePerToken.part("update_actor")] = 1000 * updating.seconds() / tokens;
    metrics.merge(m_sampling->takeMetrics());
    metrics[metric::judgeHits] = static_cast<double>(m_sampling->judgeHits());
    addAliases(metrics);
    const auto advantages = advantagesOf(rollout, experience, *targets, m_learner->policy().tokenizer(),
                                         dynamic ? &learned : nullptr);
    return journal(iteration + 1, rollout, advantages, metrics);
}

Status RlStage::journal(std::int64_t step, const Rollout& rollout,
                        const std::vector<std::vector<AdvantageRun>>& advantages, const Metrics& metrics)
{
    SPARSERL_CHECK(journalRollout(m_context, step, rollout, sample_origin::policy, advantages));
    // Recomputed log-probabilities make the first ratio 1; anything else is a bug that would poison learning.
    // Other micro-batches round otherwise: by 0.05 for an unlikely token were seen in bf16.
    const double bound = m_p[param::precision] == "bf16" ? 0.25 : 1e-4;
    const auto error = metrics.find(metric::firstRatioError);
    if (error != metrics.end() && error->second > bound) {
        const auto text =
            fmt::format("The first importance ratio of iteration {} is off 1 by {:.2g}", step, error->second);
        SPARSERL_CHECK(m_context.log(step, "warning", text));
    }
    SPARSERL_CHECK(m_context.metrics(step, split::train, metrics));
    const bool last = step == totalSteps();
    SPARSERL_CHECK(answerAlarms(m_context, m_alarms, split::train, step, metrics, last, rlAdvice));
    if (last && m_p[param::rl::valueBar] > 0 && m_learner->critic() && !m_criticReady)
        return fail(
            fmt::format("the critic never explained {:.2f} of the variance of the returns, so that the "
                        "policy has not learned anything",
                        m_p[param::rl::valueBar]),
            "Lower rl.value_bar, or raise rl.value_epochs or rl.iterations");
    return {};
}

Status RlStage::evaluate(std::int64_t step)
{
    const auto matrices = m_context.matrices(true);
    const auto samples = m_p[param::eval::samples];
    if (matrices.empty() || samples == 0) {
        m_previous.reset();
        return {};
    }
    m_sampling->waitForJudge();
    const Stopwatch watch;
    SPARSERL_TRY(auto current, settings(std::max<std::int64_t>(0, step - 1)));
    // Not the annealed temperature: held-out curves show what is learned, not the cooling.
    current.temperature = m_p[param::rl::temperature];
    // The policy itself, without top-k, top-p or mixture: divergences are estimated from these samples.
    auto request = m_sampling->request(current);
    request.matrices = matrices;
    request.samples = samples;
    // The same draws at every evaluation: paired with one another, differences are the policy's.
    request.seed = stream("evaluation", 0).next();
    request.phase = fmt::format("evaluating after iteration {}", step);
    SPARSERL_TRY(auto rollout, rollOut(m_context, m_learner->policy(), *m_views, m_rewards.model,
                                       m_rewards.times, request));
    auto metrics = rolloutMetrics(rollout);
    const auto& before = m_previous ? *m_previous : m_learner->policy();
    auto measured = m_learner->measure(experienceOf(rollout, m_learner->policy()), before, current);
    if (!measured)
        return fail(interruption());
    metrics.merge(*measured);
    const auto reading =
        rolloutReading(m_learner->policy(), rollout, m_rewards.times, request.sampling.temperature,
                       request.seed, m_context.environment().cancel);
    if (m_context.any(!reading))
        return fail(interruption());
    metrics.merge(Metrics(*reading));
    metrics[metric::timeTesting] = watch.seconds();
    SPARSERL_CHECK(journalRollout(m_context, step, rollout, sample_origin::policy));
    SPARSERL_CHECK(m_context.metrics(step, split::heldOut, metrics));
    m_previous.reset();
    return answerAlarms(m_context, m_alarms, split::heldOut, step, metrics, step == totalSteps(), rlAdvice);
}

nlohmann::json RlStage::state() const
{
    nlohmann::json state{{"kl_coefficient", m_learner->klController().coefficient()},
                         {"alarms", m_alarms.state()},
                         {"critic_ready", m_criticReady},
                         {"has_previous", m_previous.has_value()}};
    if (m_sampling->writer())
        state["has_writer"] = true;
    return state;
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
    if (const auto& writer = m_sampling->writer()) {
        SPARSERL_CHECK(makeDirectories(folder / "writer"));
        SPARSERL_CHECK(writer->saveFiles(folder / "writer"));
    }
    SPARSERL_CHECK(saveReferences(m_rewards, folder));
    SPARSERL_CHECK(m_sampling->saveMeasurements(folder));
    if (m_p[param::rl::refine] > 0)
        SPARSERL_CHECK(m_sampling->best().save(folder / bestProgramsFile));
    SafeTensors optimizers;
    m_learner->saveOptimizers(optimizers);
    return writeSafeTensors(folder / "optimizer.safetensors", optimizers);
}

} // namespace

Result<std::unique_ptr<Stage>> makeRlStage(StageContext& context)
{
    SPARSERL_TRY(auto model, rewardModel(context.parameters()));
    return std::make_unique<RlStage>(context, std::move(model));
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "base/interruption.h"
#include "base/json.h"
#include "base/rng.h"
#include "policy/files/safetensors.h"
#include "training/data/kept_samples.h"
#include "training/data/sft_prompt.h"
#include "training/learning/data_parallel.h"
#include "training/learning/optimizer.h"
#include "training/parameters/parameter_keys.h"
#include "training/stages/placement.h"
#include "training/stages/stages.h"
#include "training/stages/text_learning.h"
#include "training/work/alarms.h"
#include "training/work/run_targets.h"
#include "verdict/names.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

namespace sparserl {

namespace {

constexpr const char* const rftAdvice = "with a smaller rft.lr";

/// More passes over the kept programs than this have a warning: SFT makes tens.
constexpr double manyPasses = 100;

/// Rejection fine-tuning (CUDA Agent 3.3, eq. 2): the policy writes programs for the training matrices, those
/// with R > 0 that pass the pattern filter are kept, and the policy learns them by cross-entropy.
class RftStage : public Stage
{
public:
    RftStage(StageContext& context, RewardModel model)
        : m_context(context)
        , m_p(context.parameters())
        , m_rewards{std::move(model), {}, {}, false}
        , m_alarms(m_p)
    {
    }
    std::int64_t totalSteps() const override { return m_p[param::rft::steps]; }
    Status prepare(const CheckpointInfo* from, const nlohmann::json& state) override;
    Result<std::int64_t> advance(std::int64_t step) override;
    Status evaluate(std::int64_t step) override;
    nlohmann::json state() const override { return {{"alarms", m_alarms.state()}}; }
    Status save(const std::filesystem::path& folder) const override;
    const RewardTimes& rewardTimes() const override { return m_rewards.times; }
    bool isSound() const override { return m_alarms.sound(); }

private:
    RolloutRequest request(std::vector<const StageTarget*> matrices, std::int64_t samples,
                           const char* stream) const;
    Status collect();
    Status readKept();
    std::filesystem::path keptFile() const { return m_context.run().path() / "rft_samples.jsonl"; }

    StageContext& m_context;
    const ParameterSet& m_p;
    StageRewards m_rewards;
    Alarms m_alarms;
    std::optional<Policy> m_policy;
    std::optional<MatrixViews> m_views;
    std::optional<Adam> m_adam;
    std::vector<RatedSample> m_kept;
    std::map<std::string, std::vector<std::size_t>> m_byTarget; ///< Into m_kept, by TargetId::key().
    std::vector<std::string> m_targets;                         ///< Those with a kept sample.
};

RolloutRequest RftStage::request(std::vector<const StageTarget*> matrices, std::int64_t samples,
                                 const char* stream) const
{
    RolloutRequest request;
    request.matrices = std::move(matrices);
    request.samples = samples;
    request.seed = Rng(static_cast<std::uint64_t>(m_p[param::seed])).derive(stream).next();
    request.sampling.temperature = m_p[param::rft::temperature];
    request.sampling.maxTokens = static_cast<int>(m_p[param::rft::maxTokens]);
    request.verifier = m_p[param::rft::verifier];
    request.references = &m_rewards.references;
    return request;
}

/// Samples once, at the start; what is kept lies in the run's folder, so that a resumed run learns the same.
Status RftStage::collect()
{
    auto asked = request(m_context.matrices(false), m_p[param::rft::samples], "rft-samples");
    asked.phase = "sampling the programs to learn from";
    SPARSERL_TRY(const auto rollout,
                 rollOut(m_context, *m_policy, *m_views, m_rewards.model, m_rewards.times, asked));
    SPARSERL_CHECK(journalRollout(m_context, 0, rollout, sample_origin::policy));
    std::vector<RatedSample> samples;
    for (const auto& item : rollout.items)
        samples.push_back({item.target->target.id, item.text, item.sample.tokens, item.sample.finished,
                           item.reward.total, item.record});
    RejectionRules rules;
    rules.above = m_p[param::rft::minReward];
    rules.repeatLimit = m_p[param::rft::repeatLimit];
    rules.perMatrix = m_p[param::rft::perMatrix];
    std::map<std::string, int> reasons;
    for (const auto& sample : samples) {
        if (const auto reason = rejected(sample, rules))
            ++reasons[*reason];
    }
    const auto kept = keepSamples(samples, rules);
    std::string lines, about;
    for (const auto& sample : kept)
        lines +=
            dumpJson(
                {{"matrix", sample.target.key()}, {"tokens", sample.tokens}, {"reward", sample.reward}}) +
            "\n";
    for (const auto& [reason, count] : reasons)
        about += fmt::format("; {}: {}", reason, count);
    SPARSERL_CHECK(m_context.log(0, "info",
                                 fmt::format("{} programs were sampled, {} different ones are learned from{}",
                                             samples.size(), kept.size(), about)));
    const double passes = static_cast<double>(m_p[param::rft::steps] * m_p[param::rft::batch]) /
                          static_cast<double>(std::max<std::size_t>(1, kept.size()));
    if (passes > manyPasses && !kept.empty())
        SPARSERL_CHECK(m_context.log(
            0, "warning",
            fmt::format("Each program is learned from about {:.0f} times: the policy will repeat them. Raise "
                        "rft.samples or rft.per_matrix, or lower rft.steps",
                        passes)));
    auto written = m_context.leads() ? writeFileAtomic(keptFile(), lines) : Status();
    if (m_context.any(!written) && written) // the others wait for the file
        return fail("process 0 could not write the samples to learn from");
    return written;
}

Status RftStage::readKept()
{
    SPARSERL_TRY(const auto text, readFile(keptFile(), std::uint64_t(4) << 30));
    std::size_t begin = 0;
    for (std::size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
        SPARSERL_TRY(const auto json, parseJson(std::string_view(text).substr(begin, end - begin)));
        RatedSample sample;
        const StageTarget* matrix = m_context.matrix(jsonValue<std::string>(json, "matrix", {}));
        sample.tokens = jsonValue<std::vector<std::int32_t>>(json, "tokens", {});
        sample.reward = jsonValue(json, "reward", 0.0);
        const int vocabulary = m_policy->vocabSize();
        const bool known = std::all_of(sample.tokens.begin(), sample.tokens.end(),
                                       [&](std::int32_t token) { return token >= 0 && token < vocabulary; });
        if (matrix == nullptr || sample.tokens.empty() || !known)
            return failAt(keptFile().string(), 0, "a kept sample does not belong to this policy or project",
                          "Start a new run");
        sample.target = matrix->target.id;
        m_byTarget[sample.target.key()].push_back(m_kept.size());
        m_kept.push_back(std::move(sample));
    }
    for (const auto& [target, indices] : m_byTarget)
        m_targets.push_back(target);
    if (m_kept.empty())
        return fail("the policy wrote no program that may be learned from",
                    "Lower rft.min_reward, raise rft.samples, or start from a better policy");
    return {};
}

Status RftStage::prepare(const CheckpointInfo* from, const nlohmann::json& state)
{
    SPARSERL_CHECK(requireParentAndMatrices(m_context, "rft"));
    const auto& parent = m_context.environment().parent;
    const auto& folder = from ? from->path : parent;
    SPARSERL_TRY(auto policy, Policy::load(folder));
    policy.config().prompt = promptFor(policy.config().prompt, firstVariantOf(m_p));
    SPARSERL_TRY(const auto compute, computeOf(m_p, m_context.processes()));
    policy.moveTo(compute);
    policy.learn();
    m_policy.emplace(std::move(policy));
    SPARSERL_CHECK(
        loadRewards(m_context, folder, from ? RewardSource::Checkpoint : RewardSource::Policy, m_rewards));
    m_views.emplace(*m_policy, m_context.environment().matrices, static_cast<int>(m_p[param::policy::views]));
    AdamOptions adam;
    adam.epsilon = m_p[param::rft::adamEps];
    adam.weightDecay = m_p[param::rft::weightDecay];
    shareWeights(*m_policy, m_context.processes());
    m_adam.emplace(m_policy->parameters(), adam);
    if (from != nullptr) {
        m_alarms.restore(jsonValue(state, "alarms", nlohmann::json::object()));
        SPARSERL_TRY(auto optimizer, readSafeTensors(from->path / "optimizer.safetensors"));
        SPARSERL_CHECK(m_adam->load(optimizer, "rft"));
        return readKept();
    }
    SPARSERL_CHECK(collect());
    return readKept();
}

Result<std::int64_t> RftStage::advance(std::int64_t step)
{
    const Stopwatch watch;
    Rng rng = Rng(static_cast<std::uint64_t>(m_p[param::seed]))
                  .derive("rft-batch")
                  .derive(static_cast<std::uint64_t>(step));
    std::vector<std::size_t> chosen;
    std::vector<std::int64_t> views;
    const auto count = static_cast<std::uint64_t>(m_p[param::policy::views]);
    double tokens = 0;
    for (std::int64_t i = 0; i < m_p[param::rft::batch]; ++i) {
        const auto& indices = m_byTarget.at(m_targets[rng.below(m_targets.size())]);
        chosen.push_back(indices[rng.below(indices.size())]);
        views.push_back(static_cast<std::int64_t>(rng.below(count)));
        tokens += static_cast<double>(m_kept[chosen.back()].tokens.size());
    }
    m_adam->zeroGradients();
    auto& processes = m_context.processes();
    const auto own = takeTurns(chosen, processes);
    const auto ownViews = takeTurns(views, processes);
    const auto sum = addTextGradient(
        *m_policy, own.size(), m_p[param::rft::microBatch], tokens,
        [&](std::size_t begin, std::size_t end) {
            SequenceBatch batch;
            for (std::size_t i = begin; i < end; ++i) {
                const auto& sample = m_kept[own[i]];
                batch.inputOf.push_back(static_cast<int>(batch.inputs.size()));
                batch.inputs.push_back(m_views->input(sample.target.key(), ownViews[i]));
                batch.targets.push_back(sample.tokens);
            }
            return batch;
        },
        m_context.environment().cancel, processes);
    if (!sum)
        return fail(interruption());
    sumGradients(m_adam->parameters(), processes);
    AdamOptions adam;
    adam.epsilon = m_p[param::rft::adamEps];
    adam.weightDecay = m_p[param::rft::weightDecay];
    m_adam->setOptions(adam);
    const double norm = m_adam->clipGradients(m_p[param::rft::gradClip]);
    SPARSERL_TRY(const auto schedule, scheduleFromName(m_p[param::rft::schedule]));
    const double rate = learningRateAt(schedule, m_p[param::rft::lr], step, m_p[param::rft::warmup],
                                       totalSteps(), m_p[param::rft::lrFloor]);
    SPARSERL_CHECK(applyTextUpdate(
        m_context, m_alarms, *m_adam,
        {step + 1, step + 1 == totalSteps(), *sum, tokens, norm, rate, {}, rftAdvice}, watch));
    m_context.pulse(fmt::format("step {}/{}", step + 1, totalSteps()), 0);
    return step + 1;
}

Status RftStage::evaluate(std::int64_t step)
{
    const auto matrices = m_context.matrices(true);
    const auto samples = m_p[param::eval::samples];
    if (matrices.empty() || samples == 0)
        return {};
    auto asked = request(matrices, samples, "rft-eval");
    asked.phase = "sampling held-out matrices";
    SPARSERL_TRY(const auto rollout,
                 rollOut(m_context, *m_policy, *m_views, m_rewards.model, m_rewards.times, asked));
    auto metrics = rolloutMetrics(rollout);
    metrics[metric::timeSampling] = rollout.samplingSeconds;
    metrics[metric::timeJudging] = rollout.judgingSeconds;
    SPARSERL_CHECK(journalRollout(m_context, step, rollout, sample_origin::policy));
    SPARSERL_CHECK(m_context.metrics(step, split::heldOut, metrics));
    return answerAlarms(m_context, m_alarms, split::heldOut, step, metrics, step == totalSteps(), rftAdvice);
}

Status RftStage::save(const std::filesystem::path& folder) const
{
    SPARSERL_CHECK(m_policy->saveFiles(folder));
    SPARSERL_CHECK(saveReferences(m_rewards, folder));
    SafeTensors optimizer;
    m_adam->save(optimizer, "rft");
    return writeSafeTensors(folder / "optimizer.safetensors", optimizer);
}

} // namespace

Result<std::unique_ptr<Stage>> makeRftStage(StageContext& context)
{
    SPARSERL_TRY(auto model, rewardModel(context.parameters()));
    return std::make_unique<RftStage>(context, std::move(model));
}

} // namespace sparserl

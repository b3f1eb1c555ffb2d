// SPDX-License-Identifier: Apache-2.0
#include "training/learning/learner.h"

#include "training/learning/data_parallel.h"
#include "training/learning/experience_metrics.h"
#include "training/learning/forward_passes.h"
#include "training/work/packed.h"

#include <algorithm>
#include <cmath>

namespace sparserl {

namespace {

torch::Tensor indexTensor(std::span<const std::int64_t> rows)
{
    return torch::tensor(std::vector<std::int64_t>(rows.begin(), rows.end()), torch::kInt64);
}

} // namespace

/// Sums of per-minibatch figures, weighted by tokens: of this process's rows, but for steps and norms, which
/// are those of all.
struct Learner::Totals
{
    bool interrupted = false; ///< In any process.
    double tokens = 0, valueTokens = 0;
    Metrics sums, valueSums;
    double actorSteps = 0, criticSteps = 0, actorNorm = 0, criticNorm = 0;
    double ratioMin = 1, ratioMax = 1, firstRatioError = 0, lastKl = 0;
    double clipLowMin = 1, clipHighMax = 0;
};

Learner::Learner(Policy policy, Policy reference, std::optional<Critic> critic, const RlSettings& settings,
                 double klCoefficient, double klTarget, double klHorizon, CancelToken interrupt,
                 std::shared_ptr<ProcessGroup> processes)
    : m_policy(std::move(policy))
    , m_reference(std::move(reference))
    , m_critic(std::move(critic))
    , m_actorOptimizer(m_policy.parameters(), settings.adam)
    , m_kl(klCoefficient, klTarget, klHorizon)
    , m_interrupt(std::move(interrupt))
    , m_processes(std::move(processes))
{
    shareWeights(m_policy, *m_processes);
    if (m_critic)
        shareWeights(m_critic->parameters(), *m_processes);
    if (m_critic)
        m_criticOptimizer.emplace(m_critic->parameters(), settings.adam);
}

std::optional<LearningTargets> Learner::prepare(const Experience& experience, const RlSettings& settings,
                                                Metrics& metrics)
{
    const auto& batch = experience.batch;
    const auto now = statisticsOf(m_policy, batch, settings.temperature, settings.microBatch, true,
                                  m_interrupt, *m_processes);
    const auto reference = statisticsOf(m_reference, batch, settings.temperature, settings.microBatch, false,
                                        m_interrupt, *m_processes);
    if (!now || !reference)
        return std::nullopt;
    LearningTargets targets;
    targets.mask = Mask(learnedMask(batch));
    targets.old = OldLogProb(now->logProbs);
    targets.ref = RefLogProb(reference->logProbs);
    if (m_critic) {
        const auto values = valuesOf(*m_critic, batch, settings.microBatch, m_interrupt, *m_processes);
        if (!values)
            return std::nullopt;
        targets.values = OldValue(*values);
    }
    const auto rewards = penaliseRewards(experience, targets, settings.rewardKl, m_kl.coefficient());
    estimateAdvantages(experience, rewards.perToken, settings, targets);
    targets.kept = keptResponses(experience, settings.filterGroups);
    if (!experience.behaviourLogProbs.empty()) {
        const auto behaviour = padded(experience.behaviourLogProbs, targets.mask.tensor.size(1));
        targets.correction =
            behaviourWeights(targets.old, behaviour, targets.mask, settings.behaviourCap, settings.behaviour);
    }
    addExperienceMetrics(metrics, experience, targets, rewards, *now, m_kl.coefficient());
    return targets;
}

bool Learner::actorMinibatch(const Experience& experience, const LearningTargets& targets,
                             const RlSettings& settings, std::span<const std::int64_t> rows, bool first,
                             Totals& totals)
{
    const auto columns = targets.mask.tensor.size(1);
    const auto whole = indexTensor(rows);
    const auto aggregation =
        Aggregation::over(targets.mask.rows(whole), settings.aggregation, settings.fixedLength);
    m_actorOptimizer.zeroGradients();
    double tokens = 0, kl = 0;
    bool interrupted = false;
    const auto share = shareOf(rows.size(), *m_processes);
    const auto micro = static_cast<std::size_t>(settings.microBatch);
    for (std::size_t begin = share.begin; begin < share.end; begin += micro) {
        interrupted = m_interrupt.cancelled();
        if (interrupted)
            break;
        const auto part = rows.subspan(begin, std::min(micro, share.end - begin));
        const auto index = indexTensor(part);
        const auto now =
            m_policy.tokenStatistics(selectRows(experience.batch, part), settings.temperature, true);
        const LogProb logp(toColumns(now.logProbs, columns));
        const auto entropy = toColumns(now.entropy, columns);
        const auto mask = targets.mask.rows(index);
        auto ofPart = aggregation;
        if (targets.classWeights.defined())
            ofPart.weights = targets.classWeights.index_select(0, index);
        const auto correction =
            targets.correction.defined() ? targets.correction.index_select(0, index) : torch::Tensor();
        const auto policy = policyLoss(logp, targets.old.rows(index), targets.advantages.rows(index), mask,
                                       settings.clip, ofPart, correction);
        auto loss = policy.loss - settings.entropyCoef * aggregate(entropy, mask, ofPart);
        const auto toReference = klPerToken(logp, targets.ref.rows(index), mask, settings.lossKl);
        if (settings.klLossCoef > 0)
            loss = loss + settings.klLossCoef * aggregate(toReference, mask, ofPart);
        loss.backward();

        const double n = mask.tensor.sum().item<double>();
        tokens += n;
        kl += n * policy.ppoKl;
        auto& sums = totals.sums;
        // A loss is already a part of the minibatch's sum; rates are means over this micro-batch's tokens.
        sums[metric::policyLoss] += policy.loss.item<double>() * aggregation.tokens;
        sums[metric::clipFraction] += n * policy.clipFraction;
        sums[metric::clipFractionLower] += n * policy.clipFractionLower;
        sums[metric::clipHigh.part("high_mean")] += n * policy.clipFractionHigh;
        sums[metric::clipHigh.part("low_mean")] += n * (policy.clipFraction - policy.clipFractionHigh);
        sums[metric::ppoKl] += n * policy.ppoKl;
        sums[metric::approxKl] += n * policy.approxKl;
        sums[metric::klLoss] += n * maskedMean(toReference.detach(), mask).item<double>();
        sums[metric::entropyUpdate] += n * maskedMean(entropy.detach(), mask).item<double>();
        sums[metric::ratio] += n * policy.ratioMean;
        sums[metric::ratioVariance] += n * policy.ratioVariance;
        totals.ratioMin = std::min(totals.ratioMin, policy.ratioMin);
        totals.ratioMax = std::max(totals.ratioMax, policy.ratioMax);
        totals.clipHighMax = std::max(totals.clipHighMax, policy.clipFractionHigh);
        totals.clipLowMin = std::min(totals.clipLowMin, policy.clipFraction - policy.clipFractionHigh);
        if (first)
            totals.firstRatioError = std::max(totals.firstRatioError, policy.maxRatioError);
    }
    totals.tokens += tokens;
    const auto all = sumNumbers(*m_processes, {interrupted ? 1.0 : 0.0, tokens, kl});
    totals.interrupted = all[0] > 0;
    if (totals.interrupted)
        return false; // update() takes back what was done
    totals.lastKl = all[1] > 0 ? all[2] / all[1] : 0;
    // The divergence was measured before this step, so the step that would go further is not taken.
    if (settings.klStop > 0 && totals.lastKl > settings.klStop)
        return false;
    sumGradients(m_actorOptimizer.parameters(), *m_processes);
    const double norm = m_actorOptimizer.clipGradients(settings.gradClip);
    if (std::isfinite(norm))
        m_actorOptimizer.step(settings.learningRate);
    totals.actorNorm += norm;
    totals.actorSteps += 1;
    return true;
}

void Learner::criticMinibatch(const Experience& experience, const LearningTargets& targets,
                              const RlSettings& settings, std::span<const std::int64_t> rows, Totals& totals)
{
    const auto columns = targets.mask.tensor.size(1);
    const auto aggregation =
        Aggregation::over(targets.mask.rows(indexTensor(rows)), settings.aggregation, settings.fixedLength);
    m_criticOptimizer->zeroGradients();
    bool interrupted = false;
    const auto share = shareOf(rows.size(), *m_processes);
    const auto micro = static_cast<std::size_t>(settings.microBatch);
    for (std::size_t begin = share.begin; begin < share.end; begin += micro) {
        interrupted = m_interrupt.cancelled();
        if (interrupted)
            break;
        const auto part = rows.subspan(begin, std::min(micro, share.end - begin));
        const auto index = indexTensor(part);
        const Value values(toColumns(m_critic->values(selectRows(experience.batch, part)), columns));
        const auto mask = targets.mask.rows(index);
        const auto value = valueLoss(values, targets.values.rows(index), targets.returns.rows(index), mask,
                                     settings.valueClip, aggregation);
        value.loss.backward();
        const double n = mask.tensor.sum().item<double>();
        totals.valueTokens += n;
        totals.valueSums[metric::valueLoss] += value.loss.item<double>() * aggregation.tokens;
        totals.valueSums[metric::valueClipFraction] += n * value.clipFraction;
    }
    totals.interrupted = anyProcess(*m_processes, interrupted);
    if (totals.interrupted)
        return; // update() takes back what was done
    sumGradients(m_criticOptimizer->parameters(), *m_processes);
    const double norm = m_criticOptimizer->clipGradients(settings.gradClip);
    if (std::isfinite(norm))
        m_criticOptimizer->step(settings.criticLearningRate);
    totals.criticNorm += norm;
    totals.criticSteps += 1;
}

Learner::Totals Learner::ofAll(const Totals& own)
{
    if (m_processes->alone())
        return own;
    Packer packer;
    for (const auto* sums : {&own.sums, &own.valueSums}) {
        packer.number(static_cast<std::uint64_t>(sums->size()));
        for (const auto& [name, sum] : *sums) {
            packer.text(name);
            packer.number(sum);
        }
    }
    for (const double value : {own.tokens, own.valueTokens, own.ratioMin, own.ratioMax, own.firstRatioError,
                               own.clipLowMin, own.clipHighMax})
        packer.number(value);
    Totals all = own;
    all.tokens = all.valueTokens = 0;
    all.sums.clear();
    all.valueSums.clear();
    for (const auto& bytes : m_processes->gather(packer.take())) {
        Unpacker told(bytes);
        for (auto* sums : {&all.sums, &all.valueSums}) {
            for (auto left = told.number<std::uint64_t>(); left > 0; --left) {
                const auto name = told.text();
                (*sums)[name] += told.number<double>();
            }
        }
        all.tokens += told.number<double>();
        all.valueTokens += told.number<double>();
        all.ratioMin = std::min(all.ratioMin, told.number<double>());
        all.ratioMax = std::max(all.ratioMax, told.number<double>());
        all.firstRatioError = std::max(all.firstRatioError, told.number<double>());
        all.clipLowMin = std::min(all.clipLowMin, told.number<double>());
        all.clipHighMax = std::max(all.clipHighMax, told.number<double>());
    }
    return all;
}

std::optional<Metrics> Learner::update(const Experience& experience, const LearningTargets& targets,
                                       const RlSettings& settings, bool frozen, Rng rng, const Pulse& pulse)
{
    m_actorOptimizer.setOptions(settings.adam);
    if (m_criticOptimizer)
        m_criticOptimizer->setOptions(settings.adam);
    // An iteration that was begun cannot be saved: one that is interrupted leaves the state before it.
    const auto actorBefore = m_actorOptimizer.state();
    const auto criticBefore = m_criticOptimizer ? std::optional(m_criticOptimizer->state()) : std::nullopt;
    Totals totals;
    auto order = targets.kept;
    const auto size = static_cast<std::size_t>(settings.minibatch);
    const auto epochs = frozen ? settings.valueEpochs : settings.epochs;
    const double minibatches =
        std::max(1.0, std::ceil(static_cast<double>(order.size()) / static_cast<double>(size)));
    bool actorGoesOn = !frozen;
    double done = 0;
    for (std::int64_t epoch = 0; epoch < epochs; ++epoch) {
        rng.shuffle(order);
        for (std::size_t begin = 0; begin < order.size(); begin += size) {
            const std::span<const std::int64_t> rows(order.data() + begin,
                                                     std::min(size, order.size() - begin));
            if (actorGoesOn)
                actorGoesOn =
                    actorMinibatch(experience, targets, settings, rows, epoch == 0 && begin == 0, totals);
            if (m_critic && !totals.interrupted)
                criticMinibatch(experience, targets, settings, rows, totals);
            if (totals.interrupted) {
                m_actorOptimizer.restore(actorBefore);
                if (m_criticOptimizer)
                    m_criticOptimizer->restore(*criticBefore);
                return std::nullopt;
            }
            done += 1;
            if (pulse)
                pulse(done / (static_cast<double>(epochs) * minibatches));
        }
    }

    requireSameWeights(m_actorOptimizer.parameters(), *m_processes);
    if (m_criticOptimizer)
        requireSameWeights(m_criticOptimizer->parameters(), *m_processes);
    totals = ofAll(totals);
    Metrics metrics;
    for (const auto& [name, sum] : totals.sums)
        metrics[name] = totals.tokens > 0 ? sum / totals.tokens : 0;
    for (const auto& [name, sum] : totals.valueSums)
        metrics[name] = totals.valueTokens > 0 ? sum / totals.valueTokens : 0;
    if (totals.actorSteps > 0 || totals.tokens > 0) {
        metrics[metric::actorGradNorm] = totals.actorSteps > 0 ? totals.actorNorm / totals.actorSteps : 0;
        metrics[metric::actorLearningRate] = settings.learningRate;
        metrics[metric::actorSteps] = totals.actorSteps;
        metrics[metric::clipHigh.part("low_min")] = totals.clipLowMin;
        metrics[metric::clipHigh.part("high_max")] = totals.clipHighMax;
        metrics[metric::ratioMin] = totals.ratioMin;
        metrics[metric::ratioMax] = totals.ratioMax;
        metrics[metric::firstRatioError] = totals.firstRatioError;
    }
    if (m_critic) {
        metrics[metric::criticGradNorm] = totals.criticSteps > 0 ? totals.criticNorm / totals.criticSteps : 0;
        metrics[metric::criticLearningRate] = settings.criticLearningRate;
    }
    return metrics;
}

std::optional<Metrics> Learner::measure(const Experience& experience, const Policy& before,
                                        const RlSettings& settings)
{
    Metrics metrics;
    auto plain = settings;
    plain.filterGroups = false;
    const auto prepared = prepare(experience, plain, metrics);
    const auto earlier = statisticsOf(before, experience.batch, settings.temperature, settings.microBatch,
                                      false, m_interrupt, *m_processes);
    if (!prepared || !earlier)
        return std::nullopt;
    const LearningTargets& targets = *prepared;
    // Samples come from the policy as it is now, so this estimates KL(new || old); actor/ppo_kl of the train
    // split estimates KL(old || new) from samples of the old one.
    const RefLogProb old(earlier->logProbs);
    metrics[metric::updateKl] =
        maskedMean(klPerToken(LogProb(targets.old.tensor), old, targets.mask, KlEstimator::K3), targets.mask)
            .item<double>();
    if (m_critic) {
        const auto aggregation =
            Aggregation::over(targets.mask, AggregationMode::TokenMean, settings.fixedLength);
        metrics[metric::valueLoss] = valueLoss(Value(targets.values.tensor), targets.values, targets.returns,
                                               targets.mask, 0, aggregation)
                                         .loss.item<double>();
    }
    return metrics;
}

void Learner::saveOptimizers(SafeTensors& into) const
{
    m_actorOptimizer.save(into, "actor");
    if (m_criticOptimizer)
        m_criticOptimizer->save(into, "critic");
}

Status Learner::loadOptimizers(const SafeTensors& from)
{
    SPARSERL_CHECK(m_actorOptimizer.load(from, "actor"));
    return m_criticOptimizer ? m_criticOptimizer->load(from, "critic") : Status();
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "training/sampling/rollout.h"

#include "base/interruption.h"
#include "base/rng.h"
#include "policy/tokenizer/utf8.h"
#include "reward/program_match.h"
#include "training/data/sft_prompt.h"
#include "training/learning/advantages.h"
#include "training/sampling/endpoint_sampler.h"
#include "training/sampling/policy_input.h"
#include "training/sampling/verified_sampling.h"
#include "training/work/packed.h"
#include "verdict/names.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace sparserl {

MatrixViews::MatrixViews(const Policy& policy, const std::vector<StageTarget>& matrices, int views)
{
    const std::string& trained = policy.config().prompt;
    for (const auto& matrix : matrices) {
        const auto& id = matrix.target.id;
        const Rng base = Rng(0x5eed).derive("matrix-view").derive(id.contents);
        Views all{matrix.target.matrix, {}, {}};
        for (int view = 0; view < std::max(1, views); ++view) {
            all.seeds.push_back(base.derive(static_cast<std::uint64_t>(view)).next());
            all.inputs.push_back(
                policyInput(policy, *all.matrix, all.seeds.back(), promptFor(trained, id.variant)));
        }
        m_names.emplace(id.key(), m_views.size());
        m_names.emplace(TargetId{.contents = id.contents}.key(), m_views.size()); // as earlier files name it
        m_views.push_back(std::move(all));
    }
}

ModelInput MatrixViews::input(const std::string& key, std::int64_t view) const
{
    const auto& inputs = m_views[m_names.at(key)].inputs;
    return inputs[static_cast<std::size_t>(view) % inputs.size()];
}

std::vector<std::int32_t> MatrixViews::prompt(const Policy& policy, const std::string& key, std::int64_t view,
                                              const std::string& words) const
{
    const Views& views = m_views[m_names.at(key)];
    return policyPrompt(policy, *views.matrix,
                        views.seeds[static_cast<std::size_t>(view) % views.seeds.size()], words);
}

std::vector<double> Rollout::rewards() const
{
    std::vector<double> values;
    for (const auto& item : items)
        values.push_back(item.reward.total);
    return values;
}

std::vector<std::int64_t> Rollout::groups() const
{
    std::vector<std::int64_t> values;
    for (const auto& item : items)
        values.push_back(item.input);
    return values;
}

void append(Rollout& rollout, Rollout more)
{
    const int offset = static_cast<int>(rollout.inputs.size());
    std::move(more.inputs.begin(), more.inputs.end(), std::back_inserter(rollout.inputs));
    for (auto& item : more.items) {
        item.input += offset;
        rollout.items.push_back(std::move(item));
    }
    rollout.onPolicy = rollout.onPolicy && more.onPolicy;
    rollout.samplingSeconds += more.samplingSeconds;
    rollout.judgingSeconds += more.judgingSeconds;
}

namespace {

bool isTruncated(const Sample& sample)
{
    return !sample.finished && !sample.stopped;
}

/// What is added to the reward whatever the verdict: a program that does not end, or nearly does not.
double lengthPenalty(const RolloutRequest& request, const Sample& sample, int longest)
{
    return (isTruncated(sample) ? request.truncatedPenalty : 0) +
           overlongPenalty(static_cast<std::int64_t>(sample.tokens.size()), longest, request.overlongBuffer,
                           request.overlongPenalty);
}

/// What this process samples. A matrix's samples stay together, so that it is encoded once, unless there are
/// fewer matrices than processes; the beams of a search always do.
Share sampledShare(const RolloutRequest& request, std::size_t samples, const ProcessGroup& processes)
{
    const auto matrices = request.matrices.size();
    if (request.beam == 0 && matrices < static_cast<std::size_t>(processes.size()))
        return shareOf(samples, processes);
    const auto each = static_cast<std::size_t>(request.samples);
    const auto share = shareOf(matrices, processes);
    return {share.begin * each, share.end * each};
}

std::string packed(const std::vector<Sample>& samples)
{
    Packer packer;
    packer.number(static_cast<std::uint64_t>(samples.size()));
    for (const auto& sample : samples) {
        packer.numbers(std::span(sample.tokens));
        packer.numbers(std::span(sample.logProbs));
        packer.numbers(std::span(sample.behaviourLogProbs));
        packer.number(sample.finished);
        packer.number(sample.stopped);
        packer.text(sample.stopReason);
    }
    return packer.take();
}

void unpack(const std::string& bytes, std::vector<Sample>& all)
{
    Unpacker unpacker(bytes);
    for (auto left = unpacker.number<std::uint64_t>(); left > 0; --left) {
        Sample sample;
        sample.tokens = unpacker.numbers<std::int32_t>();
        sample.logProbs = unpacker.numbers<float>();
        sample.behaviourLogProbs = unpacker.numbers<float>();
        sample.finished = unpacker.number<bool>();
        sample.stopped = unpacker.number<bool>();
        sample.stopReason = unpacker.text();
        all.push_back(std::move(sample));
    }
}

/// The samples of all processes by rank, which is their order.
std::vector<Sample> gatherSamples(std::vector<Sample> own, ProcessGroup& processes)
{
    if (processes.alone())
        return own;
    std::vector<Sample> all;
    for (const auto& bytes : processes.gather(packed(own)))
        unpack(bytes, all);
    return all;
}

/// The samples of the server, which process 0 asks for all.
Result<std::vector<Sample>> servedSamples(EndpointSampler* sampler, const Policy& policy,
                                          const std::vector<ModelInput>& inputs,
                                          const std::vector<SampleRequest>& requests,
                                          const VerifiedSampling& how, ProcessGroup& processes)
{
    auto drawn = sampler != nullptr ? sampler->sample(policy, inputs, requests, how)
                                    : Result<std::vector<Sample>>(std::vector<Sample>());
    SPARSERL_CHECK(ofLeader(processes, drawn ? Status() : fail(drawn.error())));
    if (processes.alone())
        return drawn;
    std::vector<Sample> all;
    unpack(processes.broadcast(processes.leads() ? packed(*drawn) : std::string()), all);
    return all;
}

} // namespace

Result<DrawnRollout> drawRollout(StageContext& context, const Policy& policy, const MatrixViews& views,
                                 RolloutRequest request)
{
    DrawnRollout result;
    Rollout& rollout = result.rollout;
    rollout.onPolicy = request.sampling.ancestral() && !request.served;
    std::vector<SampleRequest> samples;
    const Rng base(request.seed);
    for (std::size_t m = 0; m < request.matrices.size(); ++m) {
        const TargetId& id = request.matrices[m]->target.id;
        const std::int64_t view = request.views.empty() ? 0 : request.views[m];
        rollout.inputs.push_back(views.input(id.key(), view));
        const ProgramToRefine* shown = request.shown.empty() ? nullptr : request.shown[m];
        if (shown)
            rollout.inputs.back().prompt =
                views.prompt(policy, id.key(), view, refinePrompt(id.variant, *shown));
        for (std::int64_t s = 0; s < request.samples; ++s) {
            const auto index = static_cast<std::uint64_t>(samples.size());
            samples.push_back({static_cast<int>(m), base.derive(index).next()});
            RolloutItem item;
            item.target = request.matrices[m];
            item.input = static_cast<int>(m);
            item.shownMicroseconds = shown ? shown->microseconds : 0;
            rollout.items.push_back(std::move(item));
        }
    }

    SamplingOptions& options = request.sampling;
    if (options.maxTokens <= 0)
        options.maxTokens = policy.config().generation.maxTokens;
    SPARSERL_CHECK(options.check());
    const double expected = 0.6 * static_cast<double>(samples.size()) * options.maxTokens;
    const auto progress = [&](std::size_t tokens) {
        context.pulse(request.phase, 0.4 * std::min(1.0, static_cast<double>(tokens) / expected));
    };
    const Stopwatch sampling;
    const VerifiedSampling how{options, request.verifier, progress, context.cancel(), request.beam};
    ProcessGroup& processes = context.processes();
    const auto ownSamples = [&] {
        const auto share = sampledShare(request, samples.size(), processes);
        return sampleVerified(policy, rollout.inputs,
                              {samples.begin() + static_cast<std::ptrdiff_t>(share.begin),
                               samples.begin() + static_cast<std::ptrdiff_t>(share.end)},
                              how);
    };
    auto sampled = request.served
                       ? servedSamples(request.sampler, policy, rollout.inputs, samples, how, processes)
                       : Result<std::vector<Sample>>(ownSamples());
    if (context.any(context.cancel().cancelled()))
        return fail(interruption());
    if (!sampled)
        return fail(sampled.error());
    auto drawn = request.served ? std::move(*sampled) : gatherSamples(std::move(*sampled), processes);
    rollout.samplingSeconds = sampling.seconds();
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        auto& item = rollout.items[i];
        item.sample = std::move(drawn[i]);
        item.text = validUtf8(policy.tokenizer().decode(item.sample.tokens));
        CachedJudge::Request asked{item.text, item.target, item.sample.stopped, item.sample.stopReason};
        if (const auto& replace = context.environment().replaceSample)
            if (auto text = replace(request.seed, i)) {
                item.text = *text;
                asked = {std::move(*text), item.target, false, {}};
            }
        result.requests.push_back(std::move(asked));
    }
    result.request = std::move(request);
    return result;
}

namespace {

/// The record as rewards see it: a time that was predicted counts as if it had been measured.
VerdictRecord paidFor(VerdictRecord record)
{
    if (const double t = record.predictedMicroseconds; !record.warm && t > 0)
        record.warm = Timing{t, t, t, 0};
    return record;
}

} // namespace

RewardExtras rewardExtras(const RewardModel& model, const ReferencePrograms* references,
                          const std::string& key, const std::string& text, std::size_t tokens, bool truncated)
{
    RewardExtras extras;
    extras.tokens = static_cast<std::int64_t>(tokens);
    extras.truncated = truncated;
    if (!model.usesReference() || references == nullptr)
        return extras;
    if (const auto found = references->find(key); found != references->end()) {
        extras.syntaxMatch = syntaxMatch(text, found->second);
        extras.dataflowMatch = dataflowMatch(text, found->second);
    }
    return extras;
}

Rollout rewarded(DrawnRollout drawn, std::vector<VerdictRecord> records, const RewardModel& model,
                 const RewardTimes& times)
{
    const RolloutRequest& request = drawn.request;
    for (std::size_t i = 0; i < drawn.rollout.items.size(); ++i) {
        auto& item = drawn.rollout.items[i];
        item.record = std::move(records[i]);
        if (isCompiled(item.record.verdict))
            item.family = identifyFamily(item.text).value_or(std::string());
        const auto statistics = times.statistics(model, item.target->target.id.key());
        item.reward =
            model.reward(paidFor(item.record), statistics.n > 0 ? &statistics : nullptr,
                         rewardExtras(model, request.references, item.target->target.id.key(), item.text,
                                      item.sample.tokens.size(), isTruncated(item.sample)));
        const double penalty = lengthPenalty(request, item.sample, request.sampling.maxTokens);
        for (double* part : {&item.reward.total, &item.reward.plan, &item.reward.code})
            *part += penalty;
    }
    return std::move(drawn.rollout);
}

std::function<void(std::size_t)> judgingPulse(StageContext& context, std::size_t all)
{
    return [&context, all](std::size_t done) {
        const double part = static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(all, 1));
        context.pulse(fmt::format("judging {}/{}", done, all), 0.4 + 0.4 * part);
    };
}

namespace {

Result<Rollout> judged(StageContext& context, DrawnRollout drawn, const RewardModel& model,
                       const RewardTimes& times)
{
    const Stopwatch judging;
    SPARSERL_TRY(auto records, context.judge().judge(drawn.requests, context.cancel(),
                                                     judgingPulse(context, drawn.requests.size())));
    drawn.rollout.judgingSeconds = judging.seconds();
    return rewarded(std::move(drawn), std::move(records), model, times);
}

} // namespace

Result<Rollout> rollOut(StageContext& context, const Policy& policy, const MatrixViews& views,
                        const RewardModel& model, const RewardTimes& times, const RolloutRequest& request)
{
    SPARSERL_TRY(auto drawn, drawRollout(context, policy, views, request));
    return judged(context, std::move(drawn), model, times);
}

Result<Rollout> rollOut(StageContext& context, const ProgramWriter& writer, KeptAnswers& kept,
                        const RewardModel& model, const RewardTimes& times, const RolloutRequest& request)
{
    SPARSERL_TRY(auto drawn, writtenRollout(context, writer, kept, request));
    return judged(context, std::move(drawn), model, times);
}

Status journalRollout(StageContext& context, std::int64_t step, const Rollout& rollout,
                      const std::string& origin, const std::vector<std::vector<AdvantageRun>>& advantages)
{
    for (std::size_t i = 0; i < rollout.items.size(); ++i) {
        const RolloutItem& item = rollout.items[i];
        SPARSERL_CHECK(context.emitProgram(step, item.record.programHash, item.text));
        SampleEvent sample;
        sample.programHash = item.record.programHash;
        sample.target = item.target->target.id;
        sample.origin = origin;
        sample.split = split::of(item.target->heldOut);
        sample.family = item.family;
        if (item.sample.logProbs.empty() && !item.sample.tokens.empty()) // of a server
            sample.logProb = std::numeric_limits<double>::quiet_NaN();
        for (const float logProb : item.sample.logProbs)
            sample.logProb += logProb;
        sample.tokens = static_cast<std::int64_t>(item.sample.tokens.size());
        sample.reward = item.reward.total;
        sample.rewardParts = {{"compile", item.reward.compile},
                              {"test", item.reward.test},
                              {"efficiency", item.reward.efficiency},
                              {"memory", item.reward.memory}};
        if (item.reward.plan != item.reward.total || item.reward.code != item.reward.total) {
            sample.rewardParts["plan"] = item.reward.plan;
            sample.rewardParts["code"] = item.reward.code;
        }
        if (!advantages.empty())
            sample.advantages = advantages[i];
        sample.truncated = isTruncated(item.sample);
        SPARSERL_CHECK(context.emit(step, sample));
        SPARSERL_CHECK(context.emit(step, VerdictEvent{item.record}));
    }
    return {};
}

namespace {

void addMeanStd(Metrics& metrics, MetricId name, const std::vector<double>& values)
{
    const auto s = summarise(values);
    metrics[name.part("mean")] = s.mean;
    metrics[name.part("std")] = s.std;
}

void addVerdictRates(Metrics& metrics, const Rollout& rollout)
{
    const auto n = static_cast<double>(rollout.items.size());
    const auto rate = [&](auto&& predicate) {
        return static_cast<double>(std::count_if(rollout.items.begin(), rollout.items.end(), predicate)) / n;
    };
    const auto isVerdict = [](Verdict verdict) {
        return [verdict](const RolloutItem& item) { return item.record.verdict == verdict; };
    };
    const auto faster = [](double than) {
        return
            [than](const RolloutItem& item) { return item.record.correct() && item.record.speedup() > than; };
    };
    metrics[metric::compileRate] =
        rate([](const RolloutItem& item) { return isCompiled(item.record.verdict); });
    metrics[metric::correctRate] = rate(isVerdict(Verdict::Correct));
    metrics[metric::formatErrorRate] = rate(isVerdict(Verdict::FormatError));
    metrics[metric::stoppedEarlyRate] = rate(isVerdict(Verdict::StoppedEarly));
    // Where not all were measured: the share among those that were.
    const double unmeasured =
        rate([](const RolloutItem& item) { return item.record.predictedMicroseconds > 0; });
    const double right = metrics[metric::correctRate];
    const double scale = unmeasured > 0 && unmeasured < right ? right / (right - unmeasured) : 1;
    metrics[metric::fastRate.part("1.0")] = scale * rate(faster(1.0));
    metrics[metric::fastRate.part("1.2")] = scale * rate(faster(1.2));
    metrics[metric::fastRate.part("2.0")] = scale * rate(faster(2.0));
    metrics[metric::rejectRate] = rate(isVerdict(Verdict::Rejected));
    metrics[metric::timeoutRate] = rate(isVerdict(Verdict::Timeout));
    metrics[metric::crashRate] = rate([](const RolloutItem& item) {
        const auto v = item.record.verdict;
        return v == Verdict::OutOfBounds || v == Verdict::SyncError || v == Verdict::LaunchError;
    });
    metrics[metric::hackFlagRate] =
        rate([](const RolloutItem& item) { return item.record.flags.has(VerdictFlag::Suspicious); });

    std::vector<double> speedups;
    for (const auto& item : rollout.items)
        if (const double s = item.record.correct() ? item.record.speedup() : 0; s > 0)
            speedups.push_back(s);
    addSpeedups(metrics, speedups);
}

} // namespace

namespace {

/// How many samples were shown a program, and how many of those are faster than it.
void addRefining(Metrics& metrics, const Rollout& rollout)
{
    double shown = 0, faster = 0;
    for (const auto& item : rollout.items) {
        if (item.shownMicroseconds <= 0)
            continue;
        ++shown;
        const auto& record = item.record;
        faster += record.correct() && record.warm && record.warm->median < item.shownMicroseconds ? 1 : 0;
    }
    if (shown == 0)
        return;
    metrics[metric::refineShare] = shown / static_cast<double>(rollout.items.size());
    metrics[metric::refineFaster] = faster / shown;
}

} // namespace

Metrics rolloutMetrics(const Rollout& rollout)
{
    Metrics metrics;
    if (rollout.items.empty())
        return metrics;
    std::vector<double> compile, correct, efficiency, memory, plan, code, lengths, terminated, prompts;
    double truncated = 0, aborted = 0, finished = 0;
    for (const auto& item : rollout.items) {
        compile.push_back(item.reward.compile);
        correct.push_back(item.reward.test);
        efficiency.push_back(item.reward.efficiency);
        memory.push_back(item.reward.memory);
        plan.push_back(item.reward.plan);
        code.push_back(item.reward.code);
        lengths.push_back(static_cast<double>(item.sample.tokens.size()));
        if (item.sample.finished)
            terminated.push_back(lengths.back());
        finished += item.sample.finished ? 1 : 0;
        aborted += item.sample.stopped ? 1 : 0;
        truncated += isTruncated(item.sample) ? 1 : 0;
        const ModelInput& input = rollout.inputs[static_cast<std::size_t>(item.input)];
        prompts.push_back(input.matrix ? input.matrix->count : static_cast<double>(input.prompt.size()));
    }
    const auto n = static_cast<double>(rollout.items.size());
    const auto rewards = rollout.rewards();
    const auto total = summarise(rewards);
    metrics[metric::reward] = total.mean;
    metrics[metric::rewardStd] = total.std;
    metrics[metric::rewardZeroStd] = fractionZeroStd(rewards, rollout.groups());
    addMeanMaxMin(metrics, metric::score, rewards);
    addMeanStd(metrics, metric::rewardCompile, compile);
    addMeanStd(metrics, metric::rewardCorrect, correct);
    addMeanStd(metrics, metric::rewardEfficiency, efficiency);
    addMeanStd(metrics, metric::rewardMemory, memory);
    addMeanStd(metrics, metric::rewardPlan, plan);
    addMeanStd(metrics, metric::rewardCode, code);
    addMeanMaxMin(metrics, metric::responseLength, lengths);
    addMeanMaxMin(metrics, metric::promptLength, prompts);
    metrics[metric::responseClipped] = truncated / n;
    metrics[metric::responseAborted] = aborted / n;
    if (!terminated.empty())
        metrics[metric::terminatedLength] = summarise(terminated).mean;
    metrics[metric::finished] = finished;
    addRefining(metrics, rollout);
    addVerdictRates(metrics, rollout);
    addAliases(metrics);
    return metrics;
}

} // namespace sparserl

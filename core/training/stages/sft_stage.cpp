// SPDX-License-Identifier: Apache-2.0
#include "base/interruption.h"
#include "base/json.h"
#include "base/quantile.h"
#include "base/rng.h"
#include "policy/files/safetensors.h"
#include "training/data/contrast.h"
#include "training/data/pretrain_texts.h"
#include "training/data/refine_prompt.h"
#include "training/data/sft_prompt.h"
#include "training/learning/contrast_loss.h"
#include "training/learning/data_parallel.h"
#include "training/learning/optimizer.h"
#include "training/parameters/parameter_keys.h"
#include "training/sampling/matrix_reading.h"
#include "training/stages/new_policy.h"
#include "training/stages/placement.h"
#include "training/stages/sft_sources.h"
#include "training/stages/stages.h"
#include "training/stages/text_learning.h"
#include "training/work/alarms.h"
#include "training/work/run_targets.h"
#include "verdict/names.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <numeric>
#include <set>
#include <string_view>

namespace sparserl {

namespace {

/// A correct program as tokens, with how often it is to be shown.
struct TrainingText
{
    TargetId target;
    std::string family;
    std::vector<std::int32_t> tokens; ///< </s> included
    double weight = 0;
    std::size_t example = 0;         ///< Into the stage's examples, as the next.
    std::vector<std::size_t> slower; ///< Correct programs of its target.
};

/// How the inputs of a step's texts are made.
struct InputDraws
{
    Rng views; ///< Of the step.
    /// Share of the matrices that come with the task in words although the policy has no prompt.
    double wordsShare = 0;
    double refineShare = 0; ///< Share of the texts whose input shows a slower program.
};

class SftStage : public Stage
{
public:
    explicit SftStage(StageContext& context)
        : m_context(context)
        , m_p(context.parameters())
    {
    }
    std::int64_t totalSteps() const override { return m_p[param::sft::steps]; }
    Status prepare(const CheckpointInfo* from, const nlohmann::json& state) override;
    Result<std::int64_t> advance(std::int64_t step) override;
    Status evaluate(std::int64_t step) override;
    nlohmann::json state() const override
    {
        return {{"tokens_seen", m_tokensSeen}, {"alarms", m_alarms.state()}};
    }
    bool isSound() const override { return m_alarms.sound(); }
    Status save(const std::filesystem::path& folder) const override;
    const RewardTimes& rewardTimes() const override { return m_times; }

private:
    Status prepareData();
    Status readStart();
    Status preparePolicy();
    Status splitTexts();
    Result<Policy> createPolicy() const;
    std::vector<std::size_t> drawBatch(std::int64_t step) const;
    SequenceBatch batchOf(const std::vector<TrainingText>& texts, std::span<const std::size_t> chosen,
                          const InputDraws& draws) const;
    std::optional<std::size_t> drawSlower(const TrainingText& text, std::size_t index,
                                          const InputDraws& draws) const;
    void findSlower();
    Status journalExamples();
    Metrics heldOutLoss() const;
    std::vector<ContrastPair> drawContrast(std::span<const std::size_t> chosen, std::int64_t step) const;
    Metrics contrastGradient(const std::vector<ContrastPair>& pairs, const Rng& views);

    StageContext& m_context;
    const ParameterSet& m_p;
    std::vector<SftExample> m_examples;
    std::vector<double> m_weights;
    FamilySpeeds m_speeds;
    RewardTimes m_times;
    Compute m_compute;
    std::optional<Policy> m_policy;
    std::optional<MatrixViews> m_views;
    std::optional<Adam> m_adam;
    std::vector<TrainingText> m_train, m_heldOut;
    std::vector<std::string> m_targets;                         ///< Keys of training targets with a text.
    std::map<std::string, std::vector<std::size_t>> m_byMatrix; ///< Into m_train.
    std::set<std::string> m_pretrained; ///< Hashes of the code that the parent was pretrained on.
    std::string m_prompt;               ///< For fading prompts.
    double m_tokensSeen = 0;
    Alarms m_alarms{m_p};
};

constexpr const char* const sftAdvice = "with a smaller sft.lr or a longer sft.warmup";

Status SftStage::prepareData()
{
    SPARSERL_TRY(const auto options, sftDataOptions(m_context));
    SPARSERL_TRY(m_examples,
                 buildSftData(m_context.run().path() / "sft_data.jsonl", m_context.environment().matrices,
                              options, m_context.judge(), m_context.cancel(), [&](double fraction) {
                                  m_context.pulse(
                                      fmt::format("judging SFT programs {:.0f} %", 100 * fraction), 0);
                              }));
    SPARSERL_CHECK(tellChosen(m_context, m_examples, options.chosen));
    SPARSERL_TRY(const auto weighting, speedWeightingFromName(m_p[param::sft::weighting]));
    m_weights = sftWeights(m_examples, weighting, m_p[param::sft::speedWeight]);
    for (const auto& example : m_examples) {
        m_times.add(example.record, example.family, !example.heldOut);
        if (example.record.correct())
            m_speeds.add(example.target, example.family, example.record.speedup());
    }
    return {};
}

Result<Policy> SftStage::createPolicy() const
{
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < m_examples.size(); ++i) {
        if (m_weights[i] > 0 && !m_examples[i].heldOut)
            texts.push_back(m_examples[i].text);
    }
    if (m_p[param::sft::prompt] != "never") {
        SPARSERL_TRY(const auto variants, variantsOf(m_p));
        for (const TargetVariant& variant : variants)
            texts.insert(texts.end(), 2, sftPrompt(variant)); // twice, for merges need two places
    }
    if (m_p[param::sft::refine] > 0) { // Prompts as they will be read, with the numbers that they have.
        for (std::size_t i = 0; i < m_examples.size(); i += 1 + m_examples.size() / 32) {
            if (m_weights[i] > 0 && !m_examples[i].heldOut)
                texts.push_back(
                    refinePrompt(m_examples[i].target.variant, programToRefine({}, m_examples[i].record)));
        }
    }
    return newPolicy(m_context, texts);
}

/// What the policy comes from. What cannot work is refused here, before programs are judged.
Status SftStage::readStart()
{
    const auto& from = m_context.checkpoint();
    const auto& parent = m_context.environment().parent;
    SPARSERL_TRY(m_compute, computeOf(m_p, m_context.processes()));
    if (!parent.empty()) {
        SPARSERL_TRY(m_pretrained, loadShownCode(parent / "pretrained_code.json"));
    }
    if (from || !parent.empty()) {
        SPARSERL_TRY(auto policy, Policy::load(from ? from->path : parent));
        m_policy.emplace(std::move(policy));
        return {};
    }
    SPARSERL_TRY([[maybe_unused]] const auto shape, newPolicyShape(m_context));
    return {};
}

Status SftStage::preparePolicy()
{
    const auto& from = m_context.checkpoint();
    if (m_policy) {
        if (!from)
            SPARSERL_CHECK(m_context.log(0, "info",
                                         "The policy and its tokenizer are the parent's; of policy.* and "
                                         "tokenizer.* only policy.views counts"));
    } else {
        SPARSERL_TRY(auto policy, createPolicy());
        m_policy.emplace(std::move(policy));
    }
    m_policy->config().prompt = m_p[param::sft::prompt] == "always" ? sftPrompt(firstVariantOf(m_p)) : "";
    m_policy->config().refines = m_policy->config().refines || m_p[param::sft::refine] > 0;
    m_prompt = sftPrompt(firstVariantOf(m_p));
    m_policy->moveTo(m_compute);
    m_policy->learn();
    AdamOptions adam;
    adam.epsilon = m_p[param::sft::adamEps];
    adam.weightDecay = m_p[param::sft::weightDecay];
    shareWeights(*m_policy, m_context.processes());
    m_adam.emplace(m_policy->parameters(), adam);
    if (from) {
        SPARSERL_TRY(auto optimizer, readSafeTensors(from->path / "optimizer.safetensors"));
        return m_adam->load(optimizer, "sft");
    }
    return {};
}

/// What can be shown to ask for each text: training texts, which are no longer than what the policy may
/// write.
void SftStage::findSlower()
{
    std::set<std::size_t> shown;
    for (const auto& text : m_train)
        shown.insert(text.example);
    const auto slower = slowerExamples(m_examples);
    for (auto& text : m_train)
        std::ranges::copy_if(slower[text.example], std::back_inserter(text.slower),
                             [&](std::size_t one) { return shown.contains(one); });
}

Status SftStage::splitTexts()
{
    std::size_t tooLong = 0, correct = 0;
    const auto limit = static_cast<std::size_t>(m_policy->config().generation.maxTokens);
    std::vector<double> lengths;
    // A held-out loss on texts that were trained on would say little. Runs of earlier versions did not mind.
    std::set<std::string_view> trained;
    std::size_t alike = 0;
    for (std::size_t i = 0; i < m_examples.size(); ++i) {
        if (m_weights[i] > 0 && !m_examples[i].heldOut && m_p[param::sft::draw] == "in-turn")
            trained.insert(m_examples[i].text);
    }
    for (std::size_t i = 0; i < m_examples.size(); ++i) {
        if (m_weights[i] <= 0)
            continue;
        ++correct;
        TrainingText text{m_examples[i].target,
                          m_examples[i].family,
                          m_policy->tokenizer().encode(m_examples[i].text),
                          m_weights[i],
                          i,
                          {}};
        text.tokens.push_back(m_policy->tokenizer().end());
        lengths.push_back(static_cast<double>(text.tokens.size()));
        if (text.tokens.size() > limit) {
            ++tooLong;
            continue;
        }
        if (m_examples[i].heldOut &&
            (trained.contains(m_examples[i].text) || m_pretrained.contains(codeHash(m_examples[i].text)))) {
            ++alike;
        } else if (m_examples[i].heldOut) {
            m_heldOut.push_back(std::move(text));
        } else {
            m_byMatrix[text.target.key()].push_back(m_train.size());
            m_train.push_back(std::move(text));
        }
    }
    for (const auto& [key, indices] : m_byMatrix)
        m_targets.push_back(key);
    if (m_p[param::sft::refine] > 0)
        findSlower();
    if (m_train.empty())
        return fail(
            fmt::format("no correct program of at most {} tokens was found for the training matrices ({} "
                        "judged, {} correct, {} too long)",
                        limit, m_examples.size(), correct, tooLong),
            "Raise sft.programs_per_matrix or policy.max_tokens, or widen sft.families");
    if (m_context.checkpoint())
        return {};
    return m_context.log(
        0, "info",
        fmt::format(
            "SFT data: {} programs judged, {} correct, {} longer than {} tokens; median {:.0f} "
            "tokens; {} programs of held-out matrices are training texts, too, and do not count in the "
            "held-out loss; {} parameters, vocabulary {}",
            m_examples.size(), correct, tooLong, limit, median(lengths), alike, m_policy->parameterCount(),
            m_policy->tokenizer().vocabSize()));
}

/// Draws for a step depend on the seed and the step only: nothing to save, nothing to restore.
std::vector<std::size_t> SftStage::drawBatch(std::int64_t step) const
{
    Rng rng = Rng(static_cast<std::uint64_t>(m_p[param::seed]))
                  .derive("sft-batch")
                  .derive(static_cast<std::uint64_t>(step));
    std::vector<std::size_t> chosen;
    for (std::int64_t i = 0; i < m_p[param::sft::batch]; ++i) {
        const auto& indices = m_byMatrix.at(m_targets[rng.below(m_targets.size())]);
        std::vector<double> weights;
        for (const auto index : indices)
            weights.push_back(m_train[index].weight);
        chosen.push_back(indices[rng.pick(weights)]);
    }
    // Alike lengths side by side: less padding in a micro-batch.
    std::stable_sort(chosen.begin(), chosen.end(), [&](std::size_t a, std::size_t b) {
        return m_train[a].tokens.size() < m_train[b].tokens.size();
    });
    return chosen;
}

/// The program that a text's input shows in this step, if any: the same however a step is divided.
std::optional<std::size_t> SftStage::drawSlower(const TrainingText& text, std::size_t index,
                                                const InputDraws& draws) const
{
    if (draws.refineShare <= 0 || text.slower.empty())
        return std::nullopt;
    Rng rng = draws.views.derive("refine").derive(static_cast<std::uint64_t>(index));
    if (!rng.chance(draws.refineShare))
        return std::nullopt;
    return text.slower[rng.below(text.slower.size())];
}

SequenceBatch SftStage::batchOf(const std::vector<TrainingText>& texts, std::span<const std::size_t> chosen,
                                const InputDraws& draws) const
{
    SequenceBatch batch;
    std::map<std::pair<std::string, std::optional<std::size_t>>, int> inputOf;
    for (const auto index : chosen) {
        const auto& text = texts[index];
        const auto shown = drawSlower(text, index, draws);
        const auto [at, isNew] =
            inputOf.try_emplace({text.target.key(), shown}, static_cast<int>(batch.inputs.size()));
        if (isNew) {
            const std::string& contents = text.target.contents;
            const auto view = draws.views.derive(contents).next() % 1024;
            batch.inputs.push_back(m_views->input(text.target.key(), static_cast<std::int64_t>(view)));
            const auto say = [&](const std::string& words) {
                batch.inputs.back().prompt =
                    m_views->prompt(*m_policy, text.target.key(), static_cast<std::int64_t>(view), words);
            };
            if (shown)
                say(refinePrompt(text.target.variant,
                                 programToRefine(m_examples[*shown].text, m_examples[*shown].record)));
            else if (draws.wordsShare > 0 &&
                     draws.views.derive("prompt").derive(contents).chance(draws.wordsShare))
                say(m_prompt);
        }
        batch.inputOf.push_back(at->second);
        batch.targets.push_back(text.tokens);
    }
    return batch;
}

Result<std::int64_t> SftStage::advance(std::int64_t step)
{
    const std::int64_t total = totalSteps();
    const Stopwatch watch;
    const auto chosen = drawBatch(step);
    const InputDraws draws{Rng(static_cast<std::uint64_t>(m_p[param::seed]))
                               .derive("sft-views")
                               .derive(static_cast<std::uint64_t>(step)),
                           promptShareAt(m_p, step), m_p[param::sft::refine]};
    double tokens = 0, refined = 0;
    for (const auto index : chosen) {
        tokens += static_cast<double>(m_train[index].tokens.size());
        refined += drawSlower(m_train[index], index, draws) ? 1 : 0;
    }
    m_adam->zeroGradients();
    auto& processes = m_context.processes();
    const auto own = takeTurns(chosen, processes);
    const auto sum = addTextGradient(
        *m_policy, own.size(), m_p[param::sft::microBatch], tokens,
        [&](std::size_t begin, std::size_t end) {
            return batchOf(m_train, std::span(own).subspan(begin, end - begin), draws);
        },
        m_context.environment().cancel, processes);
    if (!sum)
        return fail(interruption());
    Metrics metrics;
    if (const auto pairs = drawContrast(chosen, step); !pairs.empty())
        metrics = contrastGradient(pairs, draws.views);
    sumGradients(m_adam->parameters(), processes);
    AdamOptions adam;
    adam.epsilon = m_p[param::sft::adamEps];
    adam.weightDecay = m_p[param::sft::weightDecay];
    m_adam->setOptions(adam);
    const double norm = m_adam->clipGradients(m_p[param::sft::gradClip]);
    SPARSERL_TRY(auto schedule, scheduleFromName(m_p[param::sft::schedule]));
    const double rate = learningRateAt(schedule, m_p[param::sft::lr], step, m_p[param::sft::warmup], total,
                                       m_p[param::sft::lrFloor]);
    m_tokensSeen += tokens;
    metrics[metric::tokensSeen] = m_tokensSeen;
    if (m_p[param::sft::prompt] != "never")
        metrics[metric::promptShare] = m_policy->config().prompt.empty() ? draws.wordsShare : 1;
    if (draws.refineShare > 0)
        metrics[metric::refineShare] = refined / static_cast<double>(chosen.size());
    SPARSERL_CHECK(applyTextUpdate(
        m_context, m_alarms, *m_adam,
        {step + 1, step + 1 == total, *sum, tokens, norm, rate, std::move(metrics), sftAdvice}, watch));
    m_context.pulse(fmt::format("step {}/{}", step + 1, total), 0);
    return step + 1;
}

std::vector<ContrastPair> SftStage::drawContrast(std::span<const std::size_t> chosen, std::int64_t step) const
{
    if (m_p[param::sft::contrast] <= 0)
        return {};
    std::vector<ContrastText> texts;
    for (const auto index : chosen)
        texts.push_back({index, m_train[index].target, m_train[index].family});
    return contrastPairs(texts, m_speeds, m_p[param::sft::contrastMargin],
                         Rng(static_cast<std::uint64_t>(m_p[param::seed]))
                             .derive("sft-contrast")
                             .derive(static_cast<std::uint64_t>(step)));
}

/// Adds the gradient of sft.contrast * the sum of contrastLoss() / the tokens of the texts.
Metrics SftStage::contrastGradient(const std::vector<ContrastPair>& all, const Rng& views)
{
    std::vector<TrainingText> texts;
    std::vector<std::size_t> own, other;
    double tokens = 0;
    for (const auto& pair : all)
        tokens += static_cast<double>(m_train[pair.index].tokens.size());
    const auto pairs = takeTurns(all, m_context.processes());
    for (const auto& pair : pairs) {
        own.push_back(texts.size());
        texts.push_back(m_train[pair.index]);
        other.push_back(texts.size());
        texts.push_back(m_train[pair.index]);
        texts.back().target = pair.other;
    }
    const auto logProbs = [&](const std::vector<std::size_t>& rows) {
        return m_policy->tokenStatistics(batchOf(texts, rows, {views}), 1.0, false).logProbs;
    };
    double loss = 0, right = 0;
    if (!pairs.empty()) {
        const ContrastLoss contrast = contrastLoss(logProbs(own), logProbs(other));
        (m_p[param::sft::contrast] * contrast.loss / tokens).backward();
        loss = contrast.loss.item<double>();
        right = contrast.right;
    }
    const auto n = static_cast<double>(all.size());
    const auto sums = sumNumbers(m_context.processes(), {loss, right});
    return {{metric::contrastLoss, sums[0] / n}, {metric::contrastRight, sums[1] / n}};
}

Metrics SftStage::heldOutLoss() const
{
    std::vector<std::size_t> all(m_heldOut.size());
    std::iota(all.begin(), all.end(), std::size_t(0));
    std::stable_sort(all.begin(), all.end(), [&](std::size_t a, std::size_t b) {
        return m_heldOut[a].tokens.size() < m_heldOut[b].tokens.size();
    });
    return textMetrics(
        *m_policy, all.size(),
        [&](std::size_t begin, std::size_t end) {
            return batchOf(m_heldOut, std::span(all).subspan(begin, end - begin), {Rng(0)});
        },
        m_context.environment().cancel, m_context.processes());
}

Status SftStage::evaluate(std::int64_t step)
{
    auto metrics = heldOutLoss();
    if (m_context.interrupted())
        return fail(interruption());
    const auto matrices = m_context.matrices(true);
    const auto samples = m_p[param::eval::samples];
    // An untrained policy writes noise up to the length limit: sampling it costs much and tells nothing.
    if (step > 0 && samples > 0 && !matrices.empty()) {
        RolloutRequest request;
        request.matrices = matrices;
        request.samples = samples;
        request.seed = Rng(static_cast<std::uint64_t>(m_p[param::seed])).derive("sft-eval").next();
        request.phase = "sampling held-out matrices";
        SPARSERL_TRY(auto model, RewardModel::preset("sparserl"));
        SPARSERL_TRY(auto rollout, rollOut(m_context, *m_policy, *m_views, model, m_times, request));
        metrics.merge(rolloutMetrics(rollout));
        const auto reading = rolloutReading(*m_policy, rollout, m_times, request.sampling.temperature,
                                            request.seed, m_context.environment().cancel);
        if (m_context.any(!reading))
            return fail(interruption());
        metrics.merge(Metrics(*reading));
        metrics[metric::timeSampling] = rollout.samplingSeconds;
        metrics[metric::timeJudging] = rollout.judgingSeconds;
        SPARSERL_CHECK(journalRollout(m_context, step, rollout, sample_origin::policy));
    }
    if (metrics.empty())
        return {};
    SPARSERL_CHECK(m_context.metrics(step, split::heldOut, metrics));
    return answerAlarms(m_context, m_alarms, split::heldOut, step, metrics, step == totalSteps(), sftAdvice);
}

Status SftStage::save(const std::filesystem::path& folder) const
{
    SPARSERL_CHECK(m_policy->saveFiles(folder));
    SafeTensors optimizer;
    m_adam->save(optimizer, "sft");
    return writeSafeTensors(folder / "optimizer.safetensors", optimizer);
}

Status SftStage::journalExamples()
{
    for (const auto& example : m_examples) {
        SampleEvent sample;
        sample.programHash = example.record.programHash;
        sample.target = example.record.target;
        sample.origin = example.chosen  ? sample_origin::chosen
                        : example.found ? sample_origin::found
                                        : sample_origin::corpus;
        sample.split = split::of(example.heldOut);
        sample.family = example.family;
        sample.reward = std::nan("");
        SPARSERL_CHECK(m_context.emitProgram(0, sample.programHash, example.text));
        SPARSERL_CHECK(m_context.emit(0, sample));
        SPARSERL_CHECK(m_context.emit(0, VerdictEvent{example.record}));
    }
    return {};
}

Status SftStage::prepare(const CheckpointInfo* from, const nlohmann::json& state)
{
    if (from != nullptr) {
        m_tokensSeen = jsonValue(state, "tokens_seen", 0.0);
        m_alarms.restore(jsonValue(state, "alarms", nlohmann::json::object()));
    }
    SPARSERL_CHECK(readStart());
    SPARSERL_CHECK(prepareData());
    SPARSERL_CHECK(preparePolicy());
    m_views.emplace(*m_policy, m_context.environment().matrices, static_cast<int>(m_p[param::policy::views]));
    SPARSERL_CHECK(splitTexts());
    return from != nullptr ? Status() : journalExamples();
}

} // namespace

Result<std::unique_ptr<Stage>> makeSftStage(StageContext& context)
{
    return std::make_unique<SftStage>(context);
}

} // namespace sparserl

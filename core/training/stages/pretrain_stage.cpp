// SPDX-License-Identifier: Apache-2.0
#include "base/interruption.h"
#include "base/json.h"
#include "base/rng.h"
#include "corpus/corpus.h"
#include "policy/files/safetensors.h"
#include "training/data/pretrain_texts.h"
#include "training/learning/data_parallel.h"
#include "training/learning/optimizer.h"
#include "training/parameters/parameter_keys.h"
#include "training/stages/new_policy.h"
#include "training/stages/placement.h"
#include "training/stages/stages.h"
#include "training/stages/text_learning.h"
#include "training/work/alarms.h"
#include "verdict/names.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

constexpr const char* const pretrainAdvice = "with a smaller pretrain.lr or a longer pretrain.warmup";

/// At most policy.max_tokens of a text; </s> included where the text ends with it.
using Piece = std::vector<std::int32_t>;

/// Pretraining (SparseRL 3.1): the decoder learns the next token of CUDA texts, while the encoder reads that
/// there is no matrix. What reads matrices is left as it is for the stages that have some.
class PretrainStage : public Stage
{
public:
    explicit PretrainStage(StageContext& context)
        : m_context(context)
        , m_p(context.parameters())
        , m_alarms(m_p)
    {
    }
    std::int64_t totalSteps() const override { return m_p[param::pretrain::steps]; }
    Status prepare(const CheckpointInfo* from, const nlohmann::json& state) override;
    Result<std::int64_t> advance(std::int64_t step) override;
    Status evaluate(std::int64_t step) override;
    nlohmann::json state() const override
    {
        return {{"tokens_seen", m_tokensSeen}, {"texts", m_textsHash}, {"alarms", m_alarms.state()}};
    }
    Status save(const std::filesystem::path& folder) const override;
    const RewardTimes& rewardTimes() const override { return m_times; }
    bool isSound() const override { return m_alarms.sound(); }

private:
    Result<std::vector<PretrainText>> texts(const std::string& known) const;
    Result<std::vector<std::string>> tokenizerTexts(const std::vector<PretrainText>& texts) const;
    Status preparePolicy(const CheckpointInfo* from, const std::vector<PretrainText>& texts);
    Status cutTexts(const std::vector<PretrainText>& texts);
    NamedTensors learned() const;
    std::vector<const Piece*> drawBatch(std::int64_t step) const;
    SequenceBatch batchOf(const std::vector<const Piece*>& pieces, std::size_t begin, std::size_t end) const;

    StageContext& m_context;
    const ParameterSet& m_p;
    Alarms m_alarms;
    std::optional<Policy> m_policy;
    std::optional<Adam> m_adam;
    std::vector<Piece> m_derived, m_scanned, m_heldOut;
    std::set<std::string> m_shown;
    std::string m_textsHash;
    RewardTimes m_times; ///< None: no matrix is looked at.
    double m_tokensSeen = 0;
};

/// Made once; a resumed run reads what it wrote down, whose hash its checkpoint has (`known`). Where that
/// file is damaged or gone the texts are made again, and must be the same.
Result<std::vector<PretrainText>> PretrainStage::texts(const std::string& known) const
{
    const auto file = m_context.run().path() / "pretrain_texts.jsonl";
    auto kept = loadPretrainTexts(file);
    if (!m_context.any(!kept || (!known.empty() && hashOf(*kept) != known)))
        return kept;
    PretrainTextOptions options;
    options.texts = m_p[param::pretrain::texts];
    options.idioms = m_p[param::pretrain::idioms];
    options.variety = m_p[param::pretrain::variety];
    options.heldOut = m_p[param::pretrain::heldout];
    options.corpus = m_p[param::pretrain::corpus];
    options.seed = static_cast<std::uint64_t>(m_p[param::seed]);
    auto texts = makePretrainTexts(options, m_context.environment().cancel);
    if (m_context.any(!texts && isInterruption(texts.error())))
        return fail(interruption());
    SPARSERL_TRY(auto made, std::move(texts));
    if (!known.empty() && hashOf(made) != known)
        return failAt(file.string(), 0, "these are not the texts that the run began with",
                      "Restore this file, or the original file of pretrain.corpus, or start a new run");
    if (m_context.leads()) {
        SPARSERL_CHECK(savePretrainTexts(file, made));
    }
    return made;
}

/// What the vocabulary is learned from: the texts, and programs with their plans, or the stages behind would
/// write a plan letter by letter. At most two megabytes, evenly spread: merges need no more.
Result<std::vector<std::string>> PretrainStage::tokenizerTexts(const std::vector<PretrainText>& texts) const
{
    std::vector<const std::string*> shown;
    std::size_t bytes = 0;
    for (const auto& text : texts) {
        if (!text.heldOut) {
            shown.push_back(&text.text);
            bytes += text.text.size();
        }
    }
    constexpr std::size_t enough = 2 << 20;
    const std::size_t every = bytes / enough + 1;
    std::vector<std::string> chosen;
    for (std::size_t i = 0; i < shown.size(); i += every)
        chosen.push_back(*shown[i]);
    SampleOptions sampling;
    sampling.variety = m_p[param::pretrain::variety] / 2; // as plain as fine-tuning shows them
    const Rng base = Rng(static_cast<std::uint64_t>(m_p[param::seed])).derive("pretrain-plans");
    const std::size_t programs = chosen.size() + 1;
    for (std::size_t i = 0; i < programs; ++i) {
        Rng rng = base.derive(static_cast<std::uint64_t>(i));
        SPARSERL_TRY(auto program, sampleProgram(i % 2 ? Task::SpMM : Task::SpMV, sampling, rng));
        chosen.push_back(std::move(program.text));
    }
    return chosen;
}

/// The decoder with the token embedding; nothing of the encoder.
NamedTensors PretrainStage::learned() const
{
    NamedTensors all = m_policy->parameters();
    std::erase_if(all, [](const auto& parameter) {
        const std::string& name = parameter.first;
        return name.starts_with("encoder.") || name.starts_with("matrix.");
    });
    return all;
}

Status PretrainStage::preparePolicy(const CheckpointInfo* from, const std::vector<PretrainText>& texts)
{
    const auto& parent = m_context.environment().parent;
    if (from != nullptr || !parent.empty()) {
        SPARSERL_TRY(auto policy, Policy::load(from ? from->path : parent));
        m_policy.emplace(std::move(policy));
    } else {
        SPARSERL_TRY(const auto chosen, tokenizerTexts(texts));
        SPARSERL_TRY(auto policy, newPolicy(m_context, chosen));
        m_policy.emplace(std::move(policy));
    }
    SPARSERL_TRY(const auto compute, computeOf(m_p, m_context.processes()));
    m_policy->moveTo(compute);
    m_policy->learn();
    shareWeights(*m_policy, m_context.processes());
    const auto parameters = learned();
    for (const auto& [name, tensor] : m_policy->parameters())
        tensor.requires_grad_(false);
    for (const auto& [name, tensor] : parameters)
        tensor.requires_grad_(true);
    AdamOptions adam;
    adam.epsilon = m_p[param::pretrain::adamEps];
    adam.weightDecay = m_p[param::pretrain::weightDecay];
    m_adam.emplace(parameters, adam);
    if (from == nullptr)
        return {};
    SPARSERL_TRY(auto optimizer, readSafeTensors(from->path / "optimizer.safetensors"));
    return m_adam->load(optimizer, "pretrain");
}

Status PretrainStage::cutTexts(const std::vector<PretrainText>& texts)
{
    const auto longest = static_cast<std::size_t>(m_policy->config().generation.maxTokens);
    std::size_t heldOut = 0, scanned = 0;
    for (const auto& text : texts) {
        auto tokens = m_policy->tokenizer().encode(text.text);
        tokens.push_back(m_policy->tokenizer().end());
        auto& pieces = text.heldOut                                   ? m_heldOut
                       : text.origin == PretrainText::Origin::Scanned ? m_scanned
                                                                      : m_derived;
        for (std::size_t at = 0; at < tokens.size(); at += longest) {
            const auto end = std::min(at + longest, tokens.size());
            pieces.emplace_back(tokens.begin() + static_cast<std::ptrdiff_t>(at),
                                tokens.begin() + static_cast<std::ptrdiff_t>(end));
        }
        heldOut += text.heldOut;
        scanned += text.origin == PretrainText::Origin::Scanned;
    }
    if (m_derived.empty() && m_scanned.empty())
        return fail("there is no text to learn from", "Raise pretrain.texts or lower pretrain.heldout");
    if (m_context.checkpoint())
        return {};
    std::int64_t learning = 0;
    for (const auto& [name, tensor] : learned())
        learning += tensor.numel();
    return m_context.log(
        0, "info",
        fmt::format("Pretraining texts: {} derived, {} scanned, {} of them held out; {} pieces of at most {} "
                    "tokens to learn from; {} parameters, of which {} learn, vocabulary {}",
                    texts.size() - scanned, scanned, heldOut, m_derived.size() + m_scanned.size(), longest,
                    m_policy->parameterCount(), learning, m_policy->tokenizer().vocabSize()));
}

Status PretrainStage::prepare(const CheckpointInfo* from, const nlohmann::json& state)
{
    if (from != nullptr) {
        m_tokensSeen = jsonValue(state, "tokens_seen", 0.0);
        m_alarms.restore(jsonValue(state, "alarms", nlohmann::json::object()));
    }
    SPARSERL_TRY(const auto all, texts(jsonValue<std::string>(state, "texts", {})));
    m_textsHash = hashOf(all);
    m_shown = shownCode(all);
    SPARSERL_CHECK(preparePolicy(from, all));
    return cutTexts(all);
}

/// Draws for a step depend on the seed and the step only: nothing to save, nothing to restore.
std::vector<const Piece*> PretrainStage::drawBatch(std::int64_t step) const
{
    Rng rng = Rng(static_cast<std::uint64_t>(m_p[param::seed]))
                  .derive("pretrain-batch")
                  .derive(static_cast<std::uint64_t>(step));
    std::vector<const Piece*> chosen;
    for (std::int64_t i = 0; i < m_p[param::pretrain::batch]; ++i) {
        const bool wanted = rng.chance(m_p[param::pretrain::corpusShare]);
        const auto& pieces = m_derived.empty() || (wanted && !m_scanned.empty()) ? m_scanned : m_derived;
        chosen.push_back(&pieces[rng.below(pieces.size())]);
    }
    // Alike lengths side by side: less padding in a micro-batch.
    std::stable_sort(chosen.begin(), chosen.end(),
                     [](const Piece* a, const Piece* b) { return a->size() < b->size(); });
    return chosen;
}

SequenceBatch PretrainStage::batchOf(const std::vector<const Piece*>& pieces, std::size_t begin,
                                     std::size_t end) const
{
    SequenceBatch batch;
    batch.inputs.push_back(m_policy->inputWithoutMatrix());
    for (std::size_t i = begin; i < end; ++i) {
        batch.inputOf.push_back(0);
        batch.targets.push_back(*pieces[i]);
    }
    return batch;
}

Result<std::int64_t> PretrainStage::advance(std::int64_t step)
{
    const std::int64_t total = totalSteps();
    const Stopwatch watch;
    const auto chosen = drawBatch(step);
    double tokens = 0;
    for (const auto* piece : chosen)
        tokens += static_cast<double>(piece->size());
    m_adam->zeroGradients();
    auto& processes = m_context.processes();
    const auto own = takeTurns(chosen, processes);
    const auto sum = addTextGradient(
        *m_policy, own.size(), m_p[param::pretrain::microBatch], tokens,
        [&](std::size_t begin, std::size_t end) { return batchOf(own, begin, end); },
        m_context.environment().cancel, processes);
    if (!sum)
        return fail(interruption());
    sumGradients(m_adam->parameters(), processes);
    AdamOptions adam;
    adam.epsilon = m_p[param::pretrain::adamEps];
    adam.weightDecay = m_p[param::pretrain::weightDecay];
    m_adam->setOptions(adam);
    const double norm = m_adam->clipGradients(m_p[param::pretrain::gradClip]);
    SPARSERL_TRY(const auto schedule, scheduleFromName(m_p[param::pretrain::schedule]));
    const double rate = learningRateAt(schedule, m_p[param::pretrain::lr], step, m_p[param::pretrain::warmup],
                                       total, m_p[param::pretrain::lrFloor]);
    m_tokensSeen += tokens;
    SPARSERL_CHECK(applyTextUpdate(m_context, m_alarms, *m_adam,
                                   {step + 1,
                                    step + 1 == total,
                                    *sum,
                                    tokens,
                                    norm,
                                    rate,
                                    {{metric::tokensSeen, m_tokensSeen}},
                                    pretrainAdvice},
                                   watch));
    m_context.pulse(fmt::format("step {}/{}", step + 1, total), 0);
    return step + 1;
}

Status PretrainStage::evaluate(std::int64_t step)
{
    std::vector<const Piece*> all;
    for (const auto& piece : m_heldOut)
        all.push_back(&piece);
    std::stable_sort(all.begin(), all.end(),
                     [](const Piece* a, const Piece* b) { return a->size() < b->size(); });
    const auto metrics = textMetrics(
        *m_policy, all.size(), [&](std::size_t begin, std::size_t end) { return batchOf(all, begin, end); },
        m_context.environment().cancel, m_context.processes());
    if (m_context.interrupted())
        return fail(interruption());
    if (metrics.empty())
        return {};
    SPARSERL_CHECK(m_context.metrics(step, split::heldOut, metrics));
    return answerAlarms(m_context, m_alarms, split::heldOut, step, metrics, step == totalSteps(),
                        pretrainAdvice);
}

Status PretrainStage::save(const std::filesystem::path& folder) const
{
    SPARSERL_CHECK(m_policy->saveFiles(folder));
    SPARSERL_CHECK(saveShownCode(folder / "pretrained_code.json", m_shown));
    SafeTensors optimizer;
    m_adam->save(optimizer, "pretrain");
    return writeSafeTensors(folder / "optimizer.safetensors", optimizer);
}

} // namespace

Result<std::unique_ptr<Stage>> makePretrainStage(StageContext& context)
{
    return std::make_unique<PretrainStage>(context);
}

} // namespace sparserl

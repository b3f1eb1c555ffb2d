// SPDX-License-Identifier: Apache-2.0
#include "base/interruption.h"
#include "base/json.h"
#include "base/rng.h"
#include "project/queries/queries.h"
#include "project/run/default_policy.h"
#include "training/data/sft_prompt.h"
#include "training/parameters/parameter_keys.h"
#include "training/parameters/temperatures.h"
#include "training/sampling/generation.h"
#include "training/sampling/kept_answers.h"
#include "training/sampling/matrix_reading.h"
#include "training/stages/placement.h"
#include "training/stages/stages.h"
#include "training/work/named_targets.h"
#include "training/work/run_targets.h"
#include "verdict/names.h"

#include <algorithm>
#include <chrono>
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

/// "0003-rl/step-000024" of a policy folder in a run, "default" for the policy that comes with the program,
/// else the folder's name.
std::string labelOf(const std::filesystem::path& policy)
{
    if (const std::string kept = keptPolicy(policy.string()); kept == defaultPolicyName)
        return kept;
    const auto parent = policy.parent_path();
    if (parent.filename() == "checkpoints")
        return (parent.parent_path().filename() / policy.filename()).string();
    return policy.filename().string();
}

} // namespace

EvaluationEvent evaluationOf(const Rollout& rollout, const StageTarget& matrix, const RewardTimes& times,
                             const std::string& policyName)
{
    EvaluationEvent event;
    event.policy = policyName;
    event.target = matrix.target.id;
    event.split = split::of(matrix.heldOut);
    event.nnz = matrix.target.matrix->nnz();
    event.bestFamily = times.bestFamily(matrix.target.id.key());
    double reward = 0;
    for (const auto& item : rollout.items) {
        if (item.target != &matrix)
            continue;
        ++event.samples;
        reward += item.reward.total;
        event.compiled += isCompiled(item.record.verdict) ? 1 : 0;
        if (item.record.baselineMicroseconds > 0)
            event.baselineMicroseconds = item.record.baselineMicroseconds;
        for (const auto& [name, time] :
             {std::pair(reference::defaultRoutine, item.record.defaultRoutineMicroseconds),
              std::pair(reference::bestRoutine, item.record.bestRoutineMicroseconds)}) {
            if (time > 0)
                event.references[name] = time;
        }
        if (!item.record.correct())
            continue;
        ++event.correct;
        event.faster += item.record.speedup() > 1 ? 1 : 0;
        ++event.familyCounts[item.family.empty() ? "other" : item.family];
        if (item.record.warm &&
            (event.bestMicroseconds == 0 || item.record.warm->median < event.bestMicroseconds)) {
            event.bestMicroseconds = item.record.warm->median;
            event.bestProgram = item.record.programHash;
        }
    }
    // By what it gained over the baseline then: a drift since has changed both.
    if (const double gain = times.bestSpeedup(matrix.target.id.key());
        gain > 0 && event.baselineMicroseconds > 0)
        event.references[reference::bestOfCorpus] = event.baselineMicroseconds / gain;
    event.meanReward = event.samples > 0 ? reward / static_cast<double>(event.samples) : 0;
    for (const auto& [family, count] : event.familyCounts)
        event.families.push_back(family);
    return event;
}

namespace {

using SplitMetrics = std::pair<std::string, Metrics>;

/// Samples programs for matrices, some of them at a time; a step is a matrix.
class EvaluateStage : public Stage
{
public:
    EvaluateStage(StageContext& context, RewardModel model, std::vector<const StageTarget*> matrices)
        : m_context(context)
        , m_p(context.parameters())
        , m_rewards{std::move(model), {}, {}, false}
        , m_matrices(std::move(matrices))
    {
    }
    void finish() override
    {
        if (m_writer)
            m_kept.remove();
    }
    std::int64_t totalSteps() const override { return static_cast<std::int64_t>(m_matrices.size()); }
    Status prepare(const CheckpointInfo* from, const nlohmann::json& state) override;
    Result<std::int64_t> advance(std::int64_t step) override;
    nlohmann::json state() const override;
    Status save(const std::filesystem::path&) const override { return {}; }
    const RewardTimes& rewardTimes() const override { return m_rewards.times; }

private:
    RolloutRequest requestFor(std::vector<const StageTarget*> matrices, std::uint64_t seed) const;
    Status loadPolicy();
    Result<Rollout> roll(const RolloutRequest& request, const MatrixViews* views);
    std::string label() const;
    Status chooseTemperature();
    Result<Rollout> samplesOf(RolloutRequest request);
    EvaluatedMatrix rowOf(const Rollout& rollout, const StageTarget& matrix) const;
    TargetVariant variantOf(const EvaluatedMatrix& row) const;
    Result<std::vector<SplitMetrics>> totalsBySplit(const std::vector<EvaluatedMatrix>& all);
    Status addReading(std::vector<EvaluatedMatrix> rows, Metrics& metrics);
    Status addExchange(const std::vector<EvaluatedMatrix>& rows, Metrics& metrics);

    StageContext& m_context;
    const ParameterSet& m_p;
    StageRewards m_rewards;
    std::vector<const StageTarget*> m_matrices;
    std::optional<ProgramWriter> m_writer; ///< evaluate.endpoint, in place of a policy.
    KeptAnswers m_kept;                    ///< Of m_writer.
    std::optional<Policy> m_policy;
    std::optional<MatrixViews> m_views;
    std::set<std::string> m_scored; ///< Digests of the matrices whose programs are scored under each other.
    std::vector<EvaluatedMatrix> m_rows;
    double m_temperature = 1;
};

Status EvaluateStage::prepare(const CheckpointInfo* from, const nlohmann::json& state)
{
    if (m_p[param::evaluate::budget] > 0 && (m_p[param::evaluate::greedy] || m_p[param::evaluate::beam] > 0))
        return fail("a greedy policy and a beam search write the same programs again, so a budget of seconds "
                    "means nothing to them",
                    "Leave evaluate.budget at 0, or sample");
    if (from != nullptr) {
        const auto saved = jsonValue(state, "rows", nlohmann::json::array());
        for (const auto& row : saved)
            m_rows.push_back(evaluatedMatrixFromJson(row));
    }
    SPARSERL_CHECK(loadPolicy());
    SPARSERL_CHECK(loadRewards(m_context, m_context.environment().parent, RewardSource::Policy, m_rewards));
    std::vector<StageTarget> chosen;
    for (const auto* matrix : m_matrices)
        chosen.push_back(*matrix);
    if (m_policy)
        m_views.emplace(*m_policy, chosen, 1);
    for (const bool heldOut : {false, true}) {
        std::vector<std::string> keys;
        for (const auto& matrix : chosen) {
            if (matrix.heldOut == heldOut)
                keys.push_back(matrix.target.id.key());
        }
        for (const auto at : evenlySpread(keys.size(), mostScoredMatrices))
            m_scored.insert(keys[at]);
    }
    m_temperature = jsonValue(state, "temperature", m_p[param::evaluate::temperature]);
    return state.contains("temperature") ? Status() : chooseTemperature();
}

/// The policy, or the model of an endpoint.
Status EvaluateStage::loadPolicy()
{
    if (const std::string& endpoint = m_p[param::evaluate::endpoint]; !endpoint.empty()) {
        GenerationOptions options;
        options.seed = static_cast<std::uint64_t>(m_p[param::seed]);
        options.topK = static_cast<int>(m_p[param::evaluate::topK]);
        options.topP = m_p[param::evaluate::topP];
        options.broadShare = m_p[param::evaluate::broadShare];
        options.greedy = m_p[param::evaluate::greedy];
        options.beam = static_cast<int>(m_p[param::evaluate::beam]);
        options.maxTokens = static_cast<int>(m_p[param::evaluate::maxTokens]);
        options.verifier = m_p[param::evaluate::verifier];
        SPARSERL_TRY(auto writer, endpointWriter(endpoint, options, m_context.laterWarnings()));
        m_writer.emplace(std::move(writer));
        SPARSERL_TRY(m_kept, KeptAnswers::open(m_context.run().path() / "answers.jsonl"));
        return {};
    }
    SPARSERL_TRY(auto policy, Policy::load(m_context.environment().parent));
    policy.config().prompt = promptFor(policy.config().prompt, firstVariantOf(m_p));
    SPARSERL_TRY(const auto compute, computeOf(m_context.parameters(), m_context.processes()));
    policy.moveTo(compute);
    m_policy.emplace(std::move(policy));
    return {};
}

Result<Rollout> EvaluateStage::roll(const RolloutRequest& request, const MatrixViews* views)
{
    return m_writer ? rollOut(m_context, *m_writer, m_kept, m_rewards.model, m_rewards.times, request)
                    : rollOut(m_context, *m_policy, *views, m_rewards.model, m_rewards.times, request);
}

/// What the records of the evaluation call its policy.
std::string EvaluateStage::label() const
{
    if (m_writer)
        return "endpoint " + m_p[param::evaluate::endpoint];
    const bool isDefault = m_context.run().config().parentCheckpoint == defaultPolicyName;
    return isDefault ? std::string(defaultPolicyName) : labelOf(m_context.environment().parent);
}

/// The best of evaluate.temperatures on training matrices, by the mean reward of the same draws at each.
Status EvaluateStage::chooseTemperature()
{
    SPARSERL_TRY(const auto temperatures,
                 parseTemperatures(param::evaluate::temperatures.key, m_p[param::evaluate::temperatures]));
    if (temperatures.empty())
        return {};
    if (m_p[param::evaluate::greedy] || m_p[param::evaluate::beam] > 0)
        return fail("a greedy policy and a beam search have no temperature to choose",
                    "Leave evaluate.temperatures empty, or sample");
    constexpr std::size_t mostMatrices = 16;
    constexpr std::int64_t mostSamples = 8;
    const auto training = m_context.matrices(false);
    std::vector<const StageTarget*> chosen;
    std::vector<StageTarget> copies;
    for (const auto at : evenlySpread(training.size(), mostMatrices)) {
        chosen.push_back(training[at]);
        copies.push_back(*training[at]);
    }
    if (chosen.empty())
        return fail("there are no training matrices to find the best temperature on",
                    "Leave evaluate.temperatures empty and say evaluate.temperature");
    std::optional<MatrixViews> views;
    if (m_policy)
        views.emplace(*m_policy, copies, 1);
    double best = 0;
    std::string about;
    for (const double temperature : temperatures) {
        auto request = requestFor(
            chosen, Rng(static_cast<std::uint64_t>(m_p[param::seed])).derive("evaluate-temperature").next());
        request.samples = std::min(request.samples, mostSamples);
        request.sampling.temperature = temperature;
        request.phase = fmt::format("trying temperature {}", temperature);
        SPARSERL_TRY(const auto rollout, roll(request, views ? &*views : nullptr));
        const auto rewards = rollout.rewards();
        // All processes have the same rewards; that of process 0 decides where rounding differs.
        const double mean = gatherNumbers(m_context.processes(), {summarise(rewards).mean})[0][0];
        about += fmt::format("{}{:.3f} at {}", about.empty() ? "" : ", ", mean, temperature);
        if (temperature == temperatures.front() || mean > best) {
            best = mean;
            m_temperature = temperature;
        }
    }
    return m_context.log(0, "info",
                         fmt::format("Programs are sampled at temperature {}: the mean reward on {} training "
                                     "matrices is {}",
                                     m_temperature, chosen.size(), about));
}

RolloutRequest EvaluateStage::requestFor(std::vector<const StageTarget*> matrices, std::uint64_t seed) const
{
    RolloutRequest request;
    request.matrices = std::move(matrices);
    request.samples = m_p[param::evaluate::samples];
    request.seed = seed;
    request.sampling.temperature = m_temperature;
    request.sampling.maxTokens = static_cast<int>(m_p[param::evaluate::maxTokens]);
    request.sampling.topK = static_cast<int>(m_p[param::evaluate::topK]);
    request.sampling.topP = m_p[param::evaluate::topP];
    request.sampling.broadFraction = m_p[param::evaluate::broadShare];
    request.sampling.broadTemperature = m_p[param::evaluate::broadTemperature];
    request.sampling.greedy = m_p[param::evaluate::greedy];
    request.beam = static_cast<int>(m_p[param::evaluate::beam]);
    request.references = &m_rewards.references;
    request.verifier = m_p[param::evaluate::verifier];
    return request;
}

nlohmann::json EvaluateStage::state() const
{
    nlohmann::json rows = nlohmann::json::array();
    for (const auto& row : m_rows)
        rows.push_back(toJson(row));
    nlohmann::json state{{"rows", rows}};
    if (!m_p[param::evaluate::temperatures].empty())
        state["temperature"] = m_temperature;
    return state;
}

Result<std::int64_t> EvaluateStage::advance(std::int64_t step)
{
    const auto total = totalSteps();
    // As many matrices at once as fill the sampler; between two groups a checkpoint keeps what is known.
    // The seconds of a budget are one matrix's.
    const auto group =
        m_p[param::evaluate::budget] > 0 ? 1 : std::max<std::int64_t>(1, 96 / m_p[param::evaluate::samples]);
    const auto end = std::min(total, step + group);
    const Rng seeds = Rng(static_cast<std::uint64_t>(m_p[param::seed])).derive("evaluate");
    auto request =
        requestFor({m_matrices.begin() + step, m_matrices.begin() + end},
                   seeds.derive(m_matrices[static_cast<std::size_t>(step)]->target.id.contents).next());
    request.phase = fmt::format("evaluating matrix {} to {} of {}", step + 1, end, total);
    SPARSERL_TRY(const auto rollout, samplesOf(request));
    const std::string name = label();
    auto rows = m_rows;
    for (const auto* matrix : request.matrices)
        rows.push_back(rowOf(rollout, *matrix));
    std::vector<SplitMetrics> totals;
    if (end == total) {
        SPARSERL_TRY(totals, totalsBySplit(rows)); // may be interrupted, so before anything is written
    }
    SPARSERL_CHECK(journalRollout(m_context, end, rollout, sample_origin::evaluation));
    for (const auto* matrix : request.matrices)
        SPARSERL_CHECK(m_context.emit(end, evaluationOf(rollout, *matrix, m_rewards.times, name)));
    for (const auto& [split, metrics] : totals)
        SPARSERL_CHECK(m_context.metrics(end, split, metrics));
    m_rows = std::move(rows);
    return end;
}

/// All samples at once or, within a budget, round after round until its seconds are over (A.24).
Result<Rollout> EvaluateStage::samplesOf(RolloutRequest request)
{
    const double budget = m_p[param::evaluate::budget];
    const MatrixViews* views = m_views ? &*m_views : nullptr;
    if (budget <= 0)
        return roll(request, views);
    constexpr std::int64_t round = 32;
    const auto begin = std::chrono::steady_clock::now();
    const Rng seeds(request.seed);
    const std::int64_t wanted = request.samples;
    Rollout all;
    for (std::int64_t done = 0; done < wanted; done += request.samples) {
        request.samples = std::min(round, wanted - done);
        request.seed = seeds.derive(static_cast<std::uint64_t>(done)).next();
        SPARSERL_TRY(auto rollout, roll(request, views));
        append(all, std::move(rollout));
        const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
        if (m_context.any(spent.count() >= budget))
            break;
    }
    return all;
}

EvaluatedMatrix EvaluateStage::rowOf(const Rollout& rollout, const StageTarget& matrix) const
{
    auto row = evaluatedMatrix(matrix, m_rewards.times);
    const auto scored = m_policy && m_scored.contains(matrix.target.id.key())
                            ? static_cast<std::size_t>(m_p[param::evaluate::information])
                            : 0;
    for (const auto& item : rollout.items) {
        if (item.target != &matrix)
            continue;
        if (item.record.baselineMicroseconds > 0) {
            row.baselineMicroseconds = item.record.baselineMicroseconds;
            row.baseline = item.record.baselineName;
        }
        if (row.programs.size() < scored)
            row.programs.push_back(item.sample.tokens);
    }
    for (const auto& item : rollout.items) {
        if (item.target == &matrix)
            row.add(evaluatedSample(item.record, item.family, item.reward.total, m_rewards.times));
    }
    return row;
}

TargetVariant EvaluateStage::variantOf(const EvaluatedMatrix& row) const
{
    const auto* target = m_context.matrix(row.target);
    return target != nullptr ? target->target.id.variant : TargetVariant();
}

/// The totals of each split apart: what was trained on tells nothing of what was not.
Result<std::vector<SplitMetrics>> EvaluateStage::totalsBySplit(const std::vector<EvaluatedMatrix>& all)
{
    std::vector<SplitMetrics> totals;
    for (const char* name : {split::train, split::heldOut}) {
        std::vector<EvaluatedMatrix> rows;
        std::copy_if(all.begin(), all.end(), std::back_inserter(rows),
                     [&](const EvaluatedMatrix& row) { return row.split == name; });
        if (rows.empty())
            continue;
        auto metrics = totalsOf(rows, parseList(m_p[param::evaluate::k]));
        // That programs of two tasks differ tells nothing of matrices.
        if (const auto first = variantOf(rows.front()); hasSeveralVariants(m_p))
            std::erase_if(rows, [&](const EvaluatedMatrix& row) { return !(variantOf(row) == first); });
        metrics.merge(familyMetrics(rows, static_cast<std::uint64_t>(m_p[param::seed])));
        SPARSERL_CHECK(addReading(std::move(rows), metrics));
        totals.emplace_back(name, std::move(metrics));
    }
    return totals;
}

/// How well the programs tell their matrices apart.
Status EvaluateStage::addReading(std::vector<EvaluatedMatrix> rows, Metrics& metrics)
{
    std::erase_if(rows, [](const EvaluatedMatrix& row) { return row.programs.empty(); });
    if (rows.size() < 2)
        return {};
    m_context.pulse("scoring programs under other matrices", 0.9);
    std::vector<ModelInput> inputs;
    std::vector<WrittenProgram> programs;
    for (const auto& row : rows) {
        for (const auto& tokens : row.programs)
            programs.push_back({static_cast<int>(inputs.size()), tokens});
        inputs.push_back(m_views->input(row.target));
    }
    const auto scores =
        scorePrograms(*m_policy, inputs, programs, m_temperature, m_context.environment().cancel);
    if (m_context.any(!scores))
        return fail(interruption());
    metrics.merge(readingMetrics(*scores, static_cast<std::uint64_t>(m_p[param::seed])));
    return m_p[param::evaluate::exchange] ? addExchange(rows, metrics) : Status();
}

/// What becomes of the rewards when every matrix gets the programs that were written for another one.
Status EvaluateStage::addExchange(const std::vector<EvaluatedMatrix>& rows, Metrics& metrics)
{
    const auto shift = (rows.size() + 1) / 2;
    std::vector<CachedJudge::Request> requests;
    std::vector<std::size_t> reader, lengths;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        for (const auto& tokens : rows[(i + shift) % rows.size()].programs) {
            lengths.push_back(tokens.size());
            requests.push_back(
                {m_policy->tokenizer().decode(tokens), m_context.matrix(rows[i].target), false, {}});
            reader.push_back(i);
        }
    }
    SPARSERL_TRY(
        const auto records, m_context.judge().judge(requests, m_context.cancel(), [&](std::size_t done) {
            m_context.pulse(fmt::format("judging exchanged programs {}/{}", done, requests.size()), 0.95);
        }));
    std::vector<double> gain(rows.size(), 0.0);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto own = std::min(rows[i].programs.size(), rows[i].each.size());
        for (std::size_t s = 0; s < own; ++s)
            gain[i] += rows[i].each[s].reward / static_cast<double>(own);
    }
    for (std::size_t r = 0; r < records.size(); ++r) {
        const std::string key = requests[r].target->target.id.key();
        const auto statistics = m_rewards.times.statistics(m_rewards.model, key);
        const auto reward = m_rewards.model
                                .reward(records[r], statistics.n > 0 ? &statistics : nullptr,
                                        rewardExtras(m_rewards.model, &m_rewards.references, key,
                                                     requests[r].program, lengths[r], false))
                                .total;
        gain[reader[r]] -=
            reward / static_cast<double>(rows[(reader[r] + shift) % rows.size()].programs.size());
    }
    const auto interval = pairedBootstrap(gain, 0.95, 1000, static_cast<std::uint64_t>(m_p[param::seed]));
    metrics[metric::exchangeGain] = interval.mean;
    metrics[metric::exchangeGainInterval.part("low")] = interval.low;
    metrics[metric::exchangeGainInterval.part("high")] = interval.high;
    return {};
}

} // namespace

Result<std::unique_ptr<Stage>> makeEvaluateStage(StageContext& context)
{
    const auto& p = context.parameters();
    const bool asksServer = !p[param::evaluate::endpoint].empty();
    if (asksServer == !context.environment().parent.empty())
        return asksServer ? fail("evaluate.endpoint is evaluated in place of a policy, and the run has one",
                                 "Leave evaluate.endpoint empty, or start the run without a parent")
                          : fail("the evaluate stage needs a policy",
                                 "Give the checkpoint of an sft or rl run as the parent");
    if (asksServer && p[param::evaluate::budget] > 0)
        return fail("evaluate.budget is for a policy of this machine: a server may be busy",
                    "Leave evaluate.budget at 0");
    if (asksServer && !context.processes().alone())
        return fail("an evaluation with evaluate.endpoint is for one process, and this run has several",
                    "Leave --nproc out");
    SPARSERL_TRY(auto model, rewardModel(p));
    if (const auto beam = p[param::evaluate::beam]; beam > 0 && p[param::evaluate::samples] > beam)
        return fail(fmt::format("a beam search of {} beams cannot give {} programs of a matrix", beam,
                                p[param::evaluate::samples]),
                    "Raise evaluate.beam or lower evaluate.samples");
    auto matrices = targetsOfSplit(context.environment().matrices, p[param::evaluate::split]);
    if (matrices.empty())
        return fail("there are no matrices of the split \"" + p[param::evaluate::split] + "\"",
                    "Add some to the project or choose another evaluate.split");
    return std::make_unique<EvaluateStage>(context, std::move(model), std::move(matrices));
}

} // namespace sparserl

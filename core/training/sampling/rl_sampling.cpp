// SPDX-License-Identifier: Apache-2.0
#include "training/sampling/rl_sampling.h"

#include "base/beneath.h"
#include "base/json.h"
#include "base/rng.h"
#include "training/learning/learner.h"
#include "training/parameters/parameter_keys.h"
#include "training/sampling/rl_server.h"

#include <fmt/format.h>

namespace sparserl {

Rng rlStream(const ParameterSet& parameters, const char* purpose, std::int64_t iteration)
{
    return Rng(static_cast<std::uint64_t>(parameters[param::seed]))
        .derive(purpose)
        .derive(static_cast<std::uint64_t>(iteration));
}

namespace {

const char* const measurementsFile = "measurements.json";

} // namespace

Result<MeasuringOptions> measuringOptions(const ParameterSet& parameters)
{
    MeasuringOptions options{parameters[param::rl::measuredShare],
                             parameters[param::rl::matrixClusters],
                             parameters[param::rl::clusterShare],
                             rlStream(parameters, "measuring", 0).next(),
                             {}};
    if (!options.all()) {
        SPARSERL_TRY(options.device, loadDeviceModel(parameters[param::judge::model]));
    }
    return options;
}

RlSampling::RlSampling(StageContext& context, const StageRewards& rewards, const MatrixViews& views,
                       const MeasuringOptions& measuring, BestPrograms best)
    : m_context(context)
    , m_p(context.parameters())
    , m_rewards(rewards)
    , m_views(views)
    , m_best(std::move(best))
{
    if (!measuring.all()) {
        m_measuring.emplace(context.judge(), context.matrices(false), measuring);
        m_learned = m_measuring->state();
    }
    if (m_p[param::rl::judgeAhead])
        m_ahead.emplace([this](const auto& requests, const auto& cancel, const auto& done) {
            return judge(requests, cancel, done);
        });
}

JudgeAhead::Records RlSampling::judge(const std::vector<CachedJudge::Request>& requests,
                                      const CancelToken& cancel, const std::function<void(std::size_t)>& done)
{
    return m_measuring ? m_measuring->judge(requests, cancel, done)
                       : m_context.judge().judge(requests, cancel, done);
}

void RlSampling::learned(const Rollout& rollout)
{
    if (m_p[param::rl::refine] > 0) {
        for (const auto& item : rollout.items)
            m_best.add(item.text, item.record);
    }
    m_writer = std::exchange(m_nextWriter, std::nullopt);
    if (m_measuring)
        m_learned = m_drawn.empty() ? m_measuring->state() : std::move(m_drawnFrom);
}

Status RlSampling::saveMeasurements(const std::filesystem::path& folder) const
{
    return m_measuring ? writeJson(folder / measurementsFile, m_learned) : Status();
}

Status RlSampling::loadMeasurements(const std::filesystem::path& folder)
{
    if (!m_measuring || !glance(folder / measurementsFile).exists)
        return {};
    SPARSERL_TRY(m_learned, readJson(folder / measurementsFile));
    return m_measuring->restore(m_learned);
}

bool RlSampling::isSelfCritical() const
{
    return m_p[param::rl::algorithm] == "self-critical";
}

RolloutRequest RlSampling::request(const RlSettings& current) const
{
    RolloutRequest request;
    request.sampling.temperature = current.temperature;
    request.sampling.maxTokens = static_cast<int>(m_p[param::rl::maxTokens]);
    request.verifier = m_p[param::rl::verifier];
    request.references = &m_rewards.references;
    return request;
}

/// Round 0 is the iteration's own; further rounds are those of dynamic sampling.
RolloutRequest RlSampling::trainRequest(std::int64_t iteration, std::int64_t round,
                                        const RlSettings& current) const
{
    auto request = this->request(current);
    request.served = usesServer(m_p);
    request.sampler = m_sampler;
    const auto pool = m_context.matrices(false);
    const auto wanted = static_cast<std::size_t>(m_p[param::rl::matrices]);
    // Matrices come in shuffled rounds, so that each is used equally often whatever `rl.matrices` is.
    const auto position = static_cast<std::size_t>(iteration) * wanted;
    for (std::size_t i = 0; i < wanted; ++i) {
        const auto turn = round == 0 ? (position + i) / pool.size() : i / pool.size();
        auto order = pool;
        if (round == 0)
            rlStream(m_p, "matrices", static_cast<std::int64_t>(turn)).shuffle(order);
        else
            rlStream(m_p, "resampled-matrices", iteration)
                .derive(static_cast<std::uint64_t>(round))
                .derive(turn)
                .shuffle(order);
        request.matrices.push_back(order[((round == 0 ? position : 0) + i) % pool.size()]);
    }
    const auto of = [&](const char* purpose) {
        const Rng first = rlStream(m_p, purpose, iteration);
        return round == 0 ? first : first.derive(static_cast<std::uint64_t>(round));
    };
    Rng views = of("views");
    const auto count = static_cast<std::uint64_t>(m_p[param::policy::views]);
    for (std::size_t i = 0; i < wanted; ++i)
        request.views.push_back(static_cast<std::int64_t>(views.below(count)));
    if (const double share = m_p[param::rl::refine]; share > 0) {
        Rng draws = of("refine");
        for (const StageTarget* target : request.matrices)
            request.shown.push_back(draws.chance(share) ? m_best.find(target->target.id.key()) : nullptr);
    }
    request.samples = m_p[param::rl::samples];
    request.seed = of("rollout").next();
    request.sampling.topK = static_cast<int>(m_p[param::rl::topK]);
    request.sampling.topP = m_p[param::rl::topP];
    request.sampling.broadFraction = m_p[param::rl::broadShare];
    request.sampling.broadTemperature = m_p[param::rl::broadTemperature];
    request.truncatedPenalty = m_p[param::reward::truncated];
    request.overlongBuffer = m_p[param::reward::overlongBuffer];
    request.overlongPenalty = m_p[param::reward::overlongPenalty];
    request.phase = fmt::format("iteration {}/{}: sampling", iteration + 1, m_p[param::rl::iterations]);
    return request;
}

/// A round of an iteration, without verdicts; behind it the greedy programs to compare with, if any.
Result<std::vector<DrawnRollout>> RlSampling::draw(std::int64_t iteration, std::int64_t round,
                                                   const RlSettings& current, const Policy& policy)
{
    std::vector<DrawnRollout> drawn;
    auto request = trainRequest(iteration, round, current);
    SPARSERL_TRY(auto sampled, drawRollout(m_context, policy, m_views, request));
    drawn.push_back(std::move(sampled));
    if (isSelfCritical()) {
        request.samples = 1;
        request.sampling.greedy = true;
        request.phase = "the greedy programs to compare with";
        SPARSERL_TRY(auto greedy, drawRollout(m_context, policy, m_views, std::move(request)));
        drawn.push_back(std::move(greedy));
    }
    return drawn;
}

/// The requests of all parts, one behind the other.
std::vector<CachedJudge::Request> requestsOf(const std::vector<DrawnRollout>& drawn)
{
    std::vector<CachedJudge::Request> requests;
    for (const auto& part : drawn)
        requests.insert(requests.end(), part.requests.begin(), part.requests.end());
    return requests;
}

std::size_t countOf(const std::vector<DrawnRollout>& drawn)
{
    std::size_t count = 0;
    for (const auto& part : drawn)
        count += part.requests.size();
    return count;
}

/// `records` are those of requestsOf().
Rollout RlSampling::rewardedRound(std::vector<DrawnRollout> drawn, std::vector<VerdictRecord> records) const
{
    const auto middle = records.begin() + static_cast<std::ptrdiff_t>(drawn.front().requests.size());
    std::vector<VerdictRecord> ofGreedy(std::make_move_iterator(middle),
                                        std::make_move_iterator(records.end()));
    records.erase(middle, records.end());
    auto rollout = rewarded(std::move(drawn.front()), std::move(records), m_rewards.model, m_rewards.times);
    if (drawn.size() > 1) {
        const auto greedy =
            rewarded(std::move(drawn.back()), std::move(ofGreedy), m_rewards.model, m_rewards.times);
        for (auto& item : rollout.items)
            item.greedyReward = greedy.items[static_cast<std::size_t>(item.input)].reward.total;
    }
    return rollout;
}

/// A round of samples by `policy` with their rewards.
Result<Rollout> RlSampling::roll(std::int64_t iteration, std::int64_t round, const RlSettings& current,
                                 const Policy& policy)
{
    SPARSERL_TRY(auto drawn, draw(iteration, round, current, policy));
    const auto requests = requestsOf(drawn);
    const Stopwatch judging;
    SPARSERL_TRY(auto records, judge(requests, m_context.cancel(), judgingPulse(m_context, requests.size())));
    auto rollout = rewardedRound(std::move(drawn), std::move(records));
    rollout.judgingSeconds = judging.seconds();
    return rollout;
}

Status RlSampling::drawAhead(std::int64_t iteration, const RlSettings& then, const Policy& policy)
{
    SPARSERL_TRY(m_drawn, draw(iteration, 0, then, policy));
    for (auto& part : m_drawn)
        part.rollout.onPolicy = false;
    m_nextWriter.emplace(policy.clone(false));
    if (m_measuring)
        m_drawnFrom = m_measuring->state();
    m_ahead->begin(requestsOf(m_drawn), m_context.cancel());
    return {};
}

void RlSampling::waitForJudge()
{
    if (m_ahead)
        m_ahead->wait(judgingPulse(m_context, countOf(m_drawn)));
}

/// The samples of round 0: those that were drawn ahead, or, behind a checkpoint, that their writer draws
/// again.
Result<Rollout> RlSampling::firstRound(std::int64_t iteration, const RlSettings& current,
                                       const Policy& policy)
{
    if (!m_drawn.empty()) {
        SPARSERL_TRY(auto records, m_ahead->take(judgingPulse(m_context, countOf(m_drawn))));
        auto rollout = rewardedRound(std::exchange(m_drawn, {}), std::move(records));
        rollout.judgingSeconds = m_ahead->seconds();
        return rollout;
    }
    SPARSERL_TRY(auto rollout, roll(iteration, 0, current, m_writer ? *m_writer : policy));
    rollout.onPolicy = rollout.onPolicy && !m_writer;
    return rollout;
}

Result<Rollout> RlSampling::sample(std::int64_t iteration, const RlSettings& current, const Policy& policy)
{
    SPARSERL_TRY(auto rollout, firstRound(iteration, current, policy));
    const auto wanted = static_cast<std::size_t>(m_p[param::rl::matrices]);
    for (std::int64_t round = 1; round <= m_p[param::rl::resampleRounds]; ++round) {
        if (groupsWithSignal(rollout.rewards(), rollout.groups()).size() >= wanted)
            break;
        SPARSERL_TRY(auto more, roll(iteration, round, current, policy));
        append(rollout, std::move(more));
    }
    m_judgeHits = m_context.judge().hits();
    if (m_measuring)
        m_metrics = m_measuring->takeMetrics();
    return rollout;
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "training/work/measuring.h"

#include "base/hash.h"
#include "base/json_exact.h"
#include "base/rng.h"
#include "corpus/corpus.h"
#include "verdict/names.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace sparserl {

namespace {

/// A prediction that may be off by so much in ln(time) is none.
constexpr double tooUnsure = 0.4;
/// Of the measured share: drawn at random.
constexpr double randomPart = 0.25;

/// What is kept of a program on a target that was measured.
std::string shortKey(const std::string& hash, const std::string& target)
{
    return sha256Hex(hash + target).substr(0, 20);
}

bool isMeasurable(const VerdictRecord& record)
{
    return record.correct() && record.baselineMicroseconds > 0 && !record.flags.has(VerdictFlag::Suspicious);
}

} // namespace

std::vector<MeasuringReason> chooseMeasured(const std::vector<MeasuringCandidate>& candidates, double share)
{
    const auto n = candidates.size();
    std::vector<MeasuringReason> reasons(n, MeasuringReason::None);
    std::map<std::size_t, std::size_t> best;
    for (std::size_t i = 0; i < n; ++i) {
        const auto [known, first] = best.emplace(candidates[i].group, i);
        if (!first && candidates[i].prediction.mean < candidates[known->second].prediction.mean)
            known->second = i;
    }
    for (const auto& [group, i] : best)
        reasons[i] = MeasuringReason::Best;
    const auto chosen = [&] {
        return static_cast<std::size_t>(
            std::count_if(reasons.begin(), reasons.end(), [](auto r) { return r != MeasuringReason::None; }));
    };
    const auto left = [&](const auto& before) {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < n; ++i)
            if (reasons[i] == MeasuringReason::None)
                order.push_back(i);
        std::stable_sort(order.begin(), order.end(), before);
        return order;
    };
    const auto budget =
        static_cast<std::size_t>(std::ceil(std::clamp(share, 0.0, 1.0) * static_cast<double>(n)));
    const auto random = std::max<std::size_t>(
        1, static_cast<std::size_t>(std::lround(randomPart * static_cast<double>(budget))));
    for (const auto i : left([&](std::size_t a, std::size_t b) {
             return candidates[a].prediction.deviation > candidates[b].prediction.deviation;
         })) {
        if (candidates[i].prediction.deviation <= tooUnsure && chosen() + random >= budget)
            break;
        reasons[i] = MeasuringReason::Unsure;
    }
    std::size_t drawn = 0;
    for (const auto i :
         left([&](std::size_t a, std::size_t b) { return candidates[a].draw < candidates[b].draw; })) {
        if (drawn >= random && chosen() >= budget)
            break;
        reasons[i] = MeasuringReason::AtRandom;
        ++drawn;
    }
    return reasons;
}

struct MeasuringJudge::Program
{
    enum class Way
    {
        Measure,
        Predict, ///< By the model.
        TakeOver,
        Follow, ///< A similar matrix's, which is being measured.
    };
    const CachedJudge::Request* request = nullptr;
    std::string key;
    std::string hash;
    TimeTraits traits;
    double baseline = 0;
    double draw = 0;
    Way way = Way::Measure;
    std::optional<TimeModel::Prediction> predicted; ///< By the model, before it was measured.
    std::optional<double> similar;                  ///< What would be taken over.
    bool atRandom = false;                          ///< Measured to see how good predictions are.
};

MeasuringJudge::MeasuringJudge(CachedJudge& judge, const std::vector<const StageTarget*>& matrices,
                               MeasuringOptions options)
    : m_judge(judge)
    , m_options(std::move(options))
{
    std::vector<MatrixFeatures> features;
    features.reserve(matrices.size());
    for (const auto* one : matrices)
        features.push_back(computeFeatures(*one->target.matrix, one->target.id.variant.columns));
    const MatrixSpace space(features);
    std::vector<std::vector<double>> places;
    places.reserve(features.size());
    for (const auto& one : features)
        places.push_back(space.place(one));
    const auto groups = nearGroups(places, m_options.clusters, m_options.seed);
    for (std::size_t i = 0; i < matrices.size(); ++i)
        m_matrices[matrices[i]->target.id.key()] = {features[i], places[i], groups[i]};
}

std::string MeasuringJudge::clusterKey(const Program& program) const
{
    const auto& matrix = m_matrices.at(program.request->target->target.id.key());
    return shortKey(program.hash, " cluster " + std::to_string(matrix.cluster));
}

/// Each program and target once, in the order of the requests.
std::vector<MeasuringJudge::Program>
MeasuringJudge::openPrograms(const std::vector<CachedJudge::Request>& requests, const Records& records) const
{
    std::vector<Program> open;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        const auto& record = records[i];
        const auto target = requests[i].target->target.id.key();
        auto key = shortKey(record.programHash, target);
        if (requests[i].measured || !isMeasurable(record) || !seen.insert(key).second)
            continue;
        const Matrix& matrix = m_matrices.at(target);
        Program program;
        program.request = &requests[i];
        program.hash = record.programHash;
        program.traits.matrix = matrix.place;
        program.traits.program = programTraits(requests[i].program.text(), record);
        program.traits.family = identifyFamily(requests[i].program.text()).value_or(std::string());
        program.traits.estimate = familyEstimate(program.traits.family, matrix.features, m_options.device,
                                                 requests[i].target->target.id.variant.type);
        program.baseline = record.baselineMicroseconds;
        program.draw = Rng(m_options.seed)
                           .derive("measure " + key)
                           .derive(static_cast<std::uint64_t>(m_calls))
                           .uniform();
        program.key = std::move(key);
        open.push_back(std::move(program));
    }
    return open;
}

/// Speed-ups of similar matrices first, where there are any; the model has the rest.
void MeasuringJudge::decide(std::vector<Program>& open) const
{
    using Way = Program::Way;
    std::set<std::string> represented;
    std::vector<Program*> rest;
    for (auto& program : open) {
        if (m_options.clusters > 0) {
            const auto key = clusterKey(program);
            if (const auto known = m_speeds.find(key); known != m_speeds.end()) {
                program.similar = known->second.sum / static_cast<double>(known->second.count);
                program.way = program.draw < m_options.clusterShare ? Way::Measure : Way::TakeOver;
                continue;
            }
            if (!represented.insert(key).second) {
                program.way = program.draw < m_options.clusterShare ? Way::Measure : Way::Follow;
                continue;
            }
        }
        rest.push_back(&program);
    }
    if (m_options.share >= 1 || !m_model.ready())
        return; // measured
    std::vector<MeasuringCandidate> candidates;
    std::map<std::string, std::size_t> groups;
    for (auto* program : rest) {
        program->predicted = m_model.predict(program->traits);
        const auto group = groups.emplace(program->request->target->target.id.key(), groups.size());
        candidates.push_back({group.first->second, *program->predicted, program->draw});
    }
    const auto reasons = chooseMeasured(candidates, m_options.share);
    for (std::size_t i = 0; i < rest.size(); ++i) {
        rest[i]->way = reasons[i] == MeasuringReason::None ? Way::Predict : Way::Measure;
        rest[i]->atRandom = reasons[i] == MeasuringReason::AtRandom;
    }
}

/// Rounding may differ where machines do; what is decided may not.
void MeasuringJudge::agree(std::vector<Program>& open) const
{
    if (m_judge.processes().alone())
        return;
    std::vector<double> own;
    for (const auto& program : open) {
        own.push_back(static_cast<double>(program.way));
        own.push_back(program.predicted ? program.predicted->mean : 0);
    }
    const auto first = gatherNumbers(m_judge.processes(), own).front();
    for (std::size_t i = 0; i < open.size(); ++i) {
        open[i].way = static_cast<Program::Way>(static_cast<int>(first.at(2 * i)));
        if (open[i].predicted)
            open[i].predicted->mean = first.at(2 * i + 1);
    }
}

void MeasuringJudge::learn(const Program& program, const VerdictRecord& record)
{
    m_known.insert(program.key);
    if (!isMeasurable(record) || !(record.speedup() > 0) || !std::isfinite(record.speedup()))
        return;
    const double measured = -std::log(record.speedup());
    const auto off = [&](double predicted) { return std::abs(std::expm1(predicted - measured)); };
    if (program.predicted && program.atRandom) {
        m_error.sum += off(program.predicted->mean);
        ++m_error.count;
    }
    if (program.similar) {
        m_similarError.sum += off(*program.similar);
        ++m_similarError.count;
    }
    if (m_options.share < 1)
        m_model.add(program.traits, measured);
    if (m_options.clusters > 0) {
        auto& speeds = m_speeds[clusterKey(program)];
        speeds.sum += measured;
        ++speeds.count;
    }
}

Result<std::vector<VerdictRecord>> MeasuringJudge::judge(const std::vector<CachedJudge::Request>& requests,
                                                         const CancelToken& cancel,
                                                         const std::function<void(std::size_t)>& done)
{
    using Way = Program::Way;
    auto asked = requests;
    std::vector<std::string> keys;
    for (auto& request : asked) {
        keys.push_back(shortKey(request.program.hash(), request.target->target.id.key()));
        request.measured = m_known.contains(keys.back());
    }
    SPARSERL_TRY(auto records, m_judge.judge(asked, cancel, done));
    auto open = openPrograms(asked, records);
    decide(open);
    agree(open);

    std::map<std::string, VerdictRecord> measured;
    const auto measure = [&](const auto& wanted) -> Status {
        std::vector<CachedJudge::Request> more;
        std::vector<const Program*> whose;
        for (const auto& program : open) {
            if (!wanted(program))
                continue;
            more.push_back(*program.request);
            more.back().measured = true;
            whose.push_back(&program);
        }
        if (more.empty())
            return {};
        SPARSERL_TRY(auto answers, m_judge.judge(more, cancel, {}));
        for (std::size_t i = 0; i < answers.size(); ++i)
            measured[whose[i]->key] = std::move(answers[i]);
        return {};
    };
    SPARSERL_CHECK(measure([](const Program& program) { return program.way == Way::Measure; }));
    // Those that wait for a similar matrix which has no time after all.
    std::map<std::string, Speeds> found;
    for (const auto& program : open) {
        const auto answer = measured.find(program.key);
        if (answer == measured.end() || m_options.clusters == 0 || !(answer->second.speedup() > 0))
            continue;
        auto& speeds = found[clusterKey(program)];
        speeds.sum -= std::log(answer->second.speedup());
        ++speeds.count;
    }
    for (auto& program : open) {
        if (program.way != Way::Follow)
            continue;
        if (const auto speeds = found.find(clusterKey(program)); speeds != found.end()) {
            program.similar = speeds->second.sum / static_cast<double>(speeds->second.count);
            program.way = Way::TakeOver;
        }
    }
    SPARSERL_CHECK(measure([](const Program& program) { return program.way == Way::Follow; }));

    // From here on nothing fails: what was learned is what was measured.
    ++m_calls;
    std::map<std::string, const Program*> unmeasured;
    for (const auto& program : open) {
        ++m_correct;
        if (const auto answer = measured.find(program.key); answer != measured.end()) {
            ++m_measured;
            learn(program, answer->second);
        } else {
            unmeasured[program.key] = &program;
        }
    }
    m_model.fit();
    for (std::size_t i = 0; i < records.size(); ++i) {
        auto& record = records[i];
        if (const auto answer = measured.find(keys[i]); answer != measured.end()) {
            record = answer->second;
        } else if (const auto one = unmeasured.find(keys[i]); one != unmeasured.end()) {
            const bool similar = one->second->way == Way::TakeOver;
            const double logTime = similar ? *one->second->similar : one->second->predicted->mean;
            record.predictedMicroseconds = record.baselineMicroseconds * std::exp(logTime);
            record.predictedFrom = similar ? predicted_from::similar : predicted_from::model;
            record.flags.add(VerdictFlag::NotMeasured);
        }
    }
    return records;
}

Metrics MeasuringJudge::takeMetrics()
{
    Metrics metrics;
    const auto mean = [&](MetricId name, const Errors& errors) {
        if (errors.count > 0)
            metrics[name] = errors.sum / static_cast<double>(errors.count);
    };
    if (m_correct > 0)
        metrics[metric::measuredShare] = static_cast<double>(m_measured) / static_cast<double>(m_correct);
    mean(metric::measureError, m_error);
    mean(metric::measureSimilarError, m_similarError);
    m_correct = m_measured = 0;
    m_error = m_similarError = {};
    return metrics;
}

nlohmann::json MeasuringJudge::state() const
{
    auto speeds = nlohmann::json::object();
    for (const auto& [key, one] : m_speeds)
        speeds[key] = {one.sum, one.count};
    return {
        {"calls", m_calls}, {"known", m_known}, {"speeds", std::move(speeds)}, {"model", m_model.state()}};
}

Status MeasuringJudge::restore(const nlohmann::json& state)
{
    m_calls = jsonValue<std::int64_t>(state, "calls", 0);
    try {
        m_known = state.at("known").get<std::set<std::string>>();
        m_speeds.clear();
        for (const auto& [key, one] : state.at("speeds").items())
            m_speeds[key] = {one.at(0).get<double>(),
                             std::max<std::int64_t>(1, jsonExact<std::int64_t>(one.at(1)))};
        return m_model.restore(state.at("model"));
    } catch (const nlohmann::json::exception& e) {
        return fail(std::string("the earlier measurements cannot be read: ") + e.what(),
                    "Continue from another checkpoint");
    }
}

} // namespace sparserl

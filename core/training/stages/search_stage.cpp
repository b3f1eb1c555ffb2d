// SPDX-License-Identifier: Apache-2.0
// A search for fast programs on the project's matrices, one after the other (docs/search.md).
#include "base/geometric_mean.h"
#include "base/hash.h"
#include "base/interruption.h"
#include "base/json.h"
#include "corpus/family_list.h"
#include "device/cuda/gpu_info.h"
#include "machine/device_model.h"
#include "search/shares.h"
#include "target/target_text.h"
#include "training/data/search_journal.h"
#include "training/data/search_state.h"
#include "training/parameters/parameter_keys.h"
#include "training/parameters/temperatures.h"
#include "training/sampling/generation.h"
#include "training/sampling/policy_proposer.h"
#include "training/stages/stages.h"
#include "training/work/named_targets.h"
#include "training/work/run_targets.h"
#include "verdict/names.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

namespace sparserl {

namespace {

/// Steps are the programs to judge or, where time is the budget, the seconds to spend. The last step of each
/// target is its ranking.
class SearchStage : public Stage
{
public:
    /// `writer`: the search's policy, or nothing.
    SearchStage(StageContext& context, std::vector<const StageTarget*> targets,
                std::map<std::string, double> shares, std::vector<std::string> families,
                std::shared_ptr<const ProgramWriter> writer, std::vector<double> temperatures,
                DeviceModel model, bool gpu)
        : m_context(context)
        , m_p(context.parameters())
        , m_targets(std::move(targets))
        , m_shares(std::move(shares))
        , m_families(std::move(families))
        , m_writer(std::move(writer))
        , m_temperatures(std::move(temperatures))
        , m_model(std::move(model))
        , m_gpu(gpu)
    {
    }
    std::int64_t totalSteps() const override;
    Status prepare(const CheckpointInfo* from, const nlohmann::json& state) override;
    Result<std::int64_t> advance(std::int64_t step) override;
    bool isComplete() const override { return m_state.done.size() >= m_targets.size(); }
    nlohmann::json state() const override;
    Status save(const std::filesystem::path&) const override { return {}; }
    const RewardTimes& rewardTimes() const override { return m_noTimes; }

private:
    struct Judged
    {
        SampleEvent sample;
        std::string text;
        VerdictRecord record;
    };
    const StageTarget& target() const { return *m_targets[m_state.done.size()]; }
    std::int64_t budget() const;
    TargetSearch newSearch();
    Status journal(std::int64_t step);
    Result<std::optional<Ranking>> ranked(const Archive& archive);
    Result<std::int64_t> finish(std::int64_t step);
    Status journalRanking(std::int64_t step, const Archive& archive, const Ranking& ranking);

    StageContext& m_context;
    const ParameterSet& m_p;
    std::vector<const StageTarget*> m_targets;
    std::map<std::string, double> m_shares;
    std::vector<std::string> m_families; ///< Empty: all.
    std::shared_ptr<const ProgramWriter> m_writer;
    std::vector<double> m_temperatures;
    DeviceModel m_model;
    bool m_gpu = false;
    SearchStageState m_state;
    std::int64_t m_step = 0;
    std::optional<TargetSearch> m_search; ///< Of the target that is being searched.
    std::vector<Judged> m_judged;         ///< Of the generation that is being judged.
    RewardTimes m_noTimes;
};

std::int64_t SearchStage::budget() const
{
    const std::int64_t candidates = m_p[param::search::candidates];
    return candidates > 0 ? candidates : static_cast<std::int64_t>(std::ceil(m_p[param::search::seconds]));
}

std::int64_t SearchStage::totalSteps() const
{
    const auto left = static_cast<std::int64_t>(m_targets.size() - m_state.done.size());
    if (left == 0)
        return m_state.begin;
    // Where a budget was cut to less than is used already, the ranking is still to come.
    return std::max(m_state.begin + left * budget(), m_step + left);
}

Status SearchStage::prepare(const CheckpointInfo* from, const nlohmann::json& state)
{
    if (from == nullptr)
        return {};
    SPARSERL_TRY(m_state, searchStateFrom(state));
    m_step = from->step;
    if (m_state.done.size() > m_targets.size())
        return failAt(from->path.string(), 0, "the checkpoint belongs to a search of more matrices",
                      "Put back the matrices that the project had, or start a new search");
    for (std::size_t i = 0; i < m_state.done.size(); ++i) {
        if (m_state.done[i].target != m_targets[i]->target.id.key())
            return failAt(from->path.string(), 0, "the checkpoint belongs to a search of other matrices",
                          "Put back the matrices that the project had, or start a new search");
    }
    if (!m_state.search)
        return {};
    if (m_state.target != target().target.id.key())
        return failAt(from->path.string(), 0, "the checkpoint is in the middle of another matrix",
                      "Put back the matrices that the project had, or start a new search");
    m_context.pulse("reading what was searched", 0);
    SPARSERL_TRY(auto programs, searchedPrograms(m_context.run().path(), m_state.target));
    TargetSearch search = newSearch();
    SPARSERL_CHECK(search.goOn(*m_state.search, std::move(programs)));
    m_search.emplace(std::move(search));
    return {};
}

nlohmann::json SearchStage::state() const
{
    SearchStageState now = m_state;
    now.search.reset();
    if (m_search) {
        now.search = m_search->state();
        now.target = target().target.id.key();
    }
    return toJson(now);
}

TargetSearch SearchStage::newSearch()
{
    const Target& searched = target().target;
    MatrixFeatures features = computeFeatures(*searched.matrix, searched.id.variant.columns);
    SearchOptions options;
    options.seconds = m_p[param::search::seconds];
    options.candidates = static_cast<std::size_t>(m_p[param::search::candidates]);
    const auto generation = static_cast<std::size_t>(m_p[param::search::generation]);
    options.generation = generation > 0 ? generation : m_gpu ? 96 : 24;
    options.benchPrograms = static_cast<std::size_t>(m_p[param::search::benchPrograms]);
    options.families = m_families;
    options.seed = static_cast<std::uint64_t>(m_p[param::seed]);
    options.model = m_model;
    if (!m_shares.empty())
        options.firstShares = m_shares;
    options.cancel = m_context.cancel();
    options.progress = [this](double fraction, const std::string& phase) {
        m_context.pulse(phase, fraction);
    };
    options.warned = [this](const std::string& sentence) {
        static_cast<void>(m_context.log(
            m_step, "warning", sentence + ". Raise search.candidates or lower search.bench_programs."));
    };
    options.judged = [this](const SearchedProgram& program, const VerdictRecord& record) {
        m_judged.push_back({sampleOf(program, record, target(), m_search->archive()), program.text, record});
    };
    auto proposers = makeProposers(features, searched.id.variant, m_model, m_families);
    if (m_writer)
        addPolicySources(
            proposers, m_writer, searched, m_temperatures, m_context.cancel(),
            {[this](double fraction) { m_context.pulse("the policy writes programs", fraction); },
             [this](const Error& error) {
                 static_cast<void>(m_context.log(m_step, "warning", error.sentence()));
             }});
    return {*m_context.environment().judge, searched, features, std::move(proposers), std::move(options)};
}

Result<std::int64_t> SearchStage::advance(std::int64_t step)
{
    m_step = step;
    if (!m_search)
        m_search.emplace(newSearch());
    const std::int64_t candidates = m_p[param::search::candidates];
    m_search->setBudget(m_p[param::search::seconds], static_cast<std::size_t>(candidates));
    if (m_search->isOver())
        return finish(step);
    m_judged.clear();
    SPARSERL_CHECK(m_search->advance());
    // Half a generation would not be what an uninterrupted search has: it is given up.
    if (m_context.cancel().cancelled())
        return fail(interruption());
    const double used = candidates > 0 ? static_cast<double>(m_search->archive().all().size())
                                       : std::floor(m_search->seconds());
    const auto most = static_cast<double>(budget() - 1); // the last one is the ranking's
    m_step = std::max(step, m_state.begin + static_cast<std::int64_t>(std::min(used, most)));
    SPARSERL_CHECK(journal(m_step));
    return m_step;
}

/// What a generation brought.
Status SearchStage::journal(std::int64_t step)
{
    Metrics metrics;
    std::int64_t fresh = 0, compiled = 0, correct = 0;
    for (const Judged& one : m_judged) {
        SPARSERL_CHECK(m_context.emitProgram(step, one.record.programHash, one.text));
        SPARSERL_CHECK(m_context.emit(step, one.sample));
        SPARSERL_CHECK(m_context.emit(step, VerdictEvent{one.record}));
        fresh += one.sample.proposal->fresh ? 1 : 0;
        compiled += isCompiled(one.record.verdict) ? 1 : 0;
        correct += one.record.correct() ? 1 : 0;
        m_state.records += one.sample.proposal->record ? 1 : 0;
    }
    m_state.judged += static_cast<std::int64_t>(m_judged.size());
    if (m_judged.empty()) // its sources have nothing more
        return {};
    const auto n = static_cast<double>(m_judged.size());
    m_judged.clear();
    metrics[metric::compileRate] = static_cast<double>(compiled) / n;
    metrics[metric::correctRate] = static_cast<double>(correct) / n;
    metrics[metric::searchFresh] = static_cast<double>(fresh) / n;
    metrics[metric::searchJudged] = static_cast<double>(m_state.judged);
    metrics[metric::searchRecords] = static_cast<double>(m_state.records);
    if (m_search->seconds() > 0)
        metrics[metric::searchRate] =
            static_cast<double>(m_search->archive().all().size()) / m_search->seconds();
    for (const auto& [source, share] : m_search->shares())
        metrics[metric::searchShare.part(source)] = share;
    GeometricMean speedup, gain;
    for (const SearchedTarget& done : m_state.done) {
        speedup.add(done.speedup);
        gain.add(done.recordGain);
    }
    if (const SearchedProgram* best = m_search->archive().best()) {
        metrics[metric::searchBest.part(fmt::format("{}", m_state.done.size() + 1))] = best->microseconds;
        speedup.add(best->speedup);
        gain.add(m_search->benchBest() / best->microseconds);
    }
    if (speedup.count() > 0)
        metrics[metric::searchSpeedup] = speedup.value();
    if (gain.count() > 0)
        metrics[metric::searchGain] = gain.value();
    return m_context.metrics(step, split::train, metrics);
}

/// The best of a target once more, by the protocol of figures that count.
Result<std::optional<Ranking>> SearchStage::ranked(const Archive& archive)
{
    RankingOptions options;
    if (m_gpu) { // A clock is noisy: the fastest of thousands may have been lucky.
        options.finalists = 12;
        options.benchFinalists = 5;
    }
    const auto rounds = static_cast<int>(m_p[param::search::rounds]);
    options.rankingRounds = m_gpu ? 2 : 1; // A model gives one time.
    options.confirmingRounds = rounds > 0 ? rounds : m_gpu ? 3 : 1;
    options.seed = static_cast<std::uint64_t>(m_p[param::seed]) + 1;
    options.cancel = m_context.cancel();
    options.progress = [&](const std::string& phase) {
        m_context.pulse(target().target.id.name + ": " + phase, 1);
    };
    return rankSearch(archive, target().target, m_context.environment().makeFinalJudge, options);
}

/// The last step of a target: the ranking, or without one the sentence that there is none.
Result<std::int64_t> SearchStage::finish(std::int64_t step)
{
    const TargetId& id = target().target.id;
    const Archive& archive = m_search->archive();
    const bool ranks = m_p[param::search::ranking];
    SearchedTarget done;
    done.target = id.key();
    const std::int64_t end = std::max(step + 1, m_state.begin + budget());
    std::optional<Ranking> ranking;
    if (ranks) {
        SPARSERL_TRY(ranking, ranked(archive));
    }
    const SearchedProgram* best = archive.best();
    if (ranking) {
        done.speedup = ranking->recordSpeedup;
        done.recordGain = ranking->gain;
        done.record = sha256Hex(archive.find(ranking->record)->text);
        SPARSERL_CHECK(journalRanking(end, archive, *ranking));
    } else if (!ranks && best != nullptr) {
        done.speedup = best->speedup;
        done.recordGain = m_search->benchBest() / best->microseconds;
        done.record = sha256Hex(best->text);
        SPARSERL_CHECK(m_context.log(
            end, "info",
            fmt::format("{}: the fastest of {} programs takes {:.2f} us (search.ranking=false: not ranked).",
                        labelOf(id), archive.all().size(), best->microseconds)));
    } else {
        SPARSERL_CHECK(m_context.log(
            end, "warning",
            archive.all().empty()
                ? fmt::format("{}: no program was judged in this time. Raise search.seconds.", labelOf(id))
                : fmt::format("{}: no program is correct{}.", labelOf(id),
                              ranks ? " by the full protocol" : "")));
    }
    if (const std::string gains = gainsText(m_search->result()); !done.record.empty() && !gains.empty())
        SPARSERL_CHECK(m_context.log(
            end, "info",
            fmt::format("{}: what made the record faster during the search: {}.", labelOf(id), gains)));
    const bool found = !done.record.empty();
    m_state.done.push_back(std::move(done));
    GeometricMean speedup, gain;
    for (const SearchedTarget& one : m_state.done) {
        speedup.add(one.speedup);
        gain.add(one.recordGain);
    }
    if (found) {
        Metrics metrics;
        metrics[metric::searchBest.part(fmt::format("{}", m_state.done.size()))] =
            ranking ? ranking->recordMicroseconds : best->microseconds;
        metrics[metric::searchSpeedup] = speedup.value();
        metrics[metric::searchGain] = gain.value();
        if (ranking)
            metrics[metric::searchRecordGain] = gain.value();
        SPARSERL_CHECK(m_context.metrics(end, split::train, metrics));
    }
    m_search.reset();
    m_state.begin = m_step = end;
    return end;
}

Status SearchStage::journalRanking(std::int64_t step, const Archive& archive, const Ranking& ranking)
{
    for (const auto& [number, record] : ranking.verdicts)
        SPARSERL_CHECK(m_context.emit(step, VerdictEvent{record}));
    SPARSERL_CHECK(m_context.emit(step, evaluationOf(archive, ranking, target())));
    return m_context.log(step, "info", rankingText(archive, ranking, target().target.id));
}

/// Those of the split that have entries, in the order of the project.
Result<std::vector<const StageTarget*>> searchedTargets(const StageContext& context)
{
    auto chosen = targetsOfSplit(context.environment().matrices, context.parameters()[param::search::split]);
    std::erase_if(chosen, [](const StageTarget* target) { return target->target.matrix->nnz() == 0; });
    if (chosen.empty())
        return fail("there is no matrix to search: those chosen are of another split or have no entries",
                    "Choose others with search.matrices and search.split");
    return chosen;
}

/// The policy that the run names, for as long as it searches; nothing where it names none.
Result<std::shared_ptr<const ProgramWriter>> policyOf(StageContext& context)
{
    const auto& parent = context.environment().parent;
    const auto& p = context.parameters();
    const std::string& endpoint = p[param::search::endpoint];
    GenerationOptions options;
    options.seed = static_cast<std::uint64_t>(p[param::seed]);
    if (!endpoint.empty()) {
        if (!parent.empty())
            return fail("a search has one policy: that of another run or that of search.endpoint",
                        "Leave search.endpoint empty, or start the run without a parent");
        SPARSERL_TRY(auto writer, endpointWriter(endpoint, options, context.laterWarnings()));
        return std::make_shared<const ProgramWriter>(std::move(writer));
    }
    if (parent.empty())
        return nullptr;
    options.device = p[param::device];
    options.precision = p[param::precision];
    SPARSERL_TRY(auto writer, ProgramWriter::load(parent, options));
    return std::make_shared<const ProgramWriter>(std::move(writer));
}

} // namespace

Result<std::unique_ptr<Stage>> makeSearchStage(StageContext& context)
{
    const auto& p = context.parameters();
    if (!context.processes().alone())
        return fail("a search is the work of one process",
                    "Leave --nproc out; give it several GPUs with judge.gpus=0,1");
    if (!context.environment().makeFinalJudge)
        return fail("the search has no judges for its final ranking");
    const bool asks = !context.environment().parent.empty() || !p[param::search::endpoint].empty();
    SPARSERL_TRY(auto shares, parseShares(p[param::search::shares], asks));
    SPARSERL_TRY(auto temperatures,
                 parseTemperatures(param::search::temperatures.key, p[param::search::temperatures]));
    SPARSERL_TRY(auto model, loadDeviceModel(p[param::judge::model]));
    SPARSERL_TRY(auto targets, searchedTargets(context));
    std::set<Task> tasks;
    for (const StageTarget* target : targets)
        tasks.insert(target->target.id.variant.task());
    SPARSERL_TRY(auto families, parseFamilies(p[param::search::families], {tasks.begin(), tasks.end()}));
    const std::string& device = p[param::judge::device];
    const bool gpu = device == "cuda" || (device == "auto" && listGpus().has_value());
    SPARSERL_TRY(auto writer, policyOf(context));
    if (writer)
        SPARSERL_CHECK(checkShares(shares, *writer));
    return std::make_unique<SearchStage>(context, std::move(targets), std::move(shares), std::move(families),
                                         std::move(writer), std::move(temperatures), std::move(model), gpu);
}

} // namespace sparserl

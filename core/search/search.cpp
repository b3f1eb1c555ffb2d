// SPDX-License-Identifier: Apache-2.0
#include "search/search.h"

#include "base/format.h"
#include "base/interruption.h"
#include "base/time.h"
#include "evaluation/bench/bench_programs.h"
#include "search/bandit.h"
#include "search/edit_proposer.h"
#include "search/grid_proposer.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <utility>

namespace sparserl {

namespace {

/// Another token that follows the user's and, when time is up, ends by itself: a judge takes one token.
class Deadline
{
public:
    /// `at`: of the monotonic clock; 0: never.
    Deadline(const CancelToken& user, double at)
        : m_thread([token = m_token, user, at](const std::stop_token& stop) {
            std::mutex mutex;
            std::condition_variable_any wake;
            std::unique_lock lock(mutex);
            while (!stop.stop_requested() && !token.cancelled()) {
                if (user.cancelled() || (at > 0 && monotonicSeconds() >= at))
                    token.cancel();
                wake.wait_for(lock, stop, std::chrono::milliseconds(20), [] { return false; });
            }
        })
    {
    }
    const CancelToken& token() const { return m_token; }

private:
    CancelToken m_token;
    std::jthread m_thread;
};

/// A proposal on its way to the judge.
struct Waiting
{
    std::size_t source = 0; ///< Of the proposers; npos: bench.
    Proposal proposal;
};

constexpr std::size_t fromBench = std::size_t(-1);
/// Of a kept program whose source is not there any more.
constexpr std::size_t fromNowhere = std::size_t(-2);

} // namespace

struct TargetSearch::Impl
{
    Impl(Judge& theJudge, Target&& theTarget, const MatrixFeatures& theFeatures, Proposers&& theProposers,
         SearchOptions&& theOptions)
        : judge(theJudge)
        , target(std::move(theTarget))
        , features(theFeatures)
        , proposers(std::move(theProposers))
        , options(std::move(theOptions))
        , rng(options.seed)
        , bandit(firstShares(), {.floor = 0.05, .prior = 0.03, .trust = 60, .fading = 0.997})
    {
        sources.push_back({"bench"});
        for (const auto& proposer : proposers)
            sources.push_back({std::string(proposer->name())});
    }
    std::vector<double> firstShares() const;
    std::vector<Waiting> benchGeneration();
    std::vector<Waiting> nextGeneration();
    std::size_t sourceOf(const std::string& name) const;
    Status judgeAll(const std::vector<Waiting>& waiting, const CancelToken& token, double begin);
    const SearchedProgram& take(const Waiting& waiting, const VerdictRecord& record, std::size_t number,
                                double at);
    /// `before`: microseconds of the record before it; 0: there was none.
    double rewardOf(const SearchedProgram& program, double before) const;
    /// Programs that may still be judged.
    std::size_t left() const
    {
        const std::size_t judged = archive.all().size();
        return options.candidates == 0       ? std::size_t(-1)
               : judged < options.candidates ? options.candidates - judged
                                             : 0;
    }
    bool timeIsOver() const { return options.candidates == 0 && seconds >= options.seconds; }
    /// `bench`: how many programs are judged first.
    void sayWhatIsLeftOut(std::size_t bench) const;
    /// `running`: verdicts of the generation that is being judged.
    void say(std::size_t running = 0) const;

    Judge& judge;
    Target target;
    MatrixFeatures features;
    Proposers proposers;
    SearchOptions options;
    Rng rng;
    Bandit bandit;
    Funnel funnel;
    Archive archive;
    std::vector<ProposalCounts> sources; ///< bench, then the proposers.
    double seconds = 0, benchBest = 0;
    std::size_t next = 0; ///< The next program's number.
    std::int64_t generations = 0;
    bool exhausted = false;
};

std::vector<double> TargetSearch::Impl::firstShares() const
{
    std::vector<double> shares(proposers.size(), -1);
    double named = 0;
    int others = 0;
    for (std::size_t i = 0; i < proposers.size(); ++i) {
        const auto found = options.firstShares.find(std::string(proposers[i]->name()));
        if (found != options.firstShares.end())
            named += shares[i] = found->second;
        else
            ++others;
    }
    constexpr double nothing = 1e-3, leftToOthers = 0.3;
    const bool shrinks = others > 0 && 1 - named < nothing;
    const double rest = shrinks ? leftToOthers : std::max(0.0, 1 - named);
    const double shrink = shrinks ? (1 - rest) / named : 1;
    for (double& share : shares)
        share = share < 0 ? rest / others : share * shrink;
    return shares;
}

std::vector<Waiting> TargetSearch::Impl::benchGeneration()
{
    BenchChoice choice;
    choice.families = options.families;
    choice.limit = options.benchPrograms;
    choice.model = options.model;
    std::vector<Waiting> waiting;
    for (DerivedProgram& program : benchPrograms(target.id.task(), features, target.id.variant.columns,
                                                 choice, target.id.variant.type)) {
        if (funnel.admit(program.text))
            waiting.push_back({fromBench,
                               {std::move(program.text),
                                program.family + " " + parametersJson(program.parameters),
                                {},
                                {}}});
    }
    return waiting;
}

std::vector<Waiting> TargetSearch::Impl::nextGeneration()
{
    const std::size_t wanted = std::min(options.generation, left());
    std::vector<Waiting> waiting;
    // What was proposed before is no news; a search whose sources repeat themselves ends.
    const std::size_t mostDraws = 50 * wanted;
    for (std::size_t draw = 0; draw < mostDraws && waiting.size() < wanted; ++draw) {
        bool open = false;
        for (std::size_t i = 0; i < proposers.size(); ++i) {
            if (proposers[i]->exhausted())
                bandit.close(i);
            open = open || bandit.share(i) > 0;
        }
        if (!open)
            break;
        const std::size_t source = bandit.draw(rng);
        auto proposal = proposers[source]->propose(archive, rng);
        if (proposal && funnel.admit(proposal->text))
            waiting.push_back({source, std::move(*proposal)});
        else // A source that repeats itself costs time, too, and a policy's programs cost the most.
            bandit.credit(source, 0);
    }
    return waiting;
}

double TargetSearch::Impl::rewardOf(const SearchedProgram& program, double before) const
{
    if (!program.correct() || !program.fresh)
        return 0;
    // A record pays by how far it is ahead, up to 2 per cent: what is within the noise of a clock pays
    // little.
    if (program.improved)
        return before > 0 ? std::clamp(std::log(before / program.microseconds) / 0.02, 0.1, 1.0) : 1;
    const SearchedProgram* parent = program.parents.empty() ? nullptr : archive.find(program.parents.front());
    // Better than where it came from, and near enough to the best to lead on.
    return parent && program.microseconds < 0.995 * parent->microseconds &&
                   program.microseconds < 1.03 * before
               ? 0.25
               : 0;
}

const SearchedProgram& TargetSearch::Impl::take(const Waiting& waiting, const VerdictRecord& record,
                                                std::size_t number, double at)
{
    const bool ours = waiting.source < proposers.size();
    SearchedProgram program;
    program.number = number;
    next = std::max(next, number + 1);
    program.text = waiting.proposal.text;
    program.source = ours ? std::string(proposers[waiting.source]->name()) : "bench";
    program.origin = waiting.proposal.origin;
    program.parents = waiting.proposal.parents;
    program.steps = waiting.proposal.steps;
    program.seconds = at;
    program.verdict = record.verdict;
    program.message = record.message;
    program.key = runKey(program.text, record);
    program.microseconds = record.correct() && record.warm ? record.warm->median : 0;
    program.speedup = record.speedup();
    program.profile = profileOf(record);
    const SearchedProgram* best = archive.best();
    const double before = best ? best->microseconds : 0;
    const SearchedProgram& kept = archive.add(std::move(program));
    funnel.count(kept);
    if (waiting.source == fromNowhere)
        return kept;
    sources[ours ? waiting.source + 1 : 0].count(kept);
    if (ours) {
        const double reward = rewardOf(kept, before);
        bandit.credit(waiting.source, reward);
        proposers[waiting.source]->learn(kept, reward);
    } else if (kept.improved) {
        benchBest = kept.microseconds;
    }
    return kept;
}

void TargetSearch::Impl::say(std::size_t running) const
{
    if (!options.progress)
        return;
    const auto judged = static_cast<double>(archive.all().size() + running);
    const double done =
        options.candidates > 0 ? judged / static_cast<double>(options.candidates) : seconds / options.seconds;
    const SearchedProgram* best = archive.best();
    std::string phase = fmt::format("{}: {} judged", target.id.name, judged);
    if (best)
        phase += fmt::format(", best {:.2f} us, {:.2f}x, {:+.1f} % over bench", best->microseconds,
                             best->speedup, benchBest > 0 ? 100 * (benchBest / best->microseconds - 1) : 0);
    options.progress(std::min(1.0, done), phase);
}

void TargetSearch::Impl::sayWhatIsLeftOut(std::size_t bench) const
{
    if (!options.warned || options.candidates == 0 || bench < options.candidates || proposers.empty())
        return;
    std::vector<std::string_view> names;
    for (const auto& proposer : proposers)
        names.push_back(proposer->name());
    const std::string last(names.back());
    names.pop_back();
    options.warned(
        fmt::format("{}: bench's programs come first and use up all {}; {}{}{} will propose nothing",
                    target.id.name, formatCounted(static_cast<std::int64_t>(options.candidates), "candidate"),
                    fmt::join(names, ", "), names.empty() ? "" : " and ", last));
}

Status TargetSearch::Impl::judgeAll(const std::vector<Waiting>& waiting, const CancelToken& token,
                                    double begin)
{
    std::vector<JudgeRequest> requests;
    for (const Waiting& one : waiting) {
        JudgeRequest request;
        request.program = one.proposal.text;
        request.target = target;
        request.seed = options.seed;
        requests.push_back(std::move(request));
    }
    std::vector<std::optional<std::pair<VerdictRecord, double>>> done(waiting.size());
    std::size_t running = 0;
    const auto records = judge.judge(requests, token, [&](std::size_t index, const VerdictRecord& record) {
        done[index].emplace(record, seconds + monotonicSeconds() - begin);
        say(++running);
    });
    // In the order of proposals, whichever verdict came first.
    for (std::size_t i = 0; i < waiting.size(); ++i) {
        if (!done[i])
            continue;
        const SearchedProgram& program = take(waiting[i], done[i]->first, next, done[i]->second);
        if (options.judged)
            options.judged(program, done[i]->first);
    }
    return records ? Status() : fail(records.error());
}

std::size_t TargetSearch::Impl::sourceOf(const std::string& name) const
{
    if (name == "bench")
        return fromBench;
    for (std::size_t i = 0; i < proposers.size(); ++i) {
        if (proposers[i]->name() == name)
            return i;
    }
    return fromNowhere;
}

TargetSearch::TargetSearch(Judge& judge, Target target, const MatrixFeatures& features, Proposers proposers,
                           SearchOptions options)
    : m_impl(std::make_unique<Impl>(judge, std::move(target), features, std::move(proposers),
                                    std::move(options)))
{
}

TargetSearch::TargetSearch(TargetSearch&&) noexcept = default;
TargetSearch& TargetSearch::operator=(TargetSearch&&) noexcept = default;
TargetSearch::~TargetSearch() = default;

Status TargetSearch::goOn(const SearchState& state, std::vector<KeptProgram> programs)
{
    SPARSERL_TRY(m_impl->rng, Rng::load(state.rng));
    for (KeptProgram& one : programs) {
        m_impl->funnel.remember(one.proposal.text);
        m_impl->take({m_impl->sourceOf(one.source), std::move(one.proposal)}, one.record, one.number,
                     one.seconds);
    }
    m_impl->funnel.goOn(state.proposed, state.repeated, state.refused);
    m_impl->generations = state.generations;
    m_impl->seconds = state.seconds;
    for (std::size_t i = 0; i < m_impl->proposers.size(); ++i) {
        const std::string name(m_impl->proposers[i]->name());
        if (const auto at = state.positions.find(name); at != state.positions.end() && at->second > 0)
            m_impl->proposers[i]->goOnAt(static_cast<std::size_t>(at->second));
        if (const auto known = state.tries.find(name); known != state.tries.end()) {
            const auto& [rewards, tries] = known->second;
            if (!(rewards >= 0 && tries >= rewards))
                return fail(
                    fmt::format("the state of the search has {} tries of the source {} with rewards of "
                                "{}",
                                tries, name, rewards),
                    "Start the search again, or resume it from an earlier checkpoint");
            m_impl->bandit.goOn(i, known->second);
        }
    }
    return {};
}

SearchState TargetSearch::state() const
{
    const FunnelCounts& counts = m_impl->funnel.counts();
    SearchState state{m_impl->rng.save(),
                      m_impl->generations,
                      m_impl->seconds,
                      counts.proposed,
                      counts.repeated,
                      counts.refused,
                      {},
                      {}};
    for (std::size_t i = 0; i < m_impl->proposers.size(); ++i) {
        const std::string name(m_impl->proposers[i]->name());
        state.positions[name] = static_cast<std::int64_t>(m_impl->proposers[i]->position());
        state.tries[name] = m_impl->bandit.sums(i);
    }
    return state;
}

bool TargetSearch::isOver() const
{
    return m_impl->exhausted || m_impl->left() == 0 || m_impl->timeIsOver();
}

Status TargetSearch::advance()
{
    Impl& own = *m_impl;
    const double begin = monotonicSeconds();
    const Deadline deadline(own.options.cancel,
                            own.options.candidates > 0 ? 0 : begin + own.options.seconds - own.seconds);
    const bool first = own.generations == 0;
    auto waiting = first ? own.benchGeneration() : own.nextGeneration();
    if (first)
        own.sayWhatIsLeftOut(waiting.size());
    if (waiting.empty() && !first)
        own.exhausted = true;
    if (waiting.size() > own.left()) // bench's
        waiting.resize(own.left());
    const auto judged = own.judgeAll(waiting, deadline.token(), begin);
    ++own.generations;
    own.seconds += monotonicSeconds() - begin;
    own.say();
    return judged || isInterruption(judged.error()) ? Status() : judged;
}

void TargetSearch::setBudget(double seconds, std::size_t candidates)
{
    m_impl->options.seconds = seconds;
    m_impl->options.candidates = candidates;
}

const Archive& TargetSearch::archive() const
{
    return m_impl->archive;
}

double TargetSearch::seconds() const
{
    return m_impl->seconds;
}

std::map<std::string, double> TargetSearch::shares() const
{
    std::map<std::string, double> shares;
    for (std::size_t i = 0; i < m_impl->proposers.size(); ++i)
        shares[std::string(m_impl->proposers[i]->name())] = m_impl->bandit.share(i);
    return shares;
}

double TargetSearch::benchBest() const
{
    return m_impl->benchBest;
}

SearchResult TargetSearch::result() const
{
    SearchResult result;
    result.archive = m_impl->archive;
    result.funnel = m_impl->funnel.counts();
    result.sources = m_impl->sources;
    for (std::size_t i = 0; i < m_impl->proposers.size(); ++i) {
        result.sources[i + 1].share = m_impl->bandit.share(i);
        for (ProposalCounts& part : m_impl->proposers[i]->parts())
            result.edits.push_back(std::move(part));
    }
    result.seconds = m_impl->seconds;
    result.interrupted = m_impl->options.cancel.cancelled();
    return result;
}

std::string gainsText(const SearchResult& result)
{
    const auto list = [](std::vector<ProposalCounts> counts) {
        std::erase_if(counts, [](const ProposalCounts& one) { return one.gain < 1.0005; });
        std::stable_sort(counts.begin(), counts.end(),
                         [](const ProposalCounts& a, const ProposalCounts& b) { return a.gain > b.gain; });
        std::vector<std::string> words;
        words.reserve(counts.size());
        for (const ProposalCounts& one : counts)
            words.push_back(fmt::format("{} {:+.1f} %", one.name, 100 * (one.gain - 1)));
        return fmt::format("{}", fmt::join(words, ", "));
    };
    auto found = result.sources;
    std::erase_if(found, [](const ProposalCounts& one) { return one.name == "bench"; });
    const std::string sources = list(std::move(found)), parts = list(result.edits);
    return parts.empty() || sources.empty() ? sources : sources + " (" + parts + ")";
}

Proposers makeProposers(const MatrixFeatures& features, const TargetVariant& variant,
                        const DeviceModel& model, const std::vector<std::string>& families)
{
    Proposers proposers;
    proposers.push_back(makeGridProposer(features, variant, model, families));
    proposers.push_back(makeEditProposer());
    return proposers;
}

Result<SearchResult> searchTarget(Judge& judge, const Target& target, const MatrixFeatures& features,
                                  Proposers proposers, const SearchOptions& options)
{
    TargetSearch search(judge, target, features, std::move(proposers), options);
    while (!search.isOver() && !options.cancel.cancelled()) {
        SPARSERL_CHECK(search.advance());
    }
    return search.result();
}

} // namespace sparserl

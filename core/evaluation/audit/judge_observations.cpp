// SPDX-License-Identifier: Apache-2.0
#include "evaluation/audit/judge_observations.h"

#include "base/interruption.h"
#include "base/rng.h"
#include "evaluation/cases/judged_call.h"
#include "evaluation/cases/value_kinds.h"
#include "evaluation/judge/make_judge.h"
#include "matrix/generate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <tuple>

namespace sparserl {

namespace {

constexpr double commonShare = 0.05;
constexpr std::int64_t denseColumns = 4;

/// What both tests and target have, in shares of their own.
struct Design
{
    CaseValues values = CaseValues::Ordinary;
    bool timedKind = false;
    AddressLayout layout = AddressLayout::Apart;
    bool everyCheck = false; ///< Schedules are others then.
    bool inOrder = false;

    // NOLINTNEXTLINE(modernize-use-nullptr): of the compiler's making
    auto operator<=>(const Design&) const = default;
};

Design designOf(const JudgedCall& call)
{
    Design design;
    // A matrix with a few changed values is as the target is, for everyone who does not know all of it.
    design.values = call.values == CaseValues::Changed ? CaseValues::Ordinary : call.values;
    design.timedKind = std::find(timedKinds.begin(), timedKinds.end(), call.kind) != timedKinds.end();
    design.layout = call.layout;
    design.everyCheck = call.checks == Checks::All;
    design.inOrder = call.schedule == Schedule::InOrder;
    return design;
}

std::string nameOf(const Design& design)
{
    constexpr std::array values{"ordinary", "changed", "exact", "wide"};
    constexpr std::array layouts{"apart", "together", "far"};
    return fmt::format("{} values, {}, {}{}{}", values[static_cast<std::size_t>(design.values)],
                       design.values == CaseValues::Exact ? "x of theirs"
                       : design.timedKind                 ? "x as timed"
                                                          : "special x",
                       layouts[static_cast<std::size_t>(design.layout)],
                       design.everyCheck ? ", every check" : "",
                       design.inOrder ? ", in order (the timed call, which is compared)" : "");
}

/// Calls of one execution follow each other, with the timed kind of x at the end.
bool sameExecution(const JudgedCall& a, const JudgedCall& b)
{
    const auto settings = [](const JudgedCall& call) {
        return std::tuple(call.target, call.values, call.checks, call.schedule, call.layout);
    };
    return settings(a) == settings(b) && (!designOf(a).timedKind || designOf(b).timedKind);
}

struct Call
{
    Design design;
    bool target = false;
    std::uint32_t word = 0;
    int execution = 0; ///< Calls of one share addresses and much else.
};

using Shares = std::array<double, observedFeatures>;

Shares sharesOf(const std::vector<Call>& calls, bool target)
{
    Shares shares{};
    double count = 0;
    for (const Call& call : calls) {
        if (call.target != target)
            continue;
        ++count;
        for (std::size_t bit = 0; bit < 32; ++bit)
            shares[bit] += call.word >> bit & 1;
        shares[32] += call.word == 0 ? 1 : 0;
    }
    for (double& share : shares)
        share /= std::max(count, 1.0);
    return shares;
}

double coverage(const std::vector<Call>& calls)
{
    const Shares tests = sharesOf(calls, false), target = sharesOf(calls, true);
    double least = 1;
    for (std::size_t f = 0; f < observedFeatures; ++f) {
        if (target[f] >= commonShare)
            least = std::min(least, tests[f]);
        if (1 - target[f] >= commonShare)
            least = std::min(least, 1 - tests[f]);
    }
    return least;
}

/// Another pattern and other values each time, as matrices have them.
Result<sparserl::Target> drawnTarget(int about, Rng& rng)
{
    const auto rows = static_cast<std::int64_t>(about * std::exp2(rng.uniform(-1, 1)));
    const auto cols = static_cast<std::int64_t>(about * std::exp2(rng.uniform(-1, 1)));
    SPARSERL_TRY(auto pattern, generate(fmt::format("random(rows={},cols={},mean=5,seed={})", rows, cols,
                                                    rng.below(1'000'000'000))));
    sparserl::Target target;
    target.matrix = std::make_shared<const Csr>(withDrawnValues(pattern, rng));
    target.id.contents = digest(*target.matrix);
    target.id.name = "drawn";
    return target;
}

class Observation
{
public:
    explicit Observation(const JudgeObservationOptions& options)
        : m_options(options)
        , m_rng(options.seed)
    {
        for (const JudgeObservable& one : judgeObservables())
            if (one.name.find(options.only) != std::string_view::npos) {
                if (!options.wanted || options.wanted(one.name)) {
                    m_programs.push_back(judgedProgram(one));
                    m_places.push_back(m_matching);
                    auto& row = m_rows.emplace_back();
                    row.observable = one;
                }
                ++m_matching;
            }
        m_runs.resize(m_rows.size());
        m_calls.resize(m_rows.size());
    }

    Result<JudgeObservations> run()
    {
        for (int i = 0; i < m_options.judges && !m_rows.empty(); ++i) {
            // Every other judge counts the target as too large to be checked whole.
            SPARSERL_CHECK(judgeOnce(i % 2 == 1));
            if (m_options.progress)
                m_options.progress((i + 1.0) / m_options.judges);
        }
        std::size_t compared = 0;
        for (const auto& row : m_rows)
            compared += row.observable.refusal.empty() ? 1 : 0;
        JudgeObservations found;
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            if (m_rows[i].verdict.empty()) {
                m_rows[i].difference =
                    compareGroups(m_runs[i], std::max<std::size_t>(compared, 1), m_options.level);
                m_rows[i].covered = coverage(m_calls[i]);
            }
            found.rows.push_back(m_rows[i]);
        }
        found.designs = designs();
        return found;
    }

private:
    Status judgeOnce(bool large)
    {
        const auto observer = std::make_shared<JudgeObserver>();
        observer->scratch = "seen";
        observer->control = static_cast<JudgeObserver::Control>(m_options.control);
        std::vector<std::vector<Call>> calls(m_rows.size());
        std::vector<std::optional<JudgedCall>> before(m_rows.size());
        std::vector<int> executions(m_rows.size());
        observer->call = [&](const JudgedCall& call) {
            const auto found = std::find(m_programs.begin(), m_programs.end(), call.program);
            if (found == m_programs.end())
                return;
            const auto row = static_cast<std::size_t>(found - m_programs.begin());
            executions[row] += before[row] && sameExecution(*before[row], call) ? 0 : 1;
            before[row] = call;
            calls[row].push_back({designOf(call), call.target, call.word, executions[row]});
        };
        JudgeOptions options;
        options.runnerPath = m_options.runnerPath;
        options.secretSeed = m_rng.next();
        options.everyKind = false; // By lot, as in training.
        if (large)
            options.fullCheckNnz = 0;
        options.observer = observer;
        SPARSERL_TRY(const auto judge, makeSimulatorJudge(options));
        SPARSERL_TRY(const auto target, drawnTarget(m_options.rows, m_rng));
        std::vector<std::uint64_t> seeds(m_matching);
        for (std::uint64_t& seed : seeds)
            seed = m_rng.next();
        std::vector<JudgeRequest> requests;
        for (std::size_t i = 0; i < m_rows.size(); ++i) {
            JudgeRequest request;
            request.program = m_programs[i];
            request.target = target;
            request.target.id.variant.columns = m_rows[i].observable.spmm ? denseColumns : 1;
            request.seed = seeds[m_places[i]];
            requests.push_back(std::move(request));
        }
        SPARSERL_TRY(const auto records, judge->judge(requests, m_options.cancel));
        for (std::size_t i = 0; i < records.size(); ++i) {
            if (records[i].correct())
                keep(i, calls[i]);
            else if (m_rows[i].verdict.empty())
                m_rows[i].verdict = std::string(nameOf(records[i].verdict));
        }
        return {};
    }

    /// One run of the statistics is one secret: as many calls of tests as of the target in each design, one
    /// of each execution, in pairs.
    void keep(std::size_t row, const std::vector<Call>& calls)
    {
        std::map<Design, std::array<std::vector<Call>, 2>> byDesign;
        for (const Call& call : calls) {
            auto& group = byDesign[call.design][call.target ? 1 : 0];
            if (group.empty() || group.back().execution != call.execution)
                group.push_back(call);
        }
        std::vector<Observed> run;
        int pair = 0;
        Rng rng = Rng(m_options.seed).derive(m_rows[row].observable.name).derive(m_runs[row].size());
        for (auto& [design, groups] : byDesign) {
            auto& [tests, target] = groups;
            rng.shuffle(tests);
            for (std::size_t i = 0; i < std::min(tests.size(), target.size()); ++i, ++pair) {
                run.push_back({true, tests[i].word, pair});
                run.push_back({false, target[i].word, pair});
            }
        }
        if (!run.empty())
            m_runs[row].push_back(std::move(run));
        m_calls[row].insert(m_calls[row].end(), calls.begin(), calls.end());
    }

    std::vector<JudgeDesign> designs() const
    {
        std::map<Design, std::array<double, 2>> counts;
        std::array<double, 2> all{};
        for (const auto& calls : m_calls)
            for (const Call& call : calls) {
                ++counts[call.design][call.target ? 1 : 0];
                ++all[call.target ? 1 : 0];
            }
        std::vector<JudgeDesign> found;
        found.reserve(counts.size());
        for (const auto& [design, count] : counts)
            found.push_back({nameOf(design), design.inOrder, count[0] / std::max(all[0], 1.0),
                             count[1] / std::max(all[1], 1.0)});
        return found;
    }

    const JudgeObservationOptions& m_options;
    Rng m_rng;
    std::vector<std::string> m_programs;
    std::size_t m_matching = 0;        ///< Observables with a name like `only`.
    std::vector<std::size_t> m_places; ///< Of each row, among these.
    std::vector<JudgeObservationRow> m_rows;
    std::vector<std::vector<std::vector<Observed>>> m_runs; ///< Of each row.
    std::vector<std::vector<Call>> m_calls;                 ///< The same, all.
};

} // namespace

bool stands(const JudgeDesign& design)
{
    return design.target > 0 && design.tests == 0 && !design.compared;
}

bool stands(const JudgeObservationRow& row, double level)
{
    if (row.observable.refusal != row.verdict)
        return true;
    return row.verdict.empty() && !row.observable.allowed && row.difference.p < level;
}

Result<JudgeObservations> observeJudges(const JudgeObservationOptions& options)
{
    return Observation(options).run();
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/run_curves.h"

#include "project/run/metrics.h"
#include "verdict/names.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace sparserl {

namespace {

bool sameMarks(const std::vector<ControlMark>& a, const std::vector<ControlMark>& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const ControlMark& x, const ControlMark& y) {
        return x.step == y.step && x.event.key == y.event.key && x.event.value == y.event.value &&
               x.event.command == y.event.command && x.event.outcome == y.event.outcome;
    });
}

} // namespace

Status TokenTable::extend(ProjectReader& reader, RunId run, const std::vector<MetricName>& metrics)
{
    // What is learnt from texts is counted from the start, what is sampled step by step.
    const auto counts = [&](const MetricId& name) {
        return std::any_of(metrics.begin(), metrics.end(), [&](const MetricName& metric) {
            return metric.name == name.text && metric.split == split::train;
        });
    };
    const bool total = counts(metric::tokensSeen);
    if (!total && !counts(metric::totalTokens))
        return {};
    const auto after = m_steps.empty() ? INT64_MIN : static_cast<std::int64_t>(m_steps.back());
    SPARSERL_TRY(const auto points,
                 reader.points(run, total ? metric::tokensSeen : metric::totalTokens, split::train, after));
    for (std::size_t i = 0; i < points.steps.size(); ++i) {
        const double before = m_tokens.empty() ? 0 : m_tokens.back();
        const double value = std::isfinite(points.values[i]) ? points.values[i] : 0;
        m_steps.push_back(points.steps[i]);
        m_tokens.push_back(total ? std::max(before, value) : before + value);
    }
    return {};
}

double TokenTable::at(double step) const
{
    const auto behind = std::upper_bound(m_steps.begin(), m_steps.end(), step);
    return behind == m_steps.begin() ? 0 : m_tokens[static_cast<std::size_t>(behind - m_steps.begin()) - 1];
}

namespace {

/// Gives the points of a chunk their tokens. Points that are newer than the table are left for the next time.
void countTokens(CurvesAnswer::Chunk& chunk, const TokenTable& tokens)
{
    MetricPoints& points = chunk.points;
    while (!points.steps.empty() && points.steps.back() > tokens.lastStep()) {
        points.steps.pop_back();
        points.values.pop_back();
        points.times.pop_back();
    }
    for (const double step : points.steps)
        chunk.tokens.push_back(tokens.at(step));
}

/// Where a fork comes from: its parent, and the step of the checkpoint that it goes on from.
struct ForkOrigin
{
    RunId parent = 0;
    std::int64_t step = 0;
};

/// Nothing for a run that is no fork, and where its parent is gone.
std::optional<ForkOrigin> originOf(ProjectReader& reader, RunId run)
{
    const auto config = reader.runConfig(run);
    if (!config || config->forkOf.empty())
        return std::nullopt;
    const auto parent = reader.runByName(config->forkOf);
    if (!parent)
        return std::nullopt;
    ForkOrigin origin{parent->id, 0};
    const std::string& name = config->forkCheckpoint; // "step-000400"
    const auto digits = name.find_first_of("0123456789");
    const char* const end = name.data() + name.size();
    if (digits == std::string::npos || std::from_chars(name.data() + digits, end, origin.step).ptr != end)
        return std::nullopt;
    return origin;
}

/// The parent's last point at the fork's step or before it. It is looked for from there backwards, further
/// each time: a metric may have a point at each step, or one in a thousand.
Result<std::optional<std::pair<double, double>>> branchOf(ProjectReader& reader, const ForkOrigin& origin,
                                                          const MetricName& metric)
{
    for (std::int64_t width = 64;; width *= 8) {
        const bool all = width > origin.step;
        SPARSERL_TRY(const auto points, reader.points(origin.parent, metric.name, metric.split,
                                                      all ? INT64_MIN : origin.step - width,
                                                      static_cast<std::size_t>(width) + 1));
        const auto step = static_cast<double>(origin.step);
        const auto behind = std::upper_bound(points.steps.begin(), points.steps.end(), step);
        if (behind != points.steps.begin()) {
            const auto at = static_cast<std::size_t>(behind - points.steps.begin()) - 1;
            return std::optional(std::pair(points.steps[at], points.values[at]));
        }
        if (all)
            return std::optional<std::pair<double, double>>();
    }
}

} // namespace

Result<CurvesAnswer> readCurves(ProjectReader& reader, const CurvesQuestion& question, std::size_t limit)
{
    CurvesAnswer answer;
    std::set<std::pair<std::string, std::string>> names;
    for (const RunId run : question.runs) {
        SPARSERL_TRY(const auto metrics, reader.metricNames(run));
        const auto table = question.tokens.find(run);
        const bool overTokens = table != question.tokens.end();
        if (overTokens)
            SPARSERL_CHECK(table->second->extend(reader, run, metrics));
        std::optional<std::optional<ForkOrigin>> origin; // once it was asked for
        for (const MetricName& metric : metrics) {
            names.emplace(metric.name, metric.split);
            if (!question.metrics.contains(metric.name) || (overTokens && table->second->empty()))
                continue;
            CurvesAnswer::Chunk chunk{{run, metric.name, metric.split}, {}, {}, false};
            const auto at = question.known.find(chunk.key);
            const KnownCurve known = at == question.known.end() ? KnownCurve() : at->second;
            if (known.points == metric.points)
                continue;
            if (limit == 0) {
                answer.more = true;
                continue;
            }
            const auto read = [&](std::int64_t after) {
                return reader.points(run, metric.name, metric.split, after, limit);
            };
            chunk.fromStart = known.points == 0;
            SPARSERL_TRY(chunk.points,
                         read(chunk.fromStart ? INT64_MIN : static_cast<std::int64_t>(known.lastStep)));
            // Fewer than there are: some came before the last one, or are gone. What is known does not hold.
            if (!chunk.fromStart && chunk.points.steps.size() < limit &&
                known.points + static_cast<std::int64_t>(chunk.points.steps.size()) != metric.points) {
                chunk.fromStart = true;
                SPARSERL_TRY(chunk.points, read(INT64_MIN));
            }
            if (chunk.fromStart && !overTokens && !chunk.points.steps.empty()) {
                if (!origin)
                    origin = originOf(reader, run);
                if (*origin) {
                    SPARSERL_TRY(chunk.branch, branchOf(reader, **origin, metric));
                }
                if (chunk.branch && chunk.branch->first >= chunk.points.steps.front())
                    chunk.branch.reset(); // it started again from the weights, at a step of its own
            }
            limit -= chunk.points.steps.size();
            answer.more = answer.more || limit == 0;
            if (overTokens)
                countTokens(chunk, *table->second);
            if (!overTokens || chunk.fromStart || !chunk.tokens.empty())
                answer.chunks.push_back(std::move(chunk));
        }
    }
    answer.names.assign(names.begin(), names.end());
    if (!question.runs.empty()) {
        SPARSERL_TRY(answer.marks, reader.controlMarks(question.runs.front()));
        if (const auto table = question.tokens.find(question.runs.front()); table != question.tokens.end())
            for (const ControlMark& mark : answer.marks)
                answer.markTokens.push_back(table->second->at(static_cast<double>(mark.step)));
    }
    return answer;
}

bool sameRuns(const std::vector<RunSummary>& left, const std::vector<RunSummary>& right)
{
    return std::equal(left.begin(), left.end(), right.begin(), right.end(),
                      [](const RunSummary& a, const RunSummary& b) { return a.id == b.id; });
}

const RunSummary* RunCurves::run(RunId id) const
{
    for (const RunSummary& run : m_runs)
        if (run.id == id)
            return &run;
    return nullptr;
}

void RunCurves::setRuns(const std::vector<RunSummary>& runs, Axis axis)
{
    if (axis != m_axis) {
        m_curves.clear();
        m_tokens.clear();
    }
    const std::vector<RunSummary> old = std::exchange(m_runs, runs);
    m_read = m_read && sameRuns(old, runs);
    m_axis = axis;
    // A resume may bring other values in the same number of points.
    std::erase_if(m_curves, [&](const auto& entry) {
        const RunSummary* now = run(entry.first.run);
        const auto before = std::find_if(old.begin(), old.end(),
                                         [&](const RunSummary& r) { return r.id == entry.first.run; });
        return !now || before == old.end() || before->generation != now->generation;
    });
    for (const RunSummary& before : old) {
        const RunSummary* now = run(before.id);
        if (!now || now->generation != before.generation)
            m_tokens.erase(before.id);
    }
    if (axis == Axis::Tokens)
        for (const RunSummary& now : runs)
            if (auto& table = m_tokens[now.id]; !table)
                table = std::make_shared<TokenTable>();
    if (old.empty() || runs.empty() || old.front().id != runs.front().id)
        m_marks.clear();
    m_bands.clear();
}

void RunCurves::setGroups(std::vector<RunGroup> groups)
{
    std::erase_if(groups, [this](const RunGroup& group) {
        return std::none_of(group.runs.begin(), group.runs.end(), [this](RunId id) { return run(id); });
    });
    m_groups = std::move(groups);
    m_bands.clear();
}

std::vector<CurveSubject> RunCurves::subjects() const
{
    std::vector<CurveSubject> all;
    std::set<RunId> grouped;
    for (std::size_t i = 0; i < m_groups.size(); ++i) {
        all.push_back({m_groups[i].label, m_groups[i].colour, 0, static_cast<int>(i)});
        grouped.insert(m_groups[i].runs.begin(), m_groups[i].runs.end());
    }
    for (const RunSummary& run : m_runs)
        if (!grouped.contains(run.id))
            all.push_back(
                {run.title.empty() ? run.name : run.title, std::max(0, run.notes.colour), run.id, -1});
    return all;
}

CurveBand RunCurves::find(const CurveSubject& subject, const std::string& metric,
                          const std::string& split) const
{
    if (subject.group < 0)
        return {find({subject.run, metric, split}), nullptr, nullptr};
    const auto [at, fresh] = m_bands.try_emplace({subject.group, metric, split});
    if (fresh) {
        std::vector<std::shared_ptr<const Curve>> curves;
        for (const RunId id : m_groups[static_cast<std::size_t>(subject.group)].runs)
            if (auto curve = find({id, metric, split}))
                curves.push_back(std::move(curve));
        at->second = bandOf(curves);
        if (at->second.mean)
            at->second.mean->setSmoothing(m_smoothing);
    }
    return at->second;
}

void RunCurves::setMetrics(const std::set<std::string>& metrics)
{
    m_metrics = metrics;
    std::erase_if(m_curves, [&](const auto& entry) { return !metrics.contains(entry.first.metric); });
}

void RunCurves::setSmoothing(double weight)
{
    m_smoothing = weight;
    m_bands.clear();
    for (auto& [key, kept] : m_curves)
        kept.curve->setSmoothing(weight);
}

CurvesQuestion RunCurves::question() const
{
    CurvesQuestion question;
    question.metrics = m_metrics;
    question.tokens = m_tokens;
    for (const RunSummary& run : m_runs)
        question.runs.push_back(run.id);
    for (const auto& [key, kept] : m_curves)
        question.known[key] = {static_cast<std::int64_t>(kept.curve->size()) - kept.branch, kept.lastStep};
    return question;
}

bool RunCurves::apply(CurvesAnswer answer)
{
    bool changed =
        !std::exchange(m_read, true) || answer.names != m_names || !sameMarks(answer.marks, m_marks);
    m_names = std::move(answer.names);
    m_marks = std::move(answer.marks);
    m_markTokens = std::move(answer.markTokens);
    for (CurvesAnswer::Chunk& chunk : answer.chunks) {
        const RunSummary* owner = run(chunk.key.run);
        if (!owner)
            continue;
        changed = true;
        m_bands.clear();
        if (chunk.fromStart)
            m_curves.erase(chunk.key);
        const auto [at, fresh] = m_curves.try_emplace(chunk.key);
        Kept& kept = at->second;
        if (fresh)
            kept.curve->setSmoothing(m_smoothing);
        if (m_axis == Axis::Time) {
            for (double& t : chunk.points.times)
                t -= owner->created;
            kept.curve->append(chunk.points.times, chunk.points.values);
        } else if (m_axis == Axis::Clock) {
            kept.curve->append(chunk.points.times, chunk.points.values);
        } else if (m_axis == Axis::Tokens) {
            kept.curve->append(chunk.tokens, chunk.points.values);
        } else {
            if (fresh && chunk.branch) {
                kept.curve->append(chunk.branch->first, chunk.branch->second);
                kept.branch = 1;
            }
            kept.curve->append(chunk.points.steps, chunk.points.values);
        }
        if (!chunk.points.steps.empty())
            kept.lastStep = chunk.points.steps.back();
    }
    return changed;
}

double RunCurves::markAt(std::size_t mark) const
{
    if (m_axis == Axis::Time)
        return m_marks[mark].t - m_runs.front().created;
    if (m_axis == Axis::Clock)
        return m_marks[mark].t;
    return m_axis == Axis::Tokens && mark < m_markTokens.size() ? m_markTokens[mark]
                                                                : static_cast<double>(m_marks[mark].step);
}

std::shared_ptr<Curve> RunCurves::find(const CurveKey& key) const
{
    const auto at = m_curves.find(key);
    return at == m_curves.end() || at->second.curve->empty() ? nullptr : at->second.curve;
}

} // namespace sparserl

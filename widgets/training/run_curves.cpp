// SPDX-License-Identifier: Apache-2.0
#include "widgets/training/run_curves.h"

#include <algorithm>

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

Result<CurvesAnswer> readCurves(ProjectReader& reader, const CurvesQuestion& question, std::size_t limit)
{
    CurvesAnswer answer;
    std::set<std::pair<std::string, std::string>> names;
    for (const RunId run : question.runs) {
        SPARSERL_TRY(const auto metrics, reader.metricNames(run));
        for (const MetricName& metric : metrics) {
            names.emplace(metric.name, metric.split);
            if (!question.metrics.contains(metric.name))
                continue;
            CurvesAnswer::Chunk chunk{{run, metric.name, metric.split}, {}, false};
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
            limit -= chunk.points.steps.size();
            answer.more = answer.more || limit == 0;
            answer.chunks.push_back(std::move(chunk));
        }
    }
    answer.names.assign(names.begin(), names.end());
    if (!question.runs.empty()) {
        SPARSERL_TRY(answer.marks, reader.controlMarks(question.runs.front()));
    }
    return answer;
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
    if (axis != m_axis)
        m_curves.clear();
    const std::vector<RunSummary> old = std::exchange(m_runs, runs);
    m_axis = axis;
    // A resume may bring other values in the same number of points.
    std::erase_if(m_curves, [&](const auto& entry) {
        const RunSummary* now = run(entry.first.run);
        const auto before = std::find_if(old.begin(), old.end(),
                                         [&](const RunSummary& r) { return r.id == entry.first.run; });
        return !now || before == old.end() || before->generation != now->generation;
    });
    if (old.empty() || runs.empty() || old.front().id != runs.front().id)
        m_marks.clear();
}

void RunCurves::setMetrics(const std::set<std::string>& metrics)
{
    m_metrics = metrics;
    std::erase_if(m_curves, [&](const auto& entry) { return !metrics.contains(entry.first.metric); });
}

void RunCurves::setSmoothing(double weight)
{
    m_smoothing = weight;
    for (auto& [key, kept] : m_curves)
        kept.curve->setSmoothing(weight);
}

CurvesQuestion RunCurves::question() const
{
    CurvesQuestion question;
    question.metrics = m_metrics;
    for (const RunSummary& run : m_runs)
        question.runs.push_back(run.id);
    for (const auto& [key, kept] : m_curves)
        question.known[key] = {static_cast<std::int64_t>(kept.curve->size()), kept.lastStep};
    return question;
}

bool RunCurves::apply(CurvesAnswer answer)
{
    bool changed = answer.names != m_names || !sameMarks(answer.marks, m_marks);
    m_names = std::move(answer.names);
    m_marks = std::move(answer.marks);
    for (CurvesAnswer::Chunk& chunk : answer.chunks) {
        const RunSummary* owner = run(chunk.key.run);
        if (!owner)
            continue;
        changed = true;
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
        } else {
            kept.curve->append(chunk.points.steps, chunk.points.values);
        }
        if (!chunk.points.steps.empty())
            kept.lastStep = chunk.points.steps.back();
    }
    return changed;
}

std::shared_ptr<Curve> RunCurves::find(const CurveKey& key) const
{
    const auto at = m_curves.find(key);
    return at == m_curves.end() || at->second.curve->empty() ? nullptr : at->second.curve;
}

} // namespace sparserl

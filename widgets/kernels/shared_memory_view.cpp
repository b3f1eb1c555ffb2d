// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/shared_memory_view.h"

#include "base/interruption.h"
#include "target/target_text.h"
#include "target/workload.h"
#include "widgets/common/chart_widget.h"
#include "widgets/common/format.h"
#include "widgets/common/target_text.h"

#include <algorithm>
#include <array>
#include <map>

namespace sparserl {

namespace {

constexpr std::size_t mostPoints = 3000; // a record each is read
/// Colours that are told apart, of the palette's own; the one most like another is the last.
constexpr std::array<int, 6> familyColours{0, 1, 2, 3, 5, 4};
constexpr std::size_t mostFamilies = familyColours.size();
constexpr qsizetype fewFamilies = 3;

/// Whole names have no room in the legend of a low chart; the number tells families of one format apart. Many
/// families have only their numbers, which the list beside the chart explains.
QString shortName(const QString& family, bool many)
{
    return many ? family.section(QStringLiteral(" · "), 0, 0) : family.section(QLatin1Char(','), 0, 0);
}

} // namespace

SharedMemoryView::SharedMemoryView(QWidget* parent)
    : NotedChart(parent)
{
    draw();
}

void SharedMemoryView::setSession(ProjectSession* session)
{
    m_cancel.cancel();
    m_jobs.cancel();
    m_session = session;
    m_stale = true;
    m_program.reset();
    m_answer = {};
    draw();
}

void SharedMemoryView::setFilter(const CandidateFilter& filter)
{
    if (filter == m_filter && !m_stale)
        return;
    m_filter = filter;
    m_stale = true;
    if (isVisible())
        ask();
}

void SharedMemoryView::setProgram(const std::optional<CandidateRow>& program)
{
    const bool sameTarget =
        program ? m_program && program->target == m_program->target : !m_program.has_value();
    const bool same = sameTarget && (!program || program->id == m_program->id);
    m_program = program;
    if (!sameTarget) {
        m_answer = {};
        m_stale = true;
        if (isVisible())
            ask();
    }
    if (!same)
        draw();
}

void SharedMemoryView::showEvent(QShowEvent* event)
{
    NotedChart::showEvent(event);
    if (m_stale)
        ask();
}

// Programs for other matrices have other work to do: one cloud of all of them would seem to compare families.
Result<SharedMemoryView::Answer> SharedMemoryView::read(ProjectReader& reader, const CandidateFilter& filter,
                                                        const TargetId& target, const CancelToken& cancel)
{
    CandidateFilter correct = filter;
    const std::string wanted(nameOf(Verdict::Correct));
    if (!correct.verdicts.empty() &&
        std::find(correct.verdicts.begin(), correct.verdicts.end(), wanted) == correct.verdicts.end())
        return Answer{};
    correct.verdicts = {wanted};
    correct.matrices = {target.contents};
    correct.tasks = {taskWords(target.variant)};
    SPARSERL_TRY(auto ids, reader.candidateOrder(correct, CandidateSort::Speedup, true, cancel));
    SPARSERL_TRY(const auto matrices, reader.matrices());
    std::map<std::string, std::int64_t> nnz;
    for (const MatrixRow& matrix : matrices)
        nnz[matrix.digest] = matrix.nnz;
    Answer answer;
    answer.all = ids.size();
    ids.resize(std::min(ids.size(), mostPoints));
    SPARSERL_TRY(const auto rows, reader.candidateRows(ids));
    for (const CandidateRow& row : rows) {
        if (cancel.cancelled())
            return fail(interruption());
        if (row.target != target) { // another number of columns
            --answer.all;
            continue;
        }
        SPARSERL_TRY(const auto record, reader.verdict(row.id));
        const auto entries = nnz.find(row.target.contents);
        if (!record || !record->warm || record->warm->median <= 0 || entries == nnz.end())
            continue;
        constexpr double bytesPerKib = 1024;
        answer.points.push_back(
            {static_cast<double>(record->staticShared + record->dynamicShared) / bytesPerKib,
             workloadOf(record->target, entries->second).gflops(record->warm->median), row.family, row.id,
             row.programHash});
    }
    return answer;
}

void SharedMemoryView::ask()
{
    m_cancel.cancel();
    if (!m_session || !m_program)
        return;
    m_cancel = CancelToken();
    m_stale = false;
    m_session->search<Answer>(
        m_jobs,
        [filter = m_filter, target = m_program->target, cancel = m_cancel](ProjectReader& reader) {
            return read(reader, filter, target, cancel);
        },
        [this](Result<Answer> answer) {
            if (answer) {
                m_answer = std::move(*answer);
                draw();
            } else if (!isInterruption(answer.error())) {
                setNote(sentenceOf(answer.error()));
            }
        });
}

void SharedMemoryView::draw()
{
    ChartData figure;
    figure.title = tr("Speed against shared memory");
    figure.hint = tr("GFLOPS, higher is better");
    figure.xLabel = tr("KiB of shared memory per block");
    figure.zeroBased = true;
    figure.emptyText = m_program ? tr("None of the listed programs for this matrix was timed.")
                                 : tr("Select a program to see the programs for its matrix.");
    std::map<std::string, std::vector<Point>> families;
    for (const Point& point : m_answer.points)
        families[point.family].push_back(point);
    std::vector<std::pair<std::string, std::vector<Point>>> sorted(families.begin(), families.end());
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const auto& x, const auto& y) { return x.second.size() > y.second.size(); });
    while (sorted.size() > mostFamilies) { // what has few members is one colour
        auto& last = sorted[mostFamilies - 1];
        last.second.insert(last.second.end(), sorted.back().second.begin(), sorted.back().second.end());
        last.first = tr("others").toStdString();
        sorted.pop_back();
    }
    for (auto& [family, points] : sorted) {
        std::sort(points.begin(), points.end(), [](const Point& x, const Point& y) { return x.kib < y.kib; });
        ChartSeries series;
        series.name = family.empty() ? tr("no family") : familyText(family);
        series.kind = ChartKind::Points;
        series.colour = familyColours[static_cast<std::size_t>(figure.series.size())];
        for (const Point& point : points)
            series.curve->append(point.kib, point.gflops);
        figure.series.append(series);
    }
    for (int i = 0; i < figure.series.size(); ++i)
        figure.legend.append({shortName(figure.series[i].name, figure.series.size() > fewFamilies),
                              {i},
                              figure.series[i].colour});
    // The list may show a program once that several runs have written.
    const auto own = std::find_if(m_answer.points.begin(), m_answer.points.end(), [this](const Point& point) {
        return m_program && (point.id == m_program->id || point.programHash == m_program->programHash);
    });
    if (own != m_answer.points.end()) {
        ChartSeries mark; // last, so that it is seen above what is near it
        mark.name = tr("this program");
        mark.kind = ChartKind::LinesAndPoints;
        mark.colour = -1;
        mark.strong = true;
        mark.curve->append(own->kib, own->gflops);
        figure.legend.append({mark.name, {static_cast<int>(figure.series.size())}, -1, 0, true});
        figure.series.append(mark);
    }
    chart()->setData(figure);
    chart()->showAll();
    setNote(noteText());
}

QString SharedMemoryView::noteText() const
{
    const auto shown = static_cast<std::int64_t>(m_answer.points.size());
    const auto all = static_cast<std::int64_t>(m_answer.all);
    if (shown == 0 || !m_program)
        return {};
    const QString target = targetText(m_program->target);
    return shown == all ? tr("All %1 correct programs of the list for %2.").arg(formatCount(all), target)
                        : tr("The %1 correct programs for %3 with the highest speed-up, of %2 in the list.")
                              .arg(formatCount(shown), formatCount(all), target);
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/shared_memory_view.h"

#include "base/interruption.h"
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

} // namespace

SharedMemoryView::SharedMemoryView(QWidget* parent)
    : NotedChart(parent)
{
    draw({});
}

void SharedMemoryView::setSession(ProjectSession* session)
{
    m_cancel.cancel();
    m_jobs.cancel();
    m_session = session;
    m_stale = true;
    draw({});
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

void SharedMemoryView::showEvent(QShowEvent* event)
{
    NotedChart::showEvent(event);
    if (m_stale)
        ask();
}

Result<SharedMemoryView::Answer> SharedMemoryView::read(ProjectReader& reader, const CandidateFilter& filter,
                                                        const CancelToken& cancel)
{
    CandidateFilter correct = filter;
    const std::string wanted(nameOf(Verdict::Correct));
    if (!correct.verdicts.empty() &&
        std::find(correct.verdicts.begin(), correct.verdicts.end(), wanted) == correct.verdicts.end())
        return Answer{};
    correct.verdicts = {wanted};
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
        SPARSERL_TRY(const auto record, reader.verdict(row.id));
        const auto entries = nnz.find(row.target.contents);
        if (!record || !record->warm || record->warm->median <= 0 || entries == nnz.end())
            continue;
        constexpr double bytesPerKib = 1024;
        answer.points.push_back(
            {static_cast<double>(record->staticShared + record->dynamicShared) / bytesPerKib,
             workloadOf(record->target, entries->second).gflops(record->warm->median), row.family});
    }
    return answer;
}

void SharedMemoryView::ask()
{
    if (!m_session)
        return;
    m_cancel.cancel();
    m_cancel = CancelToken();
    m_stale = false;
    m_session->search<Answer>(
        m_jobs,
        [filter = m_filter, cancel = m_cancel](ProjectReader& reader) {
            return read(reader, filter, cancel);
        },
        [this](Result<Answer> answer) {
            if (answer)
                draw(*answer);
            else if (!isInterruption(answer.error()))
                setNote(sentenceOf(answer.error()));
        });
}

void SharedMemoryView::draw(const Answer& answer)
{
    ChartData figure;
    figure.title = tr("Speed against shared memory");
    figure.hint = tr("GFLOPS, higher is better");
    figure.xLabel = tr("KiB of shared memory per block");
    figure.zeroBased = true;
    figure.emptyText = tr("None of the listed programs was timed.");
    std::map<std::string, std::vector<Point>> families;
    for (const Point& point : answer.points)
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
    chart()->setData(figure);
    chart()->showAll();
    const auto shown = static_cast<std::int64_t>(answer.points.size());
    const auto all = static_cast<std::int64_t>(answer.all);
    setNote(shown == 0     ? QString()
            : shown == all ? tr("All %1 correct programs of the list.").arg(formatCount(all))
                           : tr("The %1 correct programs with the highest speed-up, of %2 in the list.")
                                 .arg(formatCount(shown), formatCount(all)));
}

} // namespace sparserl

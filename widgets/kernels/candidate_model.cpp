// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/candidate_model.h"

#include "widgets/common/format.h"
#include "widgets/kernels/verdict_text.h"

#include <algorithm>
#include <cmath>

namespace sparserl {

namespace {

constexpr std::size_t pageSize = 200;

struct Answer
{
    CandidatePage page;
    std::int64_t total = 0;
};

} // namespace

CandidateModel::CandidateModel(QObject* parent)
    : QAbstractTableModel(parent)
{
    m_filter.distinctPrograms = true;
}

void CandidateModel::setSession(ProjectSession* session)
{
    m_jobs.cancel();
    m_session = session;
    beginResetModel();
    m_rows.clear();
    m_next.reset();
    m_total = 0;
    endResetModel();
}

void CandidateModel::setFilter(const CandidateFilter& filter)
{
    m_filter = filter;
    m_jobs.cancel();
    m_again = false;
    ask(pageSize, true);
}

void CandidateModel::reload()
{
    if (m_jobs.running()) {
        m_again = true;
        return;
    }
    ask(std::max(pageSize, m_rows.size()), true);
}

void CandidateModel::ask(std::size_t count, bool fresh)
{
    if (!m_session)
        return;
    const auto filter = m_filter;
    const auto sort = m_sort;
    const bool descending = m_descending;
    const auto after = fresh ? std::optional<CandidateCursor>() : m_next;
    m_session->query<Answer>(
        m_jobs,
        [=](ProjectReader& reader) -> Result<Answer> {
            Answer answer;
            SPARSERL_TRY(auto page, reader.candidates(filter, sort, descending, count, after));
            SPARSERL_TRY(auto total, reader.candidateCount(filter));
            return Answer{std::move(page), total};
        },
        [this, fresh](Result<Answer> answer) {
            if (!answer) {
                Q_EMIT problem(sentenceOf(answer.error()));
                return;
            }
            m_total = answer->total;
            take(std::move(answer->page), fresh);
            Q_EMIT loaded();
            if (std::exchange(m_again, false))
                reload();
        });
}

void CandidateModel::take(CandidatePage page, bool fresh)
{
    m_next = page.next;
    if (!fresh) {
        if (page.rows.empty())
            return;
        const int first = static_cast<int>(m_rows.size());
        beginInsertRows({}, first, first + static_cast<int>(page.rows.size()) - 1);
        std::move(page.rows.begin(), page.rows.end(), std::back_inserter(m_rows));
        endInsertRows();
        return;
    }
    const bool sameRows =
        page.rows.size() == m_rows.size() &&
        std::equal(page.rows.begin(), page.rows.end(), m_rows.begin(),
                   [](const CandidateRow& a, const CandidateRow& b) { return a.id == b.id; });
    if (sameRows) {
        m_rows = std::move(page.rows);
        if (!m_rows.empty())
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, CandidateColumns - 1));
        return;
    }
    // Rows move when better ones arrive: persistent indexes follow their candidates.
    Q_EMIT layoutAboutToBeChanged();
    const QModelIndexList before = persistentIndexList();
    std::vector<CandidateId> ids;
    for (const QModelIndex& i : before)
        ids.push_back(m_rows[i.row()].id);
    m_rows = std::move(page.rows);
    QModelIndexList after;
    for (qsizetype i = 0; i < before.size(); ++i) {
        const QModelIndex found = indexOf(ids[i]);
        after.append(found.isValid() ? found.siblingAtColumn(before[i].column()) : QModelIndex());
    }
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged();
}

const CandidateRow* CandidateModel::row(const QModelIndex& index) const
{
    return index.isValid() && index.row() < rowCount() ? &m_rows[index.row()] : nullptr;
}

QModelIndex CandidateModel::indexOf(CandidateId id) const
{
    for (std::size_t i = 0; i < m_rows.size(); ++i)
        if (m_rows[i].id == id)
            return index(static_cast<int>(i), 0);
    return {};
}

int CandidateModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int CandidateModel::columnCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : CandidateColumns;
}

QVariant CandidateModel::text(const CandidateRow& row, int column) const
{
    switch (column) {
    case CandidateVerdict:
        return verdictText(row.verdict);
    case CandidateMatrix:
        return QString((row.starred ? QStringLiteral("★ ") : QString()) + targetText(row.target));
    case CandidateFamily:
        return row.family.empty() ? QStringLiteral("–") : toQString(row.family);
    case CandidateSpeedup:
        return formatRatio(row.speedup);
    case CandidateTime:
        return row.microseconds > 0 ? formatMicroseconds(row.microseconds) : QStringLiteral("–");
    case CandidateReward:
        return std::isnan(row.reward) ? QStringLiteral("–") : formatNumber(row.reward, 3);
    case CandidateStep:
        return formatCount(row.step);
    case CandidateRun:
        return toQString(row.runName);
    default:
        return {};
    }
}

QVariant CandidateModel::toolTip(const CandidateRow& row, int column) const
{
    if (column == CandidateVerdict) {
        QStringList lines{verdictHelp(row.verdict)};
        if (!row.message.empty())
            lines.append(toQString(row.message));
        for (const std::string& flag : row.flags)
            lines.append(tr("Flag: %1").arg(toQString(flag)));
        return lines.join(QLatin1Char('\n'));
    }
    if (!row.note.empty())
        return toQString(row.note);
    return {};
}

QVariant CandidateModel::data(const QModelIndex& index, int role) const
{
    const CandidateRow* candidate = row(index);
    if (!candidate)
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return text(*candidate, index.column());
    case Qt::ToolTipRole:
        return toolTip(*candidate, index.column());
    case ToneRole:
        return static_cast<int>(verdictTone(candidate->verdict));
    case KeyRole:
        return toQString(candidate->programHash);
    case Qt::TextAlignmentRole:
        return static_cast<int>(Qt::AlignVCenter |
                                (index.column() >= CandidateSpeedup && index.column() <= CandidateStep
                                     ? Qt::AlignRight
                                     : Qt::AlignLeft));
    default:
        return {};
    }
}

QVariant CandidateModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= CandidateColumns)
        return {};
    static const char* const titles[] = {QT_TR_NOOP("Verdict"),  QT_TR_NOOP("Matrix"), QT_TR_NOOP("Family"),
                                         QT_TR_NOOP("Speed-up"), QT_TR_NOOP("Time"),   QT_TR_NOOP("Reward"),
                                         QT_TR_NOOP("Step"),     QT_TR_NOOP("Run")};
    static const char* const tips[] = {
        QT_TR_NOOP("What became of the program on the matrix."),
        QT_TR_NOOP("The matrix it was written for."),
        QT_TR_NOOP("The kernel family it belongs to, where it is known."),
        QT_TR_NOOP(
            "Baseline time over its own time; above 1 it is faster. The baseline is named in the profile."),
        QT_TR_NOOP("Warm time of one call, median; lower is better."),
        QT_TR_NOOP("The reward it earned; higher is better."),
        QT_TR_NOOP("The training step it was sampled at."),
        QT_TR_NOOP("The run it comes from.")};
    if (role == Qt::DisplayRole)
        return tr(titles[section]);
    if (role == Qt::ToolTipRole)
        return tr(tips[section]);
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>(
            Qt::AlignVCenter |
            (section >= CandidateSpeedup && section <= CandidateStep ? Qt::AlignRight : Qt::AlignLeft));
    return {};
}

bool CandidateModel::canFetchMore(const QModelIndex& parent) const
{
    return !parent.isValid() && m_next.has_value() && !m_jobs.running();
}

void CandidateModel::fetchMore(const QModelIndex& parent)
{
    if (canFetchMore(parent))
        ask(pageSize, false);
}

void CandidateModel::sort(int column, Qt::SortOrder order)
{
    static const std::pair<int, CandidateSort> columns[] = {
        {CandidateVerdict, CandidateSort::Verdict}, {CandidateMatrix, CandidateSort::Matrix},
        {CandidateSpeedup, CandidateSort::Speedup}, {CandidateTime, CandidateSort::Microseconds},
        {CandidateReward, CandidateSort::Reward},   {CandidateStep, CandidateSort::Step}};
    m_sort = CandidateSort::Time;
    for (const auto& [c, sort] : columns)
        if (c == column)
            m_sort = sort;
    m_descending = order == Qt::DescendingOrder;
    m_jobs.cancel();
    ask(pageSize, true);
}

} // namespace sparserl

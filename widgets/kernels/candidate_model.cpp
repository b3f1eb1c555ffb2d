// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/candidate_model.h"

#include "base/interruption.h"
#include "verdict/names.h"
#include "widgets/common/format.h"
#include "widgets/common/target_text.h"
#include "widgets/kernels/column_text.h"
#include "widgets/kernels/verdict_text.h"

#include <QTimer>
#include <algorithm>

namespace sparserl {

namespace {

constexpr int pageSize = 64;
constexpr std::size_t pagesAtOnce = 4;
constexpr std::size_t mostRows = 20'000; // kept; a screen shows a hundred
constexpr int restPerWork = 10;          // asks again after ten times what the last answer took

void applyVerdict(CandidateRow& row, const VerdictRecord& record)
{
    row.verdict = record.verdict;
    row.flags = listedFlags(record);
    row.flags.add(VerdictFlag::VerifiedAgain);
    row.message = record.message;
    row.speedup = record.correct() ? record.speedup() : 0;
    row.microseconds = record.correct() && record.warm ? record.warm->median : 0;
}

struct Answer
{
    std::vector<CandidateId> order;
    std::vector<CandidateRow> first;
};

CandidateSort sortOf(int column)
{
    static const std::pair<int, CandidateSort> columns[] = {
        {CandidateVerdict, CandidateSort::Verdict},   {CandidateMatrix, CandidateSort::Matrix},
        {CandidateFamily, CandidateSort::Family},     {CandidateSpeedup, CandidateSort::Speedup},
        {CandidateTime, CandidateSort::Microseconds}, {CandidateReward, CandidateSort::Reward},
        {CandidateStep, CandidateSort::Step},         {CandidateRun, CandidateSort::Run}};
    for (const auto& [c, sort] : columns)
        if (c == column)
            return sort;
    return CandidateSort::Time;
}

} // namespace

CandidateModel::CandidateModel(QObject* parent)
    : QAbstractTableModel(parent)
    , m_progress(std::make_shared<std::atomic<double>>(0))
    , m_pace(new QTimer(this))
    , m_fetch(new QTimer(this))
{
    m_wanted.filter.distinctPrograms = true;
    m_shown = m_wanted;
    m_pace->setSingleShot(true);
    m_fetch->setSingleShot(true);
    connect(m_pace, &QTimer::timeout, this, [this] {
        if (std::exchange(m_again, false))
            reload();
    });
    connect(m_fetch, &QTimer::timeout, this, &CandidateModel::fetch);
}

CandidateModel::~CandidateModel()
{
    m_cancel.cancel();
}

void CandidateModel::setSession(ProjectSession* session)
{
    m_cancel.cancel();
    m_jobs.cancel();
    m_rowJobs.cancel();
    m_pace->stop();
    m_fetch->stop();
    m_session = session;
    beginResetModel();
    m_order.clear();
    m_rows.clear();
    m_missing.clear();
    m_judgedAgain.clear();
    m_again = false;
    m_shown = m_wanted;
    endResetModel();
}

void CandidateModel::setFilter(const CandidateFilter& filter)
{
    m_wanted.filter = filter;
    ask(Change::Filtered);
}

void CandidateModel::setFilterAndSort(const CandidateFilter& filter, int column, Qt::SortOrder order)
{
    m_wanted = {filter, column, order == Qt::DescendingOrder};
    ask(Change::Filtered);
}

void CandidateModel::reload()
{
    if (m_jobs.running() || m_pace->isActive()) {
        m_again = true;
        return;
    }
    ask(Change::Reloaded);
}

void CandidateModel::cancelSearch()
{
    m_cancel.cancel();
    m_jobs.cancel();
    m_wanted = m_shown;
    Q_EMIT searchCancelled();
}

void CandidateModel::ask(Change change)
{
    if (!m_session)
        return;
    m_cancel.cancel(); // what was asked before is not wanted any more
    m_cancel = CancelToken();
    m_progress = std::make_shared<std::atomic<double>>(0);
    m_again = false;
    m_clock.start();
    m_session->search<Answer>(
        m_jobs,
        [question = m_wanted, cancel = m_cancel,
         progress = m_progress](ProjectReader& reader) -> Result<Answer> {
            Answer answer;
            SPARSERL_TRY(answer.order, reader.candidateOrder(
                                           question.filter, sortOf(question.column), question.descending,
                                           cancel, [&](double part, std::string_view) { *progress = part; }));
            const auto first = std::min<std::size_t>(answer.order.size(), pageSize);
            SPARSERL_TRY(answer.first,
                         reader.candidateRows({answer.order.begin(),
                                               answer.order.begin() + static_cast<std::ptrdiff_t>(first)}));
            return answer;
        },
        [this, change, asked = m_wanted](Result<Answer> answer) {
            if (!answer) {
                if (!isInterruption(answer.error()))
                    Q_EMIT problem(sentenceOf(answer.error()));
                return;
            }
            m_shown = asked;
            ++m_generation;
            const auto first =
                answer->order.begin() + std::min<std::ptrdiff_t>(pageSize, std::ssize(answer->order));
            keep({answer->order.begin(), first}, std::move(answer->first), m_generation);
            takeOrder(std::move(answer->order));
            m_pace->start(static_cast<int>(std::min<qint64>(restPerWork * m_clock.elapsed(), 10'000)));
            Q_EMIT loaded(change);
        });
}

void CandidateModel::takeOrder(std::vector<CandidateId> order)
{
    if (order == m_order) {
        if (!m_order.empty())
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, CandidateColumns - 1));
        return;
    }
    // Rows move when better ones arrive: persistent indexes follow their candidates.
    Q_EMIT layoutAboutToBeChanged();
    const QModelIndexList before = persistentIndexList();
    std::unordered_map<CandidateId, int, IdHash> rows;
    for (const QModelIndex& i : before)
        rows.emplace(m_order[static_cast<std::size_t>(i.row())], -1);
    std::vector<CandidateId> old = std::exchange(m_order, std::move(order));
    m_missing.clear();
    if (!rows.empty())
        for (std::size_t i = 0; i < m_order.size(); ++i)
            if (const auto place = rows.find(m_order[i]); place != rows.end())
                place->second = static_cast<int>(i);
    QModelIndexList after;
    for (const QModelIndex& i : before) {
        const int row = rows.at(old[static_cast<std::size_t>(i.row())]);
        after.append(row >= 0 ? index(row, i.column()) : QModelIndex());
    }
    changePersistentIndexList(before, after);
    Q_EMIT layoutChanged();
}

void CandidateModel::fetch()
{
    if (m_missing.empty() || m_rowJobs.running() || !m_session)
        return;
    // What was looked at last; what was scrolled past in between is asked for when it is seen again.
    std::vector<int> pages;
    while (!m_missing.empty() && pages.size() < pagesAtOnce) {
        pages.push_back(m_missing.back());
        m_missing.pop_back();
    }
    m_missing.clear();
    std::vector<CandidateId> ids;
    for (const int page : pages)
        for (int i = page * pageSize; i < std::min((page + 1) * pageSize, rowCount()); ++i)
            ids.push_back(m_order[static_cast<std::size_t>(i)]);
    m_session->query<std::vector<CandidateRow>>(
        m_rowJobs, [ids](ProjectReader& reader) { return reader.candidateRows(ids); },
        [this, ids, pages, generation = m_generation](Result<std::vector<CandidateRow>> rows) {
            if (!rows) {
                Q_EMIT problem(sentenceOf(rows.error()));
                return;
            }
            keep(ids, std::move(*rows), generation);
            for (const int page : pages)
                if (page * pageSize < rowCount())
                    Q_EMIT dataChanged(
                        index(page * pageSize, 0),
                        index(std::min((page + 1) * pageSize, rowCount()) - 1, CandidateColumns - 1));
            Q_EMIT rowsArrived();
            if (!m_missing.empty())
                m_fetch->start(0);
        });
}

void CandidateModel::keep(const std::vector<CandidateId>& asked, std::vector<CandidateRow> rows,
                          int generation)
{
    if (m_rows.size() > mostRows)
        m_rows.clear();
    for (const CandidateId& id : asked)
        m_rows[id] = {{}, generation};
    for (CandidateRow& row : rows) {
        const auto judged = m_judgedAgain.find({row.programHash, row.target.key()});
        if (judged != m_judgedAgain.end()) {
            if (row.flags.has(VerdictFlag::VerifiedAgain) && row.verdict == judged->second.verdict)
                m_judgedAgain.erase(judged); // the index knows it
            else
                applyVerdict(row, judged->second);
        }
        const CandidateId id = row.id;
        m_rows[id] = {std::move(row), generation};
    }
}

void CandidateModel::setVerdict(const VerdictRecord& record)
{
    m_judgedAgain[{record.programHash, record.target.key()}] = record;
    for (auto& [id, kept] : m_rows)
        if (kept.row && kept.row->programHash == record.programHash && kept.row->target == record.target)
            applyVerdict(*kept.row, record);
    if (!m_order.empty())
        Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, CandidateColumns - 1));
}

const CandidateRow* CandidateModel::row(const QModelIndex& index) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return nullptr;
    const auto kept = m_rows.find(m_order[static_cast<std::size_t>(index.row())]);
    if (kept == m_rows.end() || kept->second.generation < m_generation) {
        const int page = index.row() / pageSize;
        if (m_missing.empty() || m_missing.back() != page) {
            std::erase(m_missing, page);
            m_missing.push_back(page);
        }
        if (!m_fetch->isActive() && !m_rowJobs.running())
            m_fetch->start(0);
    }
    return kept != m_rows.end() && kept->second.row ? &*kept->second.row : nullptr;
}

std::optional<CandidateId> CandidateModel::id(const QModelIndex& index) const
{
    if (!index.isValid() || index.row() >= rowCount())
        return {};
    return m_order[static_cast<std::size_t>(index.row())];
}

QModelIndex CandidateModel::indexOf(CandidateId id) const
{
    const auto place = std::find(m_order.begin(), m_order.end(), id);
    return place == m_order.end() ? QModelIndex() : index(static_cast<int>(place - m_order.begin()), 0);
}

int CandidateModel::rowCount(const QModelIndex& parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_order.size());
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
        return QString((row.starred ? QStringLiteral("★ ") : QString()) +
                       (row.pinned ? QStringLiteral("⚑ ") : QString()) +
                       (row.inSftSet ? QStringLiteral("✚ ") : QString()) + targetText(row.target));
    case CandidateFamily:
        return familyText(row.family);
    case CandidateSpeedup:
        return columnRatio(row.speedup);
    case CandidateTime:
        return columnMicroseconds(row.microseconds);
    case CandidateReward:
        return columnReward(row.reward);
    case CandidateStep:
        return row.runName.empty() ? QStringLiteral("–") : formatCount(row.step);
    case CandidateRun:
        if (!row.runName.empty())
            return toQString(row.runTitle.empty() ? row.runName : row.runTitle);
        return row.origin == sample_origin::hand ? tr("by hand") : tr("generated");
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
            lines.append(tr("Flag: %1. %2").arg(flagText(flag), flagHelp(flag)).trimmed());
        return lines.join(QLatin1Char('\n'));
    }
    if (column == CandidateFamily && !row.family.empty())
        return familyText(row.family);
    if (column == CandidateRun && !row.runTitle.empty())
        return toQString(runLabelOf(row.runName, row.runTitle));
    if (!row.note.empty())
        return toQString(row.note);
    return {};
}

QVariant CandidateModel::data(const QModelIndex& index, int role) const
{
    if (!index.isValid() || index.row() >= rowCount() || index.column() >= CandidateColumns)
        return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>(Qt::AlignVCenter |
                                (index.column() >= CandidateSpeedup && index.column() <= CandidateStep
                                     ? Qt::AlignRight
                                     : Qt::AlignLeft));
    if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != ToneRole && role != KeyRole)
        return {};
    const CandidateRow* candidate = row(index);
    if (!candidate) // on its way
        return role == Qt::DisplayRole && index.column() == CandidateMatrix ? QVariant(QStringLiteral("…"))
                                                                            : QVariant();
    switch (role) {
    case Qt::DisplayRole:
        return text(*candidate, index.column());
    case Qt::ToolTipRole:
        return toolTip(*candidate, index.column());
    case ToneRole:
        return static_cast<int>(verdictTone(candidate->verdict));
    case KeyRole:
        return toQString(candidate->programHash);
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
        QT_TR_NOOP("Verdict of the program on the matrix."),
        QT_TR_NOOP("The matrix that it was written for."),
        QT_TR_NOOP("The kernel family that it belongs to, if known."),
        QT_TR_NOOP("Time of the baseline divided by the program's; more than 1 means faster."),
        QT_TR_NOOP("Warm time of one call, median; lower is better."),
        QT_TR_NOOP("The reward that it earned; higher is better."),
        QT_TR_NOOP("The training step at which it was sampled."),
        QT_TR_NOOP("The run that it comes from, or how else it was made.")};
    if (role == Qt::DisplayRole)
        return tr(titles[section]);
    if (role == Qt::ToolTipRole)
        return tr(tips[section]);
    if (role == Qt::InitialSortOrderRole) // what the first click shows: the best, the newest
        return static_cast<int>(section == CandidateSpeedup || section == CandidateReward ||
                                        section == CandidateStep
                                    ? Qt::DescendingOrder
                                    : Qt::AscendingOrder);
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>(
            Qt::AlignVCenter |
            (section >= CandidateSpeedup && section <= CandidateStep ? Qt::AlignRight : Qt::AlignLeft));
    return {};
}

void CandidateModel::sort(int column, Qt::SortOrder order)
{
    m_wanted.column = column;
    m_wanted.descending = order == Qt::DescendingOrder;
    ask(Change::Sorted);
}

} // namespace sparserl

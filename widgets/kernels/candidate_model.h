// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/queries.h"
#include "widgets/common/session.h"

#include <QAbstractTableModel>
#include <QElapsedTimer>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

class QTimer;

namespace sparserl {

enum CandidateColumn
{
    CandidateVerdict,
    CandidateMatrix,
    CandidateFamily,
    CandidateSpeedup,
    CandidateTime,
    CandidateReward,
    CandidateStep,
    CandidateRun,
    CandidateColumns
};

/// All candidates that pass a filter, a million or more: their keys in order, and of those that are looked at
/// also the row. Filter and order are found on a thread of their own and can be given up.
class CandidateModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    /// Why other rows are there.
    enum class Change
    {
        Filtered,
        Sorted,
        Reloaded
    };
    explicit CandidateModel(QObject* parent);
    ~CandidateModel() override;

    void setSession(ProjectSession* session);
    void setFilter(const CandidateFilter& filter);
    /// Both with one question. Keeps what is chosen, as a filter does.
    void setFilterAndSort(const CandidateFilter& filter, int column, Qt::SortOrder order);
    const CandidateFilter& filter() const { return m_wanted.filter; }
    int sortColumn() const { return m_wanted.column; } ///< -1: by time.
    Qt::SortOrder sortOrder() const { return m_wanted.descending ? Qt::DescendingOrder : Qt::AscendingOrder; }
    /// Asks again; rows that stay keep their selection. How often is up to how long it takes.
    void reload();

    /// An order or a filter is being found, since so many milliseconds, and is done to that part.
    bool searching() const { return m_jobs.running(); }
    qint64 searchedFor() const { return searching() ? m_clock.elapsed() : 0; }
    double progress() const { return *m_progress; }
    /// Gives it up: filter and order become those of the rows that are there.
    void cancelSearch();

    std::int64_t total() const { return static_cast<std::int64_t>(m_order.size()); }
    /// Null while it is on its way.
    const CandidateRow* row(const QModelIndex& index) const;
    std::optional<CandidateId> id(const QModelIndex& index) const;
    QModelIndex indexOf(CandidateId id) const;
    /// A program was judged once more: its rows say so before the index does.
    void setVerdict(const VerdictRecord& record);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

Q_SIGNALS:
    void problem(const QString& sentence);
    /// The rows that were asked for are known.
    void loaded(sparserl::CandidateModel::Change change);
    /// Some of their texts came.
    void rowsArrived();
    void searchCancelled();

private:
    struct Question
    {
        CandidateFilter filter;
        int column = -1;
        bool descending = true;
    };
    struct IdHash
    {
        std::size_t operator()(const CandidateId& id) const
        {
            // Without a sign: the number of a run is large, and the product may go round.
            return std::hash<std::uint64_t>()(static_cast<std::uint64_t>(id.run) * 1000003 +
                                              static_cast<std::uint64_t>(id.seq));
        }
    };
    struct Kept
    {
        std::optional<CandidateRow> row; ///< Nothing: the index has it no more.
        int generation = 0;
    };
    void ask(Change change);
    void takeOrder(std::vector<CandidateId> order);
    void fetch();
    void keep(const std::vector<CandidateId>& asked, std::vector<CandidateRow> rows, int generation);
    QVariant text(const CandidateRow& row, int column) const;
    QVariant toolTip(const CandidateRow& row, int column) const;

    ProjectSession* m_session = nullptr;
    Question m_wanted, m_shown;
    std::vector<CandidateId> m_order;
    std::unordered_map<CandidateId, Kept, IdHash> m_rows;
    int m_generation = 0;
    mutable std::vector<int> m_missing; ///< Pages that were looked at, newest last.
    std::map<std::pair<std::string, std::string>, VerdictRecord> m_judgedAgain; ///< By program and target.
    bool m_again = false;
    CancelToken m_cancel;
    std::shared_ptr<std::atomic<double>> m_progress;
    QElapsedTimer m_clock;
    QTimer *m_pace, *m_fetch;
    JobTracker m_jobs{this}, m_rowJobs{this};
};

} // namespace sparserl

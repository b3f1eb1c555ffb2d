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

/// Holds the candidates that match a filter, possibly more than a million: the keys of all of them in order,
/// but only the rows that are visible. Filter and order are computed on a separate thread, which can be
/// cancelled.
class CandidateModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    /// Why the rows changed.
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
    /// Sets filter and order with one query. Keeps the selection.
    void setFilterAndSort(const CandidateFilter& filter, int column, Qt::SortOrder order);
    const CandidateFilter& filter() const { return m_wanted.filter; }
    int sortColumn() const { return m_wanted.column; } ///< -1: by time.
    Qt::SortOrder sortOrder() const { return m_wanted.descending ? Qt::DescendingOrder : Qt::AscendingOrder; }
    /// Queries again; unchanged rows keep their selection. The interval depends on the query's duration.
    void reload();

    /// Whether a filter or an order is being computed, for how many milliseconds it has been, and which share
    /// is done.
    bool searching() const { return m_jobs.running(); }
    qint64 searchedFor() const { return searching() ? m_clock.elapsed() : 0; }
    double progress() const { return *m_progress; }
    /// Cancels this computation and restores the filter and order of the displayed rows.
    void cancelSearch();

    std::int64_t total() const { return static_cast<std::int64_t>(m_order.size()); }
    /// Null while the row is loading.
    const CandidateRow* row(const QModelIndex& index) const;
    std::optional<CandidateId> id(const QModelIndex& index) const;
    QModelIndex indexOf(CandidateId id) const;
    /// A program was judged again: updates its rows before the index does.
    void setVerdict(const VerdictRecord& record);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    void sort(int column, Qt::SortOrder order) override;

Q_SIGNALS:
    void problem(const QString& sentence);
    /// The requested rows are known.
    void loaded(sparserl::CandidateModel::Change change);
    /// The texts of some rows have arrived.
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
            // Unsigned: run numbers are large, and the product may wrap around.
            return std::hash<std::uint64_t>()(static_cast<std::uint64_t>(id.run) * 1000003 +
                                              static_cast<std::uint64_t>(id.seq));
        }
    };
    struct Kept
    {
        std::optional<CandidateRow> row; ///< nullopt: no longer in the index.
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
    mutable std::vector<int> m_missing; ///< Pages that were viewed, newest last.
    std::map<std::pair<std::string, std::string>, VerdictRecord> m_judgedAgain; ///< By program and target.
    bool m_again = false;
    CancelToken m_cancel;
    std::shared_ptr<std::atomic<double>> m_progress;
    QElapsedTimer m_clock;
    QTimer *m_pace, *m_fetch;
    JobTracker m_jobs{this}, m_rowJobs{this};
};

} // namespace sparserl

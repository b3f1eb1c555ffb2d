// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries.h"
#include "widgets/common/session.h"

#include <QAbstractTableModel>
#include <optional>
#include <vector>

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

/// All candidates that pass a filter, page by page as the user scrolls. Filter and order are the database's
/// work; a page asked for under an older filter never arrives.
class CandidateModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    explicit CandidateModel(QObject* parent);

    void setSession(ProjectSession* session);
    void setFilter(const CandidateFilter& filter);
    const CandidateFilter& filter() const { return m_filter; }
    /// Asks again for as many rows as are loaded; rows that stay keep their selection.
    void reload();
    std::int64_t total() const { return m_total; }
    const CandidateRow* row(const QModelIndex& index) const;
    QModelIndex indexOf(CandidateId id) const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    bool canFetchMore(const QModelIndex& parent) const override;
    void fetchMore(const QModelIndex& parent) override;
    void sort(int column, Qt::SortOrder order) override;

Q_SIGNALS:
    void problem(const QString& sentence);
    /// Rows were replaced or added; `total` is known.
    void loaded();

private:
    void ask(std::size_t count, bool fresh);
    void take(CandidatePage page, bool fresh);
    QVariant text(const CandidateRow& row, int column) const;
    QVariant toolTip(const CandidateRow& row, int column) const;

    ProjectSession* m_session = nullptr;
    CandidateFilter m_filter;
    CandidateSort m_sort = CandidateSort::Time;
    bool m_descending = true, m_again = false;
    std::vector<CandidateRow> m_rows;
    std::optional<CandidateCursor> m_next;
    std::int64_t m_total = 0;
    JobTracker m_jobs{this};
};

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/delegates.h"

#include <QAbstractTableModel>
#include <algorithm>
#include <functional>
#include <iterator>
#include <vector>

namespace sparserl {

/// A column: title, tool tip, and a value for each supported role.
template <typename Row>
struct RowColumn
{
    QString title, toolTip;
    std::function<QVariant(const Row&, int role)> data;
    bool numeric = false; ///< Right-aligned.
};

/// A table over a list of values that is repeatedly replaced as a whole. Selections are kept: while the order
/// is unchanged, rows are only updated, inserted or removed. A different order resets the model.
template <typename Row>
class RowModel : public QAbstractTableModel
{
public:
    using Key = std::function<QString(const Row&)>;
    RowModel(std::vector<RowColumn<Row>> columns, Key key, QObject* parent)
        : QAbstractTableModel(parent)
        , m_columns(std::move(columns))
        , m_key(std::move(key))
    {
    }

    const std::vector<Row>& rows() const { return m_rows; }
    const Row* row(const QModelIndex& index) const
    {
        return index.isValid() && index.row() < static_cast<int>(m_rows.size()) ? &m_rows[index.row()]
                                                                                : nullptr;
    }
    QString keyOf(const Row& row) const { return m_key(row); }
    QModelIndex indexOfKey(const QString& key) const
    {
        for (std::size_t i = 0; i < m_rows.size(); ++i)
            if (m_key(m_rows[i]) == key)
                return index(static_cast<int>(i), 0);
        return {};
    }

    void setRows(std::vector<Row> rows)
    {
        if (!m_rows.empty() && contains(rows, m_rows)) {
            insertMissing(rows);
        } else if (!rows.empty() && contains(m_rows, rows)) {
            removeMissing(rows);
        } else {
            beginResetModel();
            m_rows = std::move(rows);
            endResetModel();
            return;
        }
        m_rows = std::move(rows);
        if (!m_rows.empty())
            Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    }
    /// Replaces the columns from `first` on.
    void setColumnsFrom(int first, std::vector<RowColumn<Row>> columns)
    {
        if (const int last = columnCount() - 1; last >= first) {
            beginRemoveColumns({}, first, last);
            m_columns.resize(static_cast<std::size_t>(first));
            endRemoveColumns();
        }
        if (columns.empty())
            return;
        beginInsertColumns({}, first, first + static_cast<int>(columns.size()) - 1);
        std::move(columns.begin(), columns.end(), std::back_inserter(m_columns));
        endInsertColumns();
    }
    /// Changes one row in place. The key of the row must not change.
    template <typename Change>
    void edit(int row, Change&& change)
    {
        change(m_rows[static_cast<std::size_t>(row)]);
        Q_EMIT dataChanged(index(row, 0), index(row, columnCount() - 1));
    }

    int rowCount(const QModelIndex& parent = {}) const override
    {
        return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
    }
    int columnCount(const QModelIndex& parent = {}) const override
    {
        return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
    }
    QVariant data(const QModelIndex& index, int role) const override
    {
        const Row* value = row(index);
        if (!value || index.column() >= columnCount())
            return {};
        if (role == KeyRole)
            return m_key(*value);
        const RowColumn<Row>& column = m_columns[index.column()];
        if (role == Qt::TextAlignmentRole)
            return static_cast<int>(Qt::AlignVCenter | (column.numeric ? Qt::AlignRight : Qt::AlignLeft));
        if (role == SortRole) {
            const QVariant sort = column.data(*value, SortRole);
            return sort.isValid() ? sort : column.data(*value, Qt::DisplayRole);
        }
        return column.data(*value, role);
    }
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override
    {
        if (orientation != Qt::Horizontal || section < 0 || section >= columnCount())
            return {};
        if (role == Qt::DisplayRole)
            return m_columns[section].title;
        if (role == Qt::ToolTipRole)
            return m_columns[section].toolTip.isEmpty() ? QVariant() : m_columns[section].toolTip;
        if (role == Qt::TextAlignmentRole)
            return static_cast<int>(Qt::AlignVCenter |
                                    (m_columns[section].numeric ? Qt::AlignRight : Qt::AlignLeft));
        return {};
    }

protected:
    std::vector<Row> m_rows;

private:
    /// Whether all rows of `some` are in `all`, in the same order.
    bool contains(const std::vector<Row>& all, const std::vector<Row>& some) const
    {
        std::size_t found = 0;
        for (std::size_t i = 0; i < all.size() && found < some.size(); ++i)
            found += m_key(all[i]) == m_key(some[found]) ? 1 : 0;
        return found == some.size();
    }
    void insertMissing(const std::vector<Row>& rows)
    {
        for (std::size_t i = 0; i < rows.size();) {
            std::size_t end = i;
            while (end < rows.size() && (i >= m_rows.size() || m_key(rows[end]) != m_key(m_rows[i])))
                ++end;
            if (end == i) {
                ++i;
                continue;
            }
            beginInsertRows({}, static_cast<int>(i), static_cast<int>(end) - 1);
            m_rows.insert(m_rows.begin() + static_cast<std::ptrdiff_t>(i),
                          rows.begin() + static_cast<std::ptrdiff_t>(i),
                          rows.begin() + static_cast<std::ptrdiff_t>(end));
            endInsertRows();
            i = end;
        }
    }
    void removeMissing(const std::vector<Row>& rows)
    {
        for (std::size_t i = 0; i < m_rows.size();) {
            std::size_t end = i;
            while (end < m_rows.size() && (i >= rows.size() || m_key(m_rows[end]) != m_key(rows[i])))
                ++end;
            if (end == i) {
                ++i;
                continue;
            }
            beginRemoveRows({}, static_cast<int>(i), static_cast<int>(end) - 1);
            m_rows.erase(m_rows.begin() + static_cast<std::ptrdiff_t>(i),
                         m_rows.begin() + static_cast<std::ptrdiff_t>(end));
            endRemoveRows();
        }
    }

    std::vector<RowColumn<Row>> m_columns;
    Key m_key;
};

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/delegates.h"

#include <QAbstractTableModel>
#include <functional>
#include <vector>

namespace sparserl {

/// What a column shows: its title, its tool tip, and a value for each role it cares about.
template <typename Row>
struct RowColumn
{
    QString title, toolTip;
    std::function<QVariant(const Row&, int role)> data;
    bool numeric = false; ///< Right-aligned.
};

/// A table over a list of values that is replaced as a whole again and again. Keeps selections: rows that
/// stay in place only change, new rows in front or behind are inserted, anything else resets.
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
        const int before = static_cast<int>(m_rows.size()), after = static_cast<int>(rows.size());
        const int added = after - before;
        if (added >= 0 && before > 0 && samePart(rows, added)) { // new ones in front, or none
            insert(rows, 0, added);
        } else if (added >= 0 && before > 0 && samePart(rows, 0)) { // new ones behind
            insert(rows, before, added);
        } else {
            beginResetModel();
            m_rows = std::move(rows);
            endResetModel();
            return;
        }
        m_rows = std::move(rows);
        Q_EMIT dataChanged(index(0, 0), index(after - 1, columnCount() - 1));
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
    bool samePart(const std::vector<Row>& rows, int shift) const
    {
        for (std::size_t i = 0; i < m_rows.size(); ++i)
            if (m_key(m_rows[i]) != m_key(rows[i + shift]))
                return false;
        return true;
    }
    void insert(const std::vector<Row>& rows, int at, int count)
    {
        if (count == 0)
            return;
        beginInsertRows({}, at, at + count - 1);
        m_rows.insert(m_rows.begin() + at, rows.begin() + at, rows.begin() + at + count);
        endInsertRows();
    }

    std::vector<RowColumn<Row>> m_columns;
    Key m_key;
};

} // namespace sparserl

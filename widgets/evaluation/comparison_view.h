// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/row_model.h"
#include "widgets/evaluation/evaluation_data.h"

#include <QWidget>

class QLabel;
class QSortFilterProxyModel;
class QTableView;

namespace sparserl {

/// Draws a difference with its interval and a line at zero difference. Other columns show the same numbers as
/// text.
class IntervalDelegate : public PlainDelegate
{
    Q_OBJECT

public:
    using PlainDelegate::PlainDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option,
               const QModelIndex& index) const override;
};

/// Paired differences between the shown policies and the reference policy.
class ComparisonView : public QWidget
{
    Q_OBJECT

public:
    explicit ComparisonView(QWidget* parent = nullptr);

    void showView(const EvaluationView& view);
    RowModel<ComparisonLine>* model() const { return m_model; }
    QTableView* table() const { return m_table; }

Q_SIGNALS:
    /// The user pressed Enter on a line, or double-clicked it, to see its matrices.
    void opened(const QString& key);

private:
    RowModel<ComparisonLine>* m_model;
    QSortFilterProxyModel* m_proxy;
    QTableView* m_table;
    QLabel *m_heading, *m_note;
    double m_widestShare = 0, m_widestRatio = 0; ///< The values at the edges of the column with intervals.
};

} // namespace sparserl

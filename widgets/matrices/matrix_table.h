// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/matrix_filter.h"
#include "widgets/matrices/matrix_model.h"

#include <QSortFilterProxyModel>
#include <QTableView>
#include <QTimer>

namespace sparserl {

/// The matrices that pass a filter, sorted by what stands behind the cells.
class MatrixProxy : public QSortFilterProxyModel
{
    Q_OBJECT

public:
    explicit MatrixProxy(MatrixModel* model, QObject* parent);
    void setFilter(MatrixFilter filter);

protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

private:
    MatrixModel* m_model;
    MatrixFilter m_filter;
};

/// The library's table: thumbnails beside names and features. Its header's menu chooses columns, which can be
/// moved and resized; header() is the layout, to be kept.
class MatrixTable : public QTableView
{
    Q_OBJECT

public:
    MatrixTable(MatrixModel* model, QWidget* parent);
    MatrixProxy* proxy() const { return m_proxy; }
    const MatrixItem* current() const;
    std::vector<const MatrixItem*> selected() const; ///< From top to bottom.
    void showMatrix(const QString& name);

    QString layoutText() const;
    /// Takes layoutText() of before; another one is ignored.
    void setLayoutText(const QString& text);
    static constexpr int thumbnailSide = 32; ///< Pixels; twice that is a side of the pyramid.

public Q_SLOTS:
    /// A menu of all columns under the header.
    void chooseColumns();

Q_SIGNALS:
    void layoutEdited();

private:
    MatrixModel* m_model;
    MatrixProxy* m_proxy;
    QTimer m_resized; ///< Many sizes on the way to one.
};

} // namespace sparserl

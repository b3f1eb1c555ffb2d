// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/queries/matrix_filter.h"
#include "widgets/matrices/matrix_model.h"

#include <QSortFilterProxyModel>
#include <QTableView>
#include <QTimer>

namespace sparserl {

/// The matrices that pass a filter, sorted by the raw values of the cells.
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

/// The library's table: thumbnails beside names and features. The menu of its header selects columns, which
/// can be moved and resized.
class MatrixTable : public QTableView
{
    Q_OBJECT

public:
    MatrixTable(MatrixModel* model, QWidget* parent);
    MatrixProxy* proxy() const { return m_proxy; }
    const MatrixItem* current() const;
    std::vector<const MatrixItem*> selected() const; ///< In the order of the rows.
    void showMatrix(const QString& name);

    QString layoutText() const;
    /// Restores a layout from layoutText(). Ignores any other text.
    void setLayoutText(const QString& text);
    /// In pixels. Thumbnails have twice as many, for high-resolution screens.
    static constexpr int thumbnailSide = 32;

public Q_SLOTS:
    /// Shows a menu of all columns under the header.
    void chooseColumns();

Q_SIGNALS:
    void layoutEdited();

private:
    MatrixModel* m_model;
    MatrixProxy* m_proxy;
    QTimer m_resized; ///< Combines the many size changes of one drag.
};

} // namespace sparserl

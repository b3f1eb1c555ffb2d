// SPDX-License-Identifier: Apache-2.0
#include "widgets/matrices/matrix_table.h"

#include "verdict/names.h"
#include "widgets/common/delegates.h"
#include "widgets/common/panels.h"
#include "widgets/common/theme.h"

#include <QHeaderView>
#include <QMenu>
#include <algorithm>

namespace sparserl {

MatrixProxy::MatrixProxy(MatrixModel* model, QObject* parent)
    : QSortFilterProxyModel(parent)
    , m_model(model)
{
    setSourceModel(model);
    setSortRole(SortRole);
    setSortCaseSensitivity(Qt::CaseInsensitive);
}

void MatrixProxy::setFilter(MatrixFilter filter)
{
    m_filter = std::move(filter);
    invalidateFilter();
}

bool MatrixProxy::filterAcceptsRow(int row, const QModelIndex&) const
{
    const MatrixItem& item = m_model->rows()[static_cast<std::size_t>(row)];
    return m_filter.matches(item.row, item.features);
}

MatrixTable::MatrixTable(MatrixModel* model, QWidget* parent)
    : QTableView(parent)
    , m_model(model)
    , m_proxy(new MatrixProxy(model, this))
{
    styleTable(this, 12, thumbnailSide + 10);
    setModel(m_proxy);
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setSortingEnabled(true);
    setItemDelegateForColumn(MatrixPicture, new PictureDelegate(this));
    setContextMenuPolicy(Qt::CustomContextMenu);
    setAccessibleName(tr("Matrices of the project"));
    verticalHeader()->setMinimumSectionSize(thumbnailSide + 8);
    QStringList samples{QStringLiteral("00000"),
                        QStringLiteral("plate-fem-2x"),
                        QStringLiteral("power-law/skewed"),
                        QLatin1String(split::heldOut),
                        QStringLiteral("000,000"),
                        QStringLiteral("000,000"),
                        QStringLiteral("00,000,000"),
                        QStringLiteral("00.00"),
                        QStringLiteral("0.00000"),
                        QStringLiteral("matrices/a-file-name.mtx.gz")};
    for (int column = MatrixMore; column < model->columnCount(); ++column)
        samples.append(QStringLiteral("000,000"));
    fitColumns(this, samples, MatrixName);
    setColumnWidth(MatrixPicture, atTextSize(thumbnailSide) + 16);
    for (int column = MatrixRowCv; column < model->columnCount(); ++column) // what 1,280 pixels have room for
        setColumnHidden(column, true);
    QHeaderView* header = horizontalHeader();
    header->setSortIndicator(-1, Qt::AscendingOrder);
    header->setSectionsMovable(true);
    header->setFirstSectionMovable(false);
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(header, &QWidget::customContextMenuRequested, this, &MatrixTable::chooseColumns);
    m_resized.setSingleShot(true);
    m_resized.setInterval(500);
    connect(&m_resized, &QTimer::timeout, this, &MatrixTable::layoutEdited);
    connect(header, &QHeaderView::sectionResized, &m_resized, qOverload<>(&QTimer::start));
    connect(header, &QHeaderView::sectionMoved, this, &MatrixTable::layoutEdited);
    connect(header, &QHeaderView::sortIndicatorChanged, this, &MatrixTable::layoutEdited);
}

const MatrixItem* MatrixTable::current() const
{
    const QModelIndex index = currentIndex();
    return index.isValid() ? m_model->row(m_proxy->mapToSource(index)) : nullptr;
}

std::vector<const MatrixItem*> MatrixTable::selected() const
{
    QModelIndexList rows = selectionModel()->selectedRows();
    std::sort(rows.begin(), rows.end(),
              [](const QModelIndex& a, const QModelIndex& b) { return a.row() < b.row(); });
    std::vector<const MatrixItem*> items;
    for (const QModelIndex& index : rows)
        if (const MatrixItem* item = m_model->row(m_proxy->mapToSource(index)))
            items.push_back(item);
    return items;
}

void MatrixTable::showMatrix(const QString& name)
{
    const QModelIndex index = m_proxy->mapFromSource(m_model->indexOfKey(name));
    if (!index.isValid())
        return;
    // Alone, also while Ctrl is still held down from the shortcut that led here.
    selectionModel()->setCurrentIndex(index, QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    scrollTo(index);
}

QString MatrixTable::layoutText() const
{
    return QString::fromLatin1(saveColumns(this).toBase64());
}

void MatrixTable::setLayoutText(const QString& text)
{
    const QSignalBlocker quiet(this);
    restoreColumns(this, QByteArray::fromBase64(text.toLatin1()));
}

void MatrixTable::chooseColumns()
{
    QMenu menu(this);
    for (int column = MatrixName + 1; column < m_model->columnCount(); ++column) {
        QAction* action =
            menu.addAction(m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
        action->setCheckable(true);
        action->setChecked(!isColumnHidden(column));
        action->setToolTip(m_model->headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString());
        connect(action, &QAction::toggled, this, [this, column](bool shown) {
            setColumnHidden(column, !shown);
            Q_EMIT layoutEdited();
        });
    }
    menu.setToolTipsVisible(true);
    menu.exec(
        horizontalHeader()->mapToGlobal(QPoint(columnWidth(MatrixPicture), horizontalHeader()->height())));
}

} // namespace sparserl

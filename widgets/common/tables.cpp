// SPDX-License-Identifier: Apache-2.0
// The house style of tables, of widgets/common/panels.h.
#include "widgets/common/delegates.h"
#include "widgets/common/panels.h"

#include <QEvent>
#include <QHeaderView>
#include <QTableView>
#include <QTimer>
#include <algorithm>

namespace sparserl {

namespace {

// Keeps rows as high and columns as wide as the size of text asks for, which the user may change at any time.
class TextFollower : public QObject
{
public:
    TextFollower(QTableView* table, int padding, int least)
        : QObject(table)
        , m_table(table)
        , m_padding(padding)
        , m_least(least)
    {
        table->installEventFilter(this);
        follow();
    }
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        const bool done = QObject::eventFilter(watched, event);
        if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
            QTimer::singleShot(0, this, &TextFollower::follow); // the style sets its own font behind it
        return done;
    }

private:
    void follow()
    {
        const int height = m_table->fontMetrics().height();
        if (height == m_height)
            return;
        m_table->verticalHeader()->setDefaultSectionSize(std::max(m_least, height + m_padding));
        QHeaderView* header = m_table->horizontalHeader();
        for (int column = 0; m_height > 0 && column < header->count(); ++column)
            if (header->sectionResizeMode(column) == QHeaderView::Interactive &&
                !header->isSectionHidden(column))
                header->resizeSection(column, qRound(1.0 * header->sectionSize(column) * height / m_height));
        m_height = height;
    }
    QTableView* m_table;
    int m_padding, m_least, m_height = 0;
};

} // namespace

void styleTable(QTableView* table, int padding, int least)
{
    table->setItemDelegate(new PlainDelegate(table));
    table->setShowGrid(false);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table->setWordWrap(false);
    table->setTabKeyNavigation(false);
    table->verticalHeader()->hide();
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    new TextFollower(table, padding, least);
    table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setMinimumSectionSize(36);
    table->setFrameShape(QFrame::NoFrame);
}

namespace {

// Gives one column what the others leave of the view, but never less than it needs: then the table scrolls.
class ColumnStretcher : public QObject
{
public:
    ColumnStretcher(QTableView* table, int column, int minimum)
        : QObject(table)
        , m_table(table)
        , m_column(column)
        , m_minimum(minimum)
    {
        table->viewport()->installEventFilter(this);
        connect(table->horizontalHeader(), &QHeaderView::sectionResized, this, [this](int section) {
            if (section != m_column) // hidden and shown columns come here too
                stretch();
        });
    }
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Resize)
            stretch();
        return QObject::eventFilter(watched, event);
    }

private:
    void stretch()
    {
        const QHeaderView* header = m_table->horizontalHeader();
        const int others = header->length() - header->sectionSize(m_column);
        m_table->setColumnWidth(m_column, std::max(m_minimum, m_table->viewport()->width() - others));
    }
    QTableView* m_table;
    int m_column, m_minimum;
};

} // namespace

void fitColumns(QTableView* table, const QStringList& samples, int stretch)
{
    const QFontMetrics metrics(table->font());
    QHeaderView* header = table->horizontalHeader();
    header->setStretchLastSection(false);
    for (int i = 0; i < samples.size() && i < header->count(); ++i) {
        // Titles have the header's margin around their padding; room for the sign of the order only the
        // sorted one needs.
        const QString title = table->model()->headerData(i, Qt::Horizontal).toString();
        table->setColumnWidth(i, std::max(metrics.horizontalAdvance(samples[i]) + 14,
                                          header->fontMetrics().horizontalAdvance(title) + 18));
    }
    table->setMinimumWidth(300);
    new ColumnStretcher(table, stretch, table->columnWidth(stretch));
}

} // namespace sparserl

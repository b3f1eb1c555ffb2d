// SPDX-License-Identifier: Apache-2.0
// The house style of tables, of widgets/common/panels.h.
#include "widgets/common/delegates.h"
#include "widgets/common/panels.h"
#include "widgets/common/theme.h"
#include "widgets/common/whole_titles.h"

#include <QEvent>
#include <QHeaderView>
#include <QLabel>
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
        m_table->verticalHeader()->setDefaultSectionSize(std::max(atTextSize(m_least), height + m_padding));
        QHeaderView* header = m_table->horizontalHeader();
        const bool fitted = m_height > 0 && scaleFittedColumns(m_table, height, m_height);
        for (int column = 0; m_height > 0 && !fitted && column < header->count(); ++column)
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
    table->horizontalHeader()->setTextElideMode(Qt::ElideRight);
    table->horizontalHeader()->setMinimumSectionSize(36);
    table->setFrameShape(QFrame::NoFrame);
}

namespace {

/// What a view says while it has no row.
class EmptyHint : public QObject
{
public:
    EmptyHint(QAbstractItemView* view, const QString& sentence)
        : QObject(view)
        , m_view(view)
        , m_label(makeMuted(sentence, view->viewport()))
    {
        m_label->setAlignment(Qt::AlignCenter);
        m_label->setWordWrap(true);
        m_label->setMargin(16);
        m_label->setAttribute(Qt::WA_TransparentForMouseEvents);
        view->viewport()->installEventFilter(this);
        // The model may outlive the view's own part, and the label neither: nothing here asks the view.
        const QAbstractItemModel* model = view->model();
        const auto follow = [model, label = m_label] { label->setVisible(model->rowCount() == 0); };
        for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
            connect(model, signal, m_label, follow);
        connect(model, &QAbstractItemModel::modelReset, m_label, follow);
        follow();
    }
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Resize)
            m_label->setGeometry(m_view->viewport()->rect());
        return QObject::eventFilter(watched, event);
    }

private:
    QAbstractItemView* m_view;
    QLabel* m_label;
};

} // namespace

void tellWhenEmpty(QAbstractItemView* view, const QString& sentence)
{
    new EmptyHint(view, sentence);
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
// How wide the columns of a table are, of widgets/common/panels.h.
#include "widgets/common/column_share.h"
#include "widgets/common/panels.h"
#include "widgets/common/whole_titles.h"

#include <QApplication>
#include <QHeaderView>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QSignalBlocker>
#include <QTableView>
#include <QTimer>
#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace sparserl {

namespace {

/// What a title needs: it has the header's margin around its padding; room for the sign of the order only the
/// sorted one needs.
int titleWidth(const QHeaderView* header, int column)
{
    if (!header->model()) // the window is closing
        return 0;
    const QString title = header->model()->headerData(column, Qt::Horizontal).toString();
    return title.isEmpty() ? 0 : header->fontMetrics().horizontalAdvance(title) + 18;
}
int titleWidth(const QTableView* table, int column)
{
    return titleWidth(table->horizontalHeader(), column);
}

/// Columns of numbers have their titles on the right.
bool hasNumbers(const QAbstractItemModel* model, int column)
{
    const QVariant side = model->headerData(column, Qt::Horizontal, Qt::TextAlignmentRole);
    const auto alignment = side.metaType() == QMetaType::fromType<Qt::Alignment>()
                               ? side.value<Qt::Alignment>()
                               : Qt::Alignment::fromInt(side.toInt());
    return alignment.testFlag(Qt::AlignRight);
}

class WholeTitles : public QObject
{
public:
    using QObject::QObject;
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        const bool measured = event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange ||
                              event->type() == QEvent::Show;
        if (auto* header = static_cast<QHeaderView*>(watched); measured && header->model())
            fit(header);
        return false;
    }
    static void fit(QHeaderView* header)
    {
        int widest = 0;
        for (int column = 0; column < header->count(); ++column)
            if (header->sectionResizeMode(column) != QHeaderView::Interactive)
                widest = std::max(widest, titleWidth(header, column));
        header->setMinimumSectionSize(widest);
    }
};

// Two columns have contents of any length: m_stretch takes what the others leave of the view, and m_wants
// asks for what its contents need. shareWidth() says who gets what. Where even short texts have no room, the
// table scrolls, and the two get what their contents want, up to three times their samples; where there is
// only m_stretch, it gets less, down to half its sample, so that the column after it is seen before one
// scrolls. A column keeps the width that the user has given it.
class ColumnWidths : public QObject
{
public:
    ColumnWidths(QTableView* table, int stretch, int wants)
        : QObject(table)
        , m_table(table)
        , m_stretch(stretch)
        , m_wants(wants)
    {
        table->horizontalHeader()->setResizeContentsPrecision(0); // rows that are seen, of perhaps a million
        takeSizes();
        table->viewport()->installEventFilter(this);
        m_later.setSingleShot(true);
        connect(&m_later, &QTimer::timeout, this, &ColumnWidths::arrange);
        connect(table->horizontalHeader(), &QHeaderView::sectionResized, this, &ColumnWidths::resized);
        const auto later = qOverload<>(&QTimer::start);
        const auto* model = table->model();
        connect(model, &QAbstractItemModel::modelReset, this, [this] {
            m_needs.clear();
            m_later.start();
        });
        connect(model, &QAbstractItemModel::rowsInserted, &m_later, later);
        connect(model, &QAbstractItemModel::layoutChanged, &m_later, later);
        connect(model, &QAbstractItemModel::dataChanged, &m_later, later);
        connect(table->verticalScrollBar(), &QScrollBar::valueChanged, &m_later, later);
    }
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() == QEvent::Resize)
            arrange();
        return QObject::eventFilter(watched, event);
    }
    /// The text is as high as `line` now, and was as high as `before`: widths that are given up for want of
    /// room must not count as chosen.
    void scale(int line, int before)
    {
        const auto scaled = [&](int width) { return (width * line + before / 2) / before; };
        for (int& size : m_sizes)
            size = scaled(size);
        m_needs.clear();
        {
            const QScopedValueRollback arranging(m_arranging, true);
            for (const int column : m_users)
                if (!m_table->isColumnHidden(column))
                    m_table->setColumnWidth(column, scaled(m_table->columnWidth(column)));
        }
        arrange();
    }
    /// The header as it is where there is room.
    QByteArray state()
    {
        QHeaderView* header = m_table->horizontalHeader();
        const QSignalBlocker unseen(header);  // in the end nothing has changed
        std::vector<std::pair<int, int>> now; // column, width
        for (int column = 0; column < header->count(); ++column)
            if (isOurs(column) && column != m_stretch && at(m_sizes, column) > 0) {
                now.emplace_back(column, header->sectionSize(column));
                header->resizeSection(column, at(m_sizes, column));
            }
        QByteArray state = header->saveState();
        for (const auto& [column, width] : now)
            header->resizeSection(column, width);
        return state;
    }
    void restore(const QByteArray& state)
    {
        {
            const QScopedValueRollback arranging(m_arranging, true);
            QHeaderView* header = m_table->horizontalHeader();
            header->restoreState(state);
            for (int column = 0; column < header->count(); ++column)
                if (header->isSectionHidden(column)) { // one that was kept with a width of its own
                    header->showSection(column);
                    header->hideSection(column);
                }
        }
        m_users.clear();
        takeSizes();
        m_later.start();
    }

private:
    template <typename Values>
    static int& at(Values& values, int column)
    {
        const auto place = static_cast<std::size_t>(column);
        if (place >= values.size())
            values.resize(place + 1);
        return values[place];
    }
    /// What a sample needs in today's size of text.
    int leastOf(int column)
    {
        const int line = m_table->fontMetrics().height();
        return std::max(titleWidth(m_table, column),
                        static_cast<int>(std::int64_t(at(m_least, column)) * line / m_lineOfLeast));
    }
    bool isOurs(int column) const { return !m_table->isColumnHidden(column) && !m_users.contains(column); }
    // Those of hidden columns come when they are shown.
    void takeSizes()
    {
        for (int column = 0; column < m_table->horizontalHeader()->count(); ++column)
            if (const int size = m_table->columnWidth(column); size > 0)
                at(m_sizes, column) = size;
        if (m_least.empty()) {
            m_least = m_sizes;
            m_lineOfLeast = m_table->fontMetrics().height();
        }
    }
    void resized(int column, int, int size)
    {
        if (m_arranging)
            return;
        const QHeaderView* header = m_table->horizontalHeader();
        if (size > 0 && (QApplication::mouseButtons() & Qt::LeftButton) && header->underMouse())
            m_users.insert(column);
        else if (size > 0)
            at(m_sizes, column) = size;
        // A column that is being hidden has no width before it is hidden: given one now, it would leave a
        // hole.
        if (size == 0)
            m_later.start();
        else if (column != m_stretch)
            arrange();
    }
    // It does not shrink while the same rows are scrolled through.
    int need(int column)
    {
        int& known = at(m_needs, column);
        known = std::max(known, static_cast<QAbstractItemView*>(m_table)->sizeHintForColumn(column));
        return known;
    }
    ColumnWish wishOf(int column)
    {
        const int title = titleWidth(m_table, column), least = leastOf(column);
        const bool bounded = column != m_stretch && column != m_wants;
        ColumnWish wish;
        // A size that was kept, or scaled, may be of another font: the title is whole in any.
        wish.sample = bounded && at(m_sizes, column) > 0 ? std::max(at(m_sizes, column), title) : least;
        wish.whole = std::max(title, need(column));
        wish.least = std::max(title, least / 2);
        wish.number = hasNumbers(m_table->model(), column);
        wish.fixed = title == 0 || !isOurs(column);
        if (wish.fixed)
            wish.sample = m_table->columnWidth(column);
        return wish;
    }
    void arrange()
    {
        const int columnCount = m_table->horizontalHeader()->count(); // none while a model goes
        if (m_arranging || !m_table->model() || m_stretch >= columnCount ||
            m_table->isColumnHidden(m_stretch))
            return;
        const QScopedValueRollback arranging(m_arranging, true);
        std::vector<int> columns;
        std::vector<ColumnWish> wishes;
        std::size_t first = 0;
        for (int column = 0; column < columnCount; ++column) {
            if (m_table->isColumnHidden(column))
                continue;
            if (column == m_stretch)
                first = columns.size();
            columns.push_back(column);
            wishes.push_back(wishOf(column));
        }
        wishes[first].fixed = false; // it fills the view even if the user has dragged it
        if (const auto widths = shareWidth(wishes, first, m_table->viewport()->width()))
            for (std::size_t i = 0; i < columns.size(); ++i)
                setWidth(columns[i], (*widths)[i]);
        else
            arrangeToScroll(columns, wishes);
    }
    void setWidth(int column, int width)
    {
        if (m_table->columnWidth(column) != width)
            m_table->setColumnWidth(column, width);
    }
    /// The table scrolls in any case: then it does so for names that can be read.
    void arrangeToScroll(const std::vector<int>& columns, const std::vector<ColumnWish>& wishes)
    {
        const auto wanted = [](const ColumnWish& wish) {
            return wish.sample + std::clamp(wish.whole - wish.sample, 0, 2 * wish.sample);
        };
        const bool wants = m_wants >= 0 && isOurs(m_wants);
        ColumnWish stretch;
        for (std::size_t i = 0; i < columns.size(); ++i) {
            const ColumnWish& wish = wishes[i];
            if (columns[i] == m_stretch)
                stretch = wish;
            else if (columns[i] == m_wants && wants)
                setWidth(columns[i], wanted(wish));
            else if (!wish.fixed)
                setWidth(columns[i], wish.number ? wish.whole : std::min(wish.sample, wish.whole));
        }
        // Last, as the room beside the next column depends on the others.
        setWidth(m_stretch, wants ? wanted(stretch)
                                  : std::max(stretch.least, std::min(stretch.sample, roomBesideNext())));
    }

    /// Where the table scrolls: the width of m_stretch at which it and the column after it are seen together
    /// before somebody scrolls. A name alone tells little.
    int roomBesideNext() const
    {
        const QHeaderView* header = m_table->horizontalHeader();
        int room = m_table->viewport()->width();
        const int own = header->visualIndex(m_stretch);
        for (int visual = 0; visual < header->count(); ++visual) {
            const int column = header->logicalIndex(visual);
            if (m_table->isColumnHidden(column) || visual == own)
                continue;
            room -= header->sectionSize(column);
            if (visual > own)
                break;
        }
        return room;
    }

    QTableView* m_table;
    int m_stretch, m_wants;
    std::vector<int> m_sizes; ///< Where there is room.
    std::vector<int> m_least; ///< By the samples, in text of m_lineOfLeast.
    int m_lineOfLeast = 1;
    std::vector<int> m_needs; ///< By what was seen of the contents.
    std::set<int> m_users;    ///< Those that the user has dragged.
    bool m_arranging = false;
    QTimer m_later;
};

ColumnWidths* widthsOf(const QTableView* table)
{
    for (QObject* child : table->children())
        if (auto* widths = dynamic_cast<ColumnWidths*>(child))
            return widths;
    return nullptr;
}

} // namespace

void fitColumn(QTableView* table, int column, const QString& sample)
{
    table->setColumnWidth(column, std::max(QFontMetrics(table->font()).horizontalAdvance(sample) + 17,
                                           titleWidth(table, column)));
}

void fitColumns(QTableView* table, const QStringList& samples, int stretch, int wants)
{
    QHeaderView* header = table->horizontalHeader();
    header->setStretchLastSection(false);
    for (int i = 0; i < samples.size() && i < header->count(); ++i)
        fitColumn(table, i, samples[i]);
    table->setMinimumWidth(300);
    delete widthsOf(table); // of a model before this one
    new ColumnWidths(table, stretch, wants);
}

QByteArray saveColumns(const QTableView* table)
{
    ColumnWidths* widths = widthsOf(table);
    return widths ? widths->state() : table->horizontalHeader()->saveState();
}

void restoreColumns(QTableView* table, const QByteArray& state)
{
    if (ColumnWidths* widths = widthsOf(table))
        widths->restore(state);
    else
        table->horizontalHeader()->restoreState(state);
}

bool scaleFittedColumns(QTableView* table, int line, int before)
{
    ColumnWidths* widths = widthsOf(table);
    if (widths)
        widths->scale(line, before);
    return widths != nullptr;
}

void keepTitlesWhole(QHeaderView* header)
{
    WholeTitles::fit(header);
    header->installEventFilter(new WholeTitles(header));
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/command_palette.h"

#include "app/workbench/fuzzy.h"
#include "widgets/common/panels.h"
#include "widgets/common/theme.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <iterator>

namespace sparserl {

namespace {

constexpr int entryRole = Qt::UserRole, shortcutRole = Qt::UserRole + 1, whereRole = Qt::UserRole + 2;
constexpr std::size_t shownAtMost = 200; ///< Nobody reads on; a few letters more find it.

/// The kind of thing in a muted column, what it is called, its keys at the right.
class EntryDelegate : public QStyledItemDelegate
{
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override
    {
        const Theme& theme = Theme::of(option.widget);
        const bool marked = option.state.testFlag(QStyle::State_Selected);
        painter->save();
        if (marked)
            painter->fillRect(option.rect, theme.selection);
        const QRect inside = option.rect.adjusted(10, 0, -10, 0);
        const QString keys = index.data(shortcutRole).toString();
        const int keysWide = keys.isEmpty() ? 0 : option.fontMetrics.horizontalAdvance(keys) + 12;
        const int whereWide = option.fontMetrics.horizontalAdvance(QStringLiteral("Evaluation")) + 14;
        const auto cut = [&](const QString& text, int width) {
            return option.fontMetrics.elidedText(text, Qt::ElideRight, width);
        };
        painter->setPen(theme.muted);
        painter->drawText(inside, Qt::AlignVCenter | Qt::AlignLeft,
                          cut(index.data(whereRole).toString(), whereWide - 8));
        painter->drawText(inside, Qt::AlignVCenter | Qt::AlignRight, keys);
        painter->setPen(theme.text);
        const QRect middle = inside.adjusted(whereWide, 0, -keysWide, 0);
        painter->drawText(middle, Qt::AlignVCenter | Qt::AlignLeft,
                          cut(index.data(Qt::DisplayRole).toString(), middle.width()));
        painter->restore();
    }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override
    {
        return {200, option.fontMetrics.height() + 10};
    }
};

} // namespace

CommandPalette::CommandPalette(std::vector<PaletteEntry> entries, QWidget* parent)
    : QDialog(parent, Qt::Dialog | Qt::FramelessWindowHint)
    , m_entries(std::move(entries))
    , m_typed(new QLineEdit(this))
    , m_list(new QListWidget(this))
{
    setObjectName(QStringLiteral("CommandPalette"));
    setWindowTitle(tr("Commands"));
    setAttribute(Qt::WA_DeleteOnClose);
    m_typed->setPlaceholderText(tr("Type some letters of a command, page, run or matrix"));
    m_typed->setAccessibleName(tr("Command or name"));
    m_typed->setClearButtonEnabled(true);
    m_typed->installEventFilter(this);
    m_list->setAccessibleName(tr("Commands, pages, runs and matrices"));
    m_list->setItemDelegate(new EntryDelegate(m_list));
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setUniformItemSizes(true);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* outside = new QVBoxLayout(this);
    outside->setContentsMargins(0, 0, 0, 0);
    QFrame* card = makeCard(this);
    outside->addWidget(card);
    auto* layout = new QVBoxLayout(card);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->addWidget(m_typed);
    layout->addWidget(m_list);
    resize(atTextSize(620), atTextSize(420));
    if (parent) // at the top, where the eye is
        move(parent->mapToGlobal(QPoint((parent->width() - width()) / 2, 70)));
    connect(m_typed, &QLineEdit::textChanged, this, &CommandPalette::fill);
    connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::chooseCurrent);
    fill();
}

void CommandPalette::add(std::vector<PaletteEntry> entries)
{
    std::move(entries.begin(), entries.end(), std::back_inserter(m_entries));
    fill();
}

void CommandPalette::fill()
{
    std::vector<std::pair<int, int>> found; // score, position
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        const PaletteEntry& entry = m_entries[i];
        if (const auto score = fuzzyScore(m_typed->text(), entry.where + QLatin1Char(' ') + entry.text))
            found.emplace_back(-*score, static_cast<int>(i));
    }
    std::sort(found.begin(), found.end());
    if (found.size() > shownAtMost)
        found.resize(shownAtMost);
    m_list->clear();
    for (const auto& [score, at] : found) {
        const PaletteEntry& entry = m_entries[static_cast<std::size_t>(at)];
        auto* item = new QListWidgetItem(entry.text, m_list);
        item->setData(entryRole, at);
        item->setData(shortcutRole, entry.shortcut);
        item->setData(whereRole, entry.where);
        item->setData(Qt::AccessibleTextRole, QStringLiteral("%1: %2").arg(entry.where, entry.text));
    }
    if (m_list->count() == 0) {
        auto* nothing = new QListWidgetItem(tr("Nothing matches these letters."), m_list);
        nothing->setFlags(Qt::NoItemFlags);
    }
    m_list->setCurrentRow(0);
}

void CommandPalette::chooseCurrent()
{
    const QListWidgetItem* item = m_list->currentItem();
    if (!item || !item->data(entryRole).isValid())
        return;
    const auto choose = m_entries[static_cast<std::size_t>(item->data(entryRole).toInt())].choose;
    accept();
    // After this window is gone: what is chosen may open one of its own.
    if (QWidget* window = parentWidget())
        QTimer::singleShot(0, window, choose);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != m_typed || event->type() != QEvent::KeyPress)
        return QDialog::eventFilter(watched, event);
    const int key = static_cast<const QKeyEvent*>(event)->key();
    const int page = std::max(1, m_list->viewport()->height() / std::max(1, m_list->sizeHintForRow(0)) - 1);
    const int last = m_list->count() - 1;
    const auto go = [&](int row) {
        m_list->setCurrentRow(std::clamp(row, 0, std::max(0, last)));
        return true;
    };
    switch (key) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
        chooseCurrent();
        return true;
    case Qt::Key_Down:
        return go(m_list->currentRow() == last ? 0 : m_list->currentRow() + 1);
    case Qt::Key_Up:
        return go(m_list->currentRow() == 0 ? last : m_list->currentRow() - 1);
    case Qt::Key_PageDown:
        return go(m_list->currentRow() + page);
    case Qt::Key_PageUp:
        return go(m_list->currentRow() - page);
    default:
        return false;
    }
}

} // namespace sparserl

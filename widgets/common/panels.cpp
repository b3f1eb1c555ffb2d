// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/panels.h"

#include "widgets/common/delegates.h"
#include "widgets/common/icons.h"
#include "widgets/common/theme.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QHelpEvent>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QStyle>
#include <QTableView>
#include <QToolButton>
#include <QToolTip>
#include <QVBoxLayout>

namespace sparserl {

EmptyState::EmptyState(const QString& icon, const QString& title, const QString& sentence, QWidget* parent)
    : QWidget(parent)
    , m_iconName(icon)
    , m_icon(new QLabel(this))
    , m_title(makeHeading(title, this, 1.2))
    , m_sentence(makeMuted(sentence, this))
    , m_buttons(new QHBoxLayout)
{
    m_title->setAlignment(Qt::AlignCenter);
    m_title->setWordWrap(true);
    m_icon->setAlignment(Qt::AlignCenter);
    m_sentence->setWordWrap(true);
    m_sentence->setAlignment(Qt::AlignHCenter | Qt::AlignTop);
    m_sentence->setMaximumWidth(440);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(24, 24, 24, 24);
    layout->addStretch(2);
    layout->addWidget(m_icon);
    layout->addSpacing(6);
    layout->addWidget(m_title);
    auto* centred = new QHBoxLayout;
    centred->addStretch(1);
    centred->addWidget(m_sentence, 8);
    centred->addStretch(1);
    layout->addLayout(centred);
    layout->addSpacing(8);
    m_buttons->setSpacing(8);
    m_buttons->addStretch();
    m_buttons->addStretch();
    layout->addLayout(m_buttons);
    layout->addStretch(3);
    updateIcon();
}

void EmptyState::updateIcon()
{
    m_icon->setPixmap(
        themedIcon(m_iconName, Theme::of(this).muted).pixmap(QSize(44, 44), devicePixelRatioF()));
}

QPushButton* EmptyState::addButton(const QString& text, bool primary)
{
    auto* button = new QPushButton(text, this);
    if (primary)
        makePrimary(button);
    m_buttons->insertWidget(m_buttons->count() - 1, button);
    return button;
}

void EmptyState::setText(const QString& title, const QString& sentence)
{
    m_title->setText(title);
    m_sentence->setText(sentence);
}

void EmptyState::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        updateIcon();
}

MessageBar::MessageBar(QWidget* parent)
    : QFrame(parent)
    , m_icon(new QLabel(this))
    , m_text(new QLabel(this))
    , m_actions(new QHBoxLayout)
{
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(10, 6, 6, 6);
    layout->addWidget(m_icon, 0, Qt::AlignTop);
    layout->addWidget(m_text, 1);
    layout->addLayout(m_actions);
    auto* close = makeToolButton(QStringLiteral("cross"), {}, tr("Close this message"), this);
    connect(close, &QToolButton::clicked, this, &QWidget::hide);
    layout->addWidget(close, 0, Qt::AlignTop);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    hide();
}

void MessageBar::showMessage(Level level, const QString& sentence)
{
    while (QLayoutItem* item = m_actions->takeAt(0)) {
        item->widget()->deleteLater();
        delete item;
    }
    m_level = level;
    const Theme& theme = Theme::of(this);
    const QColor tint = level == Level::Info      ? theme.accent
                        : level == Level::Warning ? theme.warn
                                                  : theme.bad;
    m_icon->setPixmap(
        themedIcon(level == Level::Info ? QStringLiteral("info") : QStringLiteral("warning"), tint)
            .pixmap(QSize(18, 18), devicePixelRatioF()));
    m_text->setText(sentence);
    setAccessibleName(sentence);
    show();
    update();
}

QPushButton* MessageBar::addAction(const QString& text)
{
    auto* button = new QPushButton(text, this);
    m_actions->addWidget(button);
    return button;
}

void MessageBar::paintEvent(QPaintEvent*)
{
    const Theme& theme = Theme::of(this);
    const QColor tint = m_level == Level::Info      ? theme.accent
                        : m_level == Level::Warning ? theme.warn
                                                    : theme.bad;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(blend(theme.base, tint, 0.45), 1));
    painter.setBrush(blend(theme.base, tint, 0.09));
    painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 6, 6);
}

QFrame* makeCard(QWidget* parent)
{
    auto* card = new QFrame(parent);
    card->setProperty("card", true);
    return card;
}

QLabel* makeHeading(const QString& text, QWidget* parent, double scale)
{
    auto* label = new QLabel(text, parent);
    QFont font = label->font();
    font.setWeight(QFont::DemiBold);
    font.setPointSizeF(font.pointSizeF() * scale);
    label->setFont(font);
    return label;
}

void makePrimary(QPushButton* button)
{
    button->setProperty("primary", true);
    button->style()->unpolish(button); // a button box has polished it already
    button->style()->polish(button);
}

namespace {

/// Paints a label whose text is wider than the label with dots at its end, and tells all of it in a tool tip.
class Shortener : public QObject
{
public:
    using QObject::QObject;
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        auto* label = static_cast<QLabel*>(watched);
        const bool tells = event->type() == QEvent::ToolTip && label->toolTip().isEmpty();
        if ((event->type() != QEvent::Paint && !tells) || label->wordWrap() ||
            label->textFormat() == Qt::RichText || label->text().isEmpty())
            return false;
        const QRect room = label->contentsRect();
        const QString shown = label->fontMetrics().elidedText(label->text(), Qt::ElideRight, room.width());
        if (shown == label->text())
            return false;
        if (tells) {
            QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), label->text(), label);
            return true;
        }
        QPainter painter(label);
        label->style()->drawItemText(&painter, room, static_cast<int>(label->alignment()), label->palette(),
                                     label->isEnabled(), shown, label->foregroundRole());
        return true;
    }
};

} // namespace

void letShrink(QLabel* label)
{
    label->setMinimumWidth(40);
    label->installEventFilter(new Shortener(label));
}

QLabel* makeMuted(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setProperty("muted", true);
    return label;
}

QToolButton* makeToolButton(const QString& icon, const QString& text, const QString& toolTip, QWidget* parent)
{
    auto* button = new QToolButton(parent);
    button->setIcon(themedIcon(icon));
    button->setIconSize(QSize(16, 16));
    button->setText(text);
    button->setToolTip(toolTip);
    button->setAccessibleName(toolTip);
    button->setToolButtonStyle(text.isEmpty() ? Qt::ToolButtonIconOnly : Qt::ToolButtonTextBesideIcon);
    button->setFocusPolicy(Qt::StrongFocus);
    if (!text.isEmpty())
        button->setProperty("framed", true);
    return button;
}

void styleTable(QTableView* table)
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
    table->verticalHeader()->setDefaultSectionSize(table->fontMetrics().height() + 12);
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
        const QString title = table->model()->headerData(i, Qt::Horizontal).toString();
        table->setColumnWidth(
            i, std::max(metrics.horizontalAdvance(samples[i]), metrics.horizontalAdvance(title)) + 14);
    }
    table->setMinimumWidth(300);
    new ColumnStretcher(table, stretch, table->columnWidth(stretch));
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/status_bar.h"

#include "widgets/common/plain_text.h"

#include <QHelpEvent>
#include <QPainter>
#include <QStyle>
#include <QStyleOption>
#include <QToolTip>

#include <algorithm>

namespace sparserl {

namespace {

constexpr int margin = 6; ///< Pixels between the message and what is beside it.

} // namespace

QRect StatusBar::messageRoom() const
{
    const bool mirrored = layoutDirection() == Qt::RightToLeft;
    int left = margin, right = width() - margin;
    for (const auto* part : findChildren<QWidget*>(Qt::FindDirectChildrenOnly)) {
        if (!part->isVisible() || part->isWindow()) // a tool tip is a window, and a child
            continue;
        if (mirrored)
            left = std::max(left, part->geometry().right() + 1 + margin);
        else
            right = std::min(right, part->x() - margin);
    }
    return {left, 0, std::max(0, right - left), height()};
}

QString StatusBar::shownMessage() const
{
    // One line: a message with line breaks is not elided by Qt at all.
    return fontMetrics().elidedText(currentMessage().simplified(), Qt::ElideRight, messageRoom().width());
}

void StatusBar::paintEvent(QPaintEvent*)
{
    QPainter painter(this);
    QStyleOption option;
    option.initFrom(this);
    style()->drawPrimitive(QStyle::PE_PanelStatusBar, &option, &painter, this);
    style()->drawItemText(&painter, messageRoom(), Qt::AlignLeading | Qt::AlignVCenter | Qt::TextSingleLine,
                          palette(), isEnabled(), shownMessage(), foregroundRole());
}

bool StatusBar::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const bool cut = shownMessage() != currentMessage().simplified();
        if (cut && messageRoom().contains(help->pos()))
            QToolTip::showText(help->globalPos(), wrappedTip(currentMessage()), this, messageRoom());
        else
            QToolTip::hideText();
        return true;
    }
    return QStatusBar::event(event);
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/flow_layout.h"

#include <QWidget>
#include <algorithm>

namespace sparserl {

FlowLayout::FlowLayout(QWidget* parent, int spacing, Qt::AlignmentFlag side)
    : QLayout(parent)
    , m_gap(spacing)
    , m_side(side)
{
    setContentsMargins(0, 0, 0, 0);
}

FlowLayout::~FlowLayout()
{
    qDeleteAll(m_items);
}

QLayoutItem* FlowLayout::takeAt(int index)
{
    return index >= 0 && index < m_items.size() ? m_items.takeAt(index) : nullptr;
}

int FlowLayout::heightForWidth(int width) const
{
    const QMargins margins = contentsMargins();
    const int inside = width - margins.left() - margins.right();
    return arrange(QRect(0, 0, inside, 0), false) + margins.top() + margins.bottom();
}

QSize FlowLayout::minimumSize() const
{
    QSize size;
    for (const QLayoutItem* item : m_items)
        size = size.expandedTo(item->minimumSize());
    return size.grownBy(contentsMargins());
}

void FlowLayout::setGeometry(const QRect& rect)
{
    QLayout::setGeometry(rect);
    arrange(rect.marginsRemoved(contentsMargins()), true);
}

int FlowLayout::arrange(const QRect& rect, bool move) const
{
    const auto grows = [](const QLayoutItem* item) {
        return item->expandingDirections().testFlag(Qt::Horizontal);
    };
    int y = rect.y(), width = 0, height = 0;
    QList<QLayoutItem*> line;
    const auto place = [&] {
        const auto growing = std::ranges::find_if(line, grows);
        const int rest = std::max(0, rect.width() - width);
        int x = m_side == Qt::AlignRight && growing == line.end() ? rect.x() + rest : rect.x();
        for (QLayoutItem* item : line) {
            QSize size = item->sizeHint();
            if (growing != line.end() && item == *growing)
                size.rwidth() += rest;
            if (move)
                item->setGeometry(QRect(QPoint(x, y + (height - size.height()) / 2), size));
            x += size.width() + m_gap;
        }
    };
    for (QLayoutItem* item : m_items) {
        if (item->widget() && item->widget()->isHidden())
            continue;
        const QSize size = item->sizeHint();
        if (!line.isEmpty() && width + m_gap + size.width() > rect.width()) {
            place();
            y += height + m_gap;
            width = height = 0;
            line.clear();
        }
        width += size.width() + (line.isEmpty() ? 0 : m_gap);
        height = std::max(height, size.height());
        line.append(item);
    }
    place();
    return y + height - rect.y();
}

} // namespace sparserl

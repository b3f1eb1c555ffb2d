// SPDX-License-Identifier: Apache-2.0
#include "widgets/kernels/heat_scroll_bar.h"

#include <QPainter>
#include <algorithm>

namespace sparserl {

HeatScrollBar::HeatScrollBar(QWidget* parent)
    : QScrollBar(Qt::Vertical, parent)
{
}

void HeatScrollBar::setMarks(std::vector<Mark> marks, double lineShare)
{
    m_marks = std::move(marks);
    m_lineShare = lineShare;
    update();
}

void HeatScrollBar::paintEvent(QPaintEvent* event)
{
    QScrollBar::paintEvent(event);
    QPainter painter(this);
    constexpr double leastHeight = 2, most = 6, inset = 2;
    const double height = std::clamp(m_lineShare * this->height(), leastHeight, most);
    for (const Mark& mark : m_marks)
        painter.fillRect(QRectF(inset, mark.place * this->height(), width() - 2 * inset, height),
                         mark.colour);
}

} // namespace sparserl

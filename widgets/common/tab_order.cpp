// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/tab_order.h"

#include <QWidget>

namespace sparserl {

namespace {

void addStops(QWidget* widget, QList<QWidget*>& stops)
{
    if ((widget->focusPolicy() & Qt::TabFocus) != 0) {
        stops.append(widget);
        return;
    }
    for (QWidget* child : widget->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
        addStops(child, stops);
}

} // namespace

void setTabOrderOf(const QList<QWidget*>& widgets)
{
    QList<QWidget*> stops;
    for (QWidget* widget : widgets)
        addStops(widget, stops);
    for (qsizetype i = 1; i < stops.size(); ++i)
        QWidget::setTabOrder(stops[i - 1], stops[i]);
}

} // namespace sparserl

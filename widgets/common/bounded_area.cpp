// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/bounded_area.h"

#include <QEvent>
#include <QScreen>
#include <algorithm>

namespace sparserl {

BoundedArea::BoundedArea(QWidget* content, double share, QWidget* parent)
    : QScrollArea(parent)
    , m_share(share)
{
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setWidgetResizable(true);
    setFocusPolicy(Qt::NoFocus); // its buttons take the focus, and come into view with it
    viewport()->setAutoFillBackground(false);
    setWidget(content);
    content->setAutoFillBackground(false);
    content->installEventFilter(this);
}

void BoundedArea::resizeEvent(QResizeEvent* event)
{
    QScrollArea::resizeEvent(event);
    fit();
}

bool BoundedArea::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == widget() && event->type() == QEvent::LayoutRequest)
        fit();
    return QScrollArea::eventFilter(watched, event);
}

void BoundedArea::fit()
{
    const int most = static_cast<int>(m_share * screen()->availableGeometry().height());
    // By the whole width: with that of the viewport, a scroll bar that takes room would ask for itself.
    const int needed = std::max(widget()->heightForWidth(width()), widget()->minimumSizeHint().height());
    const int height = std::min(needed, most);
    if (height != minimumHeight() || height != maximumHeight())
        setFixedHeight(height);
}

} // namespace sparserl

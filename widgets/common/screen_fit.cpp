// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/screen_fit.h"

#include <QApplication>
#include <QEvent>
#include <QScreen>
#include <QWidget>
#include <algorithm>

namespace sparserl {

namespace {

class ScreenKeeper : public QObject
{
public:
    using QObject::QObject;
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        if (event->type() != QEvent::Show || !watched->isWidgetType())
            return false;
        auto* window = static_cast<QWidget*>(watched);
        const Qt::WindowType type = window->windowType();
        const bool sized = window->isWindow() && (type == Qt::Window || type == Qt::Dialog);
        if (!sized || window->isMaximized() || window->isFullScreen())
            return false;
        const QMargins frame(4, 32, 4, 4); // about what window managers draw; not known before it is shown
        const QRect available = window->screen()->availableGeometry();
        const QRect now = window->geometry();
        // A place that the window manager is to find is nobody's yet.
        const bool placed = window->testAttribute(Qt::WA_Moved);
        const QRect fitting = placeOnScreen(now, available, frame);
        if (fitting.size() != now.size())
            window->resize(fitting.size());
        if (placed && fitting.topLeft() != now.topLeft())
            window->move(fitting.topLeft());
        return false;
    }
};

} // namespace

QRect placeOnScreen(const QRect& window, const QRect& available, const QMargins& frame)
{
    const QRect room = available.marginsRemoved(frame);
    const QSize size = window.size().boundedTo(room.size());
    return {QPoint(std::clamp(window.x(), room.left(), room.right() + 1 - size.width()),
                   std::clamp(window.y(), room.top(), room.bottom() + 1 - size.height())),
            size};
}

QObject* keepOnScreen(QApplication& application)
{
    auto* keeper = new ScreenKeeper(&application);
    application.installEventFilter(keeper);
    return keeper;
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMargins>
#include <QRect>

class QApplication;
class QObject;

namespace sparserl {

/// The place of a window on a screen with the free area `available`: unchanged if it fits, otherwise inside
/// and as large as possible with a frame of `frame`.
QRect placeOnScreen(const QRect& window, const QRect& available, const QMargins& frame);

/// Keeps all windows and dialogs of the application within their screen during the lifetime of the returned
/// object.
QObject* keepOnScreen(QApplication& application);

} // namespace sparserl

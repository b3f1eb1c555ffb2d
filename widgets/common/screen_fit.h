// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMargins>
#include <QRect>

class QApplication;
class QObject;

namespace sparserl {

/// The geometry of a window on a screen with the free area `available`: unchanged if it fits, otherwise moved
/// and shrunk to fit, together with a window frame of the size `frame`.
QRect placeOnScreen(const QRect& window, const QRect& available, const QMargins& frame);

/// Keeps all windows and dialogs of the application within their screen during the lifetime of the returned
/// object.
QObject* keepOnScreen(QApplication& application);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QMargins>
#include <QRect>

class QApplication;
class QObject;

namespace sparserl {

/// The place of a window on a screen of which `available` is free: as it is where it fits, else as large as
/// fits with a frame of `frame` around it, and inside.
QRect placeOnScreen(const QRect& window, const QRect& available, const QMargins& frame);

/// From now on, as long as what it gives lives, no window and no dialog of the application appears larger
/// than the screen that it is on.
QObject* keepOnScreen(QApplication& application);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <QList>
#include <QPalette>

class QApplication;
class QWidget;

namespace sparserl {

/// What the user chose in View > Theme.
enum class ThemeChoice
{
    System,
    Light,
    Dark
};

/// The colours of the window. Derived from a palette, so nothing holds a copy that could go stale.
struct Theme
{
    bool dark = false;
    QColor window, base, raised, border, grid;
    QColor text, muted, accent, onAccent, selection;
    QColor good, warn, bad;
    QList<QColor> series; ///< Told apart by colour-blind readers too; charts add dash patterns and markers.

    static const Theme& light();
    static const Theme& darkTheme();
    static const Theme& of(const QPalette& palette);
    static const Theme& of(const QWidget* widget);

    /// Any number of colours: behind `series` come darker and lighter ones.
    QColor seriesColour(int index) const;

    QPalette palette() const;
};

/// Sets style, palette and style sheet of the application. `System` follows the desktop's palette.
void applyTheme(QApplication& application, ThemeChoice choice);

/// `over` laid on `under` with the given opacity in [0, 1].
QColor blend(const QColor& under, const QColor& over, double opacity);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/curve_palette.h"

#include <QColor>
#include <QList>
#include <QPalette>

class QApplication;
class QFont;
class QWidget;

namespace sparserl {

struct Preferences;

/// The user's choice in View > Theme.
enum class ThemeChoice
{
    System,
    Light,
    Dark
};

/// The colours of the window. They are derived from a palette on demand, so that no copy becomes outdated.
struct Theme
{
    bool dark = false;
    CurvePalette curves = CurvePalette::Standard;
    QColor window, base, raised, border, grid;
    QColor text, muted, accent, onAccent, selection;
    QColor good, warn, bad;
    QList<QColor> series; ///< From the palette `curves`; charts add dash patterns and markers.

    static const Theme& light(CurvePalette curves = CurvePalette::Standard);
    static const Theme& darkTheme(CurvePalette curves = CurvePalette::Standard);
    static const Theme& of(const QPalette& palette);
    static const Theme& of(const QWidget* widget);

    /// The colour of a curve. Numbers beyond `series` get darker and lighter variants. Also accepts numbers
    /// from fixedColour().
    QColor seriesColour(int index) const;
    /// Returns a number for colour `index` of the current palette. That number's colour does not change with
    /// the palette.
    int fixedColour(int index) const;
    /// The `index` that was given to fixedColour() for this number; any other number is returned unchanged.
    static int withoutPalette(int number);

    QPalette palette() const;
};

/// Sets style, palette and style sheet of the application. `System` follows the desktop's palette.
void applyTheme(QApplication& application, ThemeChoice choice, CurvePalette curves = CurvePalette::Standard);
/// The two halves of applyTheme(). If the window is created between them, startup takes a third less time,
/// because with a style sheet, Qt visits all children of a widget whenever the widget gets a parent.
void applyColours(ThemeChoice choice, CurvePalette curves);
void applyStyleSheet(QApplication& application);

/// Sets the text size and the code font; `desktop` is the default font. Takes effect when the theme is
/// applied again.
void applyFonts(const QFont& desktop, const Preferences& preferences);
/// Scales a length related to text, such as the side of an icon, from pixels at the default text size to the
/// current one.
int atTextSize(int pixels);
/// The same for an icon or arrow beside text. It grows half as much, because a row of them must fit into
/// 1,280 pixels.
int besideText(int pixels);
/// The font for source texts and logs.
QFont codeFont();

/// Blends `over` onto `under` with an opacity in [0, 1].
QColor blend(const QColor& under, const QColor& over, double opacity);

} // namespace sparserl

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
    CurvePalette curves = CurvePalette::Standard;
    QColor window, base, raised, border, grid;
    QColor text, muted, accent, onAccent, selection;
    QColor good, warn, bad;
    QList<QColor> series; ///< Those of `curves`; charts add dash patterns and markers.

    static const Theme& light(CurvePalette curves = CurvePalette::Standard);
    static const Theme& darkTheme(CurvePalette curves = CurvePalette::Standard);
    static const Theme& of(const QPalette& palette);
    static const Theme& of(const QWidget* widget);

    /// Any number of colours: behind `series` come darker and lighter ones. Numbers of fixedColour() too.
    QColor seriesColour(int index) const;
    /// The number of a colour that stays what it is when other curves are chosen: number `index` of today's.
    int fixedColour(int index) const;
    /// `index` of fixedColour(), or the number itself.
    static int withoutPalette(int number);

    QPalette palette() const;
};

/// Sets style, palette and style sheet of the application. `System` follows the desktop's palette.
void applyTheme(QApplication& application, ThemeChoice choice, CurvePalette curves = CurvePalette::Standard);
/// Both halves of applyTheme(): a program that makes a window between them starts a third faster, as Qt goes
/// through all that is in a widget whenever it gets a parent while there is a style sheet.
void applyColours(ThemeChoice choice, CurvePalette curves);
void applyStyleSheet(QApplication& application);

/// Sets the size of all text and the font of code; `desktop` is what text has by itself. Seen once the theme
/// is applied again.
void applyFonts(const QFont& desktop, const Preferences& preferences);
/// A length that belongs to text, such as the side of an icon, in pixels where text has its usual size: as
/// many as it takes at the size that is chosen.
int atTextSize(int pixels);
/// The font of source texts and logs.
QFont codeFont();

/// `over` laid on `under` with the given opacity in [0, 1].
QColor blend(const QColor& under, const QColor& over, double opacity);

} // namespace sparserl

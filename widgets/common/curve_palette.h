// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <QList>
#include <QString>
#include <array>

namespace sparserl {

/// The colours of curves in all charts.
enum class CurvePalette
{
    Standard,
    ColourBlind, ///< From Okabe and Ito, "Color Universal Design" (2008). The colours are distinguishable
                 ///< with any colour vision.
    HighContrast ///< Each has a contrast of 7 to 1 (WCAG 2, level AAA for text).
};
inline constexpr std::array curvePalettes{CurvePalette::Standard, CurvePalette::ColourBlind,
                                          CurvePalette::HighContrast};

/// Six colours for a light or a dark background, in the order of curves.
const QList<QColor>& curveColours(CurvePalette palette, bool dark);

/// The name of a palette in the settings file: "standard", "colour-blind", "high-contrast". An unknown name
/// selects the first palette.
QString nameOf(CurvePalette palette);
CurvePalette curvePaletteFromName(const QString& name);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>
#include <QList>
#include <QString>
#include <array>

namespace sparserl {

/// What the curves of all charts are coloured with.
enum class CurvePalette
{
    Standard,
    ColourBlind, ///< Of Okabe and Ito, "Color Universal Design" (2008): told apart with any colour vision.
    HighContrast ///< Each stands out from its background 7 to 1 (WCAG 2, level AAA for text).
};
inline constexpr std::array curvePalettes{CurvePalette::Standard, CurvePalette::ColourBlind,
                                          CurvePalette::HighContrast};

/// Six colours on a light or a dark background, in the order in which curves take them.
const QList<QColor>& curveColours(CurvePalette palette, bool dark);

/// Its word in the settings file: "standard", "colour-blind", "high-contrast". Any other word is the first.
QString nameOf(CurvePalette palette);
CurvePalette curvePaletteFromName(const QString& name);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/curve_palette.h"

namespace sparserl {

namespace {

QList<QColor> colours(std::initializer_list<QRgb> values)
{
    QList<QColor> list;
    for (const QRgb value : values)
        list.append(QColor::fromRgb(value));
    return list;
}

} // namespace

const QList<QColor>& curveColours(CurvePalette palette, bool dark)
{
    static const QList<QColor> standard =
        colours({0x1f62c4, 0xd36a0b, 0x12865c, 0x9a3aac, 0xa8810c, 0x525f70});
    static const QList<QColor> standardDark =
        colours({0x70a7fb, 0xf3a15c, 0x4fc08a, 0xd38ee0, 0xdfbf55, 0xa6b2c1});
    // Blue, vermillion, bluish green, reddish purple, orange, black; where it is dark sky blue and yellow are
    // seen better than blue and vermillion, and black is white.
    static const QList<QColor> colourBlind =
        colours({0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x000000});
    static const QList<QColor> colourBlindDark =
        colours({0x56b4e9, 0xe69f00, 0x009e73, 0xcc79a7, 0xf0e442, 0xffffff});
    static const QList<QColor> highContrast =
        colours({0x0038d1, 0xb00000, 0x006400, 0x8a00b8, 0x7a4a00, 0x000000});
    static const QList<QColor> highContrastDark =
        colours({0x40e0ff, 0xffb347, 0x7cff5a, 0xff9cff, 0xffe600, 0xffffff});
    switch (palette) {
    case CurvePalette::ColourBlind:
        return dark ? colourBlindDark : colourBlind;
    case CurvePalette::HighContrast:
        return dark ? highContrastDark : highContrast;
    case CurvePalette::Standard:
        break;
    }
    return dark ? standardDark : standard;
}

QString nameOf(CurvePalette palette)
{
    switch (palette) {
    case CurvePalette::ColourBlind:
        return QStringLiteral("colour-blind");
    case CurvePalette::HighContrast:
        return QStringLiteral("high-contrast");
    case CurvePalette::Standard:
        break;
    }
    return QStringLiteral("standard");
}

CurvePalette curvePaletteFromName(const QString& name)
{
    for (const CurvePalette palette : curvePalettes)
        if (nameOf(palette) == name)
            return palette;
    return CurvePalette::Standard;
}

} // namespace sparserl

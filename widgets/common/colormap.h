// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QColor>

namespace sparserl {

/// Perceptually uniform colour maps that are safe for colour-blind readers.
enum class ColorMap
{
    Viridis,
    Cividis
};

/// The colour at `t` in [0, 1] (clamped).
QRgb mapColor(ColorMap map, double t);

} // namespace sparserl

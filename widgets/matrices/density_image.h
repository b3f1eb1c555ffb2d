// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/density.h"
#include "widgets/common/theme.h"

#include <QImage>

namespace sparserl {

/// How the number of entries in a pixel becomes a colour.
enum class Shading
{
    Binary,   ///< Every pixel with an entry looks the same.
    Relative, ///< Logarithm of the count, relative to the largest count in view.
    Absolute  ///< Share of the places that are filled, from one in 10,000 to all.
};

/// The colour of a density in (0, 1]. Every colour stands out from the background.
QRgb densityColour(double t, bool dark);

/// Draws one pixel per cell of the grid. Empty cells have the base colour of the theme.
QImage densityImage(const DensityGrid& grid, Shading shading, const Theme& theme);

} // namespace sparserl

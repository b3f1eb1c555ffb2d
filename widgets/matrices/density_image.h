// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/density.h"
#include "widgets/common/theme.h"

#include <QImage>

namespace sparserl {

/// How many entries fall into a pixel, as a colour.
enum class Shading
{
    Binary,   ///< Something is there.
    Relative, ///< Count by the largest count in view, logarithmic.
    Absolute  ///< Share of the places that are filled, from one in 10,000 to all.
};

/// Colour of a density in (0, 1]; every non-empty pixel stands out from the background.
QRgb densityColour(double t, bool dark);

/// One pixel a cell; what is empty has the colour of the theme's base.
QImage densityImage(const DensityGrid& grid, Shading shading, const Theme& theme);

} // namespace sparserl

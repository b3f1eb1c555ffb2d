// SPDX-License-Identifier: Apache-2.0
#include "widgets/matrices/density_image.h"

#include "widgets/common/colormap.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sparserl {

QRgb densityColour(double t, bool dark)
{
    t = std::clamp(t, 0.0, 1.0);
    return dark ? mapColor(ColorMap::Viridis, 0.34 + 0.66 * t) : mapColor(ColorMap::Viridis, 0.74 * (1 - t));
}

QImage densityImage(const DensityGrid& grid, Shading shading, const Theme& theme)
{
    if (grid.counts.empty())
        return {};
    QImage image(grid.width, grid.height, QImage::Format_RGB32);
    const QRgb empty = theme.base.rgb();
    const double most = std::log1p(static_cast<double>(grid.most));
    // Few colours and few different counts are looked up, many pixels are written.
    std::array<QRgb, 256> table;
    for (int i = 0; i < 256; ++i)
        table[i] = densityColour(i / 255.0, theme.dark);
    const auto colourOf = [&table](double t) {
        return table[static_cast<std::size_t>(std::clamp(t, 0.0, 1.0) * 255)];
    };
    const QRgb solid = theme.dark ? densityColour(0.55, true) : densityColour(0.8, false);
    std::array<QRgb, 1024> relative;
    for (std::size_t count = 0; count < relative.size(); ++count)
        relative[count] = colourOf(grid.most <= 1 ? 0.8 : std::log1p(static_cast<double>(count)) / most);
    for (int y = 0; y < grid.height; ++y) {
        auto* line = reinterpret_cast<QRgb*>(image.scanLine(y));
        for (int x = 0; x < grid.width; ++x) {
            const std::uint32_t count = grid.at(y, x);
            if (count == 0)
                line[x] = empty;
            else if (shading == Shading::Binary)
                line[x] = solid;
            else if (shading == Shading::Absolute)
                line[x] = colourOf(1 + std::log10(std::max(1e-4, grid.fill(y, x))) / 4);
            else
                line[x] = count < relative.size() ? relative[count] : colourOf(std::log1p(count) / most);
        }
    }
    return image;
}

} // namespace sparserl

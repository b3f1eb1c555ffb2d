// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/colormap.h"

#include <algorithm>
#include <array>

namespace sparserl {

namespace {

struct Anchor
{
    int r, g, b;
};

// Every tenth of the published tables (viridis: Smith and van der Walt 2015; cividis: Nunez, Anderton and
// Renslow 2018).
constexpr std::array<Anchor, 11> viridis{{{68, 1, 84},
                                          {72, 36, 117},
                                          {65, 68, 135},
                                          {53, 95, 141},
                                          {42, 120, 142},
                                          {33, 145, 140},
                                          {34, 168, 132},
                                          {68, 191, 112},
                                          {122, 209, 81},
                                          {189, 223, 38},
                                          {253, 231, 37}}};
constexpr std::array<Anchor, 11> cividis{{{0, 34, 78},
                                          {18, 53, 112},
                                          {59, 73, 108},
                                          {87, 93, 109},
                                          {112, 113, 115},
                                          {138, 134, 120},
                                          {165, 156, 116},
                                          {195, 179, 105},
                                          {225, 204, 85},
                                          {240, 218, 70},
                                          {254, 232, 56}}};

} // namespace

QRgb mapColor(ColorMap map, double t)
{
    const auto& table = map == ColorMap::Viridis ? viridis : cividis;
    const double position = std::clamp(t, 0.0, 1.0) * 10;
    const int low = std::min(9, static_cast<int>(position));
    const double part = position - low;
    const auto mix = [&](int a, int b) { return qRound(a + (b - a) * part); };
    const Anchor a = table[low], b = table[low + 1];
    return qRgb(mix(a.r, b.r), mix(a.g, b.g), mix(a.b, b.b));
}

} // namespace sparserl

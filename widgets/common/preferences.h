// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/curve_palette.h"

#include <QString>

namespace sparserl {

/// What the user chose in the settings dialog, the theme apart. Empty or out of range: as it is by itself.
struct Preferences
{
    static constexpr int leastTextPercent = 70, mostTextPercent = 200, threadsOfPreset = -1;

    int textPercent = 100; ///< Of the desktop's size.
    QString codeFamily;    ///< Empty: the desktop's for code.
    int codePoints = 0;    ///< 0: as other text.
    CurvePalette curves = CurvePalette::Standard;
    QString device, judgeDevice;   ///< Of new runs; empty: as the preset says.
    int threads = threadsOfPreset; ///< Of new runs.
    bool countInBackground = true; ///< Lines of the program that is shown.
    QString exportFolder;          ///< Empty: the project's.
    bool rememberLayout = true;    ///< Arrange the window at its start as it was last.

    bool operator==(const Preferences&) const = default;
};

} // namespace sparserl

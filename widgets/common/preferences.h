// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "widgets/common/curve_palette.h"

#include <QString>

namespace sparserl {

/// The user's choices in the settings dialog, except the theme. Empty or out-of-range values mean the
/// default.
struct Preferences
{
    static constexpr int leastTextPercent = 70, mostTextPercent = 200, threadsOfPreset = -1;

    int textPercent = 100; ///< Relative to the desktop's size.
    QString codeFamily;    ///< Empty: the desktop's code font.
    int codePoints = 0;    ///< 0: same as other text.
    CurvePalette curves = CurvePalette::Standard;
    QString device, judgeDevice;   ///< For new runs; empty: the value of the preset.
    int threads = threadsOfPreset; ///< For new runs.
    bool countInBackground = true; ///< Computes counters per line for the displayed program.
    QString exportFolder;          ///< Empty: the project's.
    bool rememberLayout = true;    ///< Restores the last arrangement of the window at startup.

    bool operator==(const Preferences&) const = default;
};

} // namespace sparserl

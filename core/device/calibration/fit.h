// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "device/calibration/quality.h"
#include "device/calibration/row.h"
#include "machine/device_model.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sparserl {

struct FitOptions
{
    int rounds = 60; ///< Of pattern search over all parameters.
    int folds = 5;   ///< For cross-validation by matrix; 0: none.
    int threads = 0;
    std::uint64_t seed = 1;
    std::vector<std::string> keep; ///< Parameters that stay as they are: what was measured by itself.
    CancelToken cancel;
    std::function<void(double fraction, const std::string& phase)> progress;
};

struct FitResult
{
    DeviceModel model;
    double lossBefore = 0, lossAfter = 0;
    ModelledTimes heldOut; ///< Each row by a model that was fitted without its matrix; empty without folds.
};

/// Searches the cost parameters from `start` (Hooke and Jeeves 1961, on a logarithmic scale within bounds;
/// deterministic). Fails where fewer than 10 rows are usable.
Result<FitResult> fitModel(const DeviceModel& start, const std::vector<CalibrationRow>& rows,
                           const FitOptions& options);

} // namespace sparserl

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
    int rounds = 60; ///< Rounds of pattern search over all parameters.
    int folds = 5;   ///< Number of folds of the cross-validation by matrix; 0: no cross-validation.
    int threads = 0;
    std::uint64_t seed = 1;
    std::vector<std::string>
        keep; ///< Names of parameters that the fit must not change, because they were measured separately.
    CancelToken cancel;
    std::function<void(double fraction, const std::string& phase)> progress;
};

struct FitResult
{
    DeviceModel model;
    double lossBefore = 0, lossAfter = 0;
    ModelledTimes heldOut; ///< Each row's times as predicted by a model that was fitted without the row's
                           ///< matrix; empty without folds.
};

/// Fits the cost parameters by pattern search (Hooke and Jeeves 1961) on a bounded logarithmic scale,
/// starting from `start`. Deterministic. Fails if fewer than 10 rows are usable.
Result<FitResult> fitModel(const DeviceModel& start, const std::vector<CalibrationRow>& rows,
                           const FitOptions& options);

} // namespace sparserl

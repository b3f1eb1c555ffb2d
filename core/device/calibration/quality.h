// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/calibration/row.h"
#include "machine/device_model.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sparserl {

/// Agreement of modelled and measured times over rows of one kind (all, or a range of sizes).
struct ModelQuality
{
    std::int64_t rows = 0, matrices = 0;
    std::int64_t pairs = 0; ///< Pairs of programs on one matrix whose measured times differ by more than 10
                            ///< %.
    double ordered = 0;     ///< Fraction of pairs that the model orders correctly.
    double regret = 0;      ///< Time lost by following the model: geometric mean over matrices, minus 1.
    double worstRegret = 0; ///< The worst matrix.
    double medianError = 0; ///< Median of |modelled / measured - 1|, warm.
    double medianColdError = 0;
};

/// Uses only rows with nnz in [lowest, highest) and a profile.
ModelQuality modelQuality(const DeviceModel& model, const std::vector<CalibrationRow>& rows,
                          std::int64_t lowest = 0, std::int64_t highest = INT64_MAX);

/// The same for given modelled times (held-out folds), by row index; 0: none.
ModelQuality qualityOfTimes(const std::vector<double>& warm, const std::vector<double>& cold,
                            const std::vector<CalibrationRow>& rows, std::int64_t lowest = 0,
                            std::int64_t highest = INT64_MAX);

/// A Markdown table by matrix size: one line per range, columns as in ModelQuality.
std::string qualityTable(const std::vector<double>& warm, const std::vector<double>& cold,
                         const std::vector<CalibrationRow>& rows);

/// Modelled times of every row; 0 without a profile.
struct ModelledTimes
{
    std::vector<double> warm, cold;
};
ModelledTimes modelledTimes(const DeviceModel& model, const std::vector<CalibrationRow>& rows);

/// Measured times and modelled times before and after fitting as CSV, one line per row. `heldOut` may be
/// empty.
std::string timesCsv(const std::vector<CalibrationRow>& rows, const ModelledTimes& before,
                     const ModelledTimes& after, const ModelledTimes& heldOut);

} // namespace sparserl

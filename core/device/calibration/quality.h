// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/calibration/row.h"
#include "machine/device_model.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sparserl {

/// How well a model's times stand for measured ones, over rows of one kind (all, or a range of sizes).
struct ModelQuality
{
    std::int64_t rows = 0, matrices = 0;
    std::int64_t pairs = 0; ///< Of programs on one matrix whose measured times differ by more than 10 %.
    double ordered = 0;     ///< Share of the pairs that the model puts in the right order.
    double regret = 0;      ///< Time lost by choosing by the model: geometric mean over matrices, less 1.
    double worstRegret = 0; ///< The worst matrix.
    double medianError = 0; ///< Median of |modelled / measured - 1|, warm.
    double medianColdError = 0;
};

/// Only rows with nnz in [lowest, highest) and a profile count.
ModelQuality modelQuality(const DeviceModel& model, const std::vector<CalibrationRow>& rows,
                          std::int64_t lowest = 0, std::int64_t highest = INT64_MAX);

/// The same from times that were modelled elsewhere (held-out folds): by index of the row, 0: none.
ModelQuality qualityOfTimes(const std::vector<double>& warm, const std::vector<double>& cold,
                            const std::vector<CalibrationRow>& rows, std::int64_t lowest = 0,
                            std::int64_t highest = INT64_MAX);

/// A Markdown table by sizes of matrices: one line for each range, columns as in ModelQuality.
std::string qualityTable(const std::vector<double>& warm, const std::vector<double>& cold,
                         const std::vector<CalibrationRow>& rows);

/// What a model says of every row; 0 where there is no profile.
struct ModelledTimes
{
    std::vector<double> warm, cold;
};
ModelledTimes modelledTimes(const DeviceModel& model, const std::vector<CalibrationRow>& rows);

/// Measured times and those of a model before and after it was fitted, as CSV: a line for each row. `heldOut`
/// may be empty.
std::string timesCsv(const std::vector<CalibrationRow>& rows, const ModelledTimes& before,
                     const ModelledTimes& after, const ModelledTimes& heldOut);

} // namespace sparserl

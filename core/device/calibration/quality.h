// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/calibration/row.h"
#include "machine/device_model.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sparserl {

/// How well modelled times agree with measured times, over all rows or over the matrices of one size range.
struct ModelQuality
{
    std::int64_t rows = 0, matrices = 0;
    std::int64_t pairs =
        0; ///< Pairs of programs on one matrix whose measured times differ by more than 10 percent.
    double ordered = 0; ///< Fraction of pairs that the model orders correctly.
    double regret = 0; ///< Time lost by choosing as the model advises: geometric mean over matrices, minus 1.
    double worstRegret = 0; ///< The same for the worst matrix.
    double medianError = 0; ///< Median of |modelled / measured - 1| for warm times.
    double medianColdError = 0;
};

/// Judges a model by the usable rows with nnz in [lowest, highest).
ModelQuality modelQuality(const DeviceModel& model, const std::vector<CalibrationRow>& rows,
                          std::int64_t lowest = 0, std::int64_t highest = INT64_MAX);

/// Judges times that are given by row index (for example, predictions of folds); 0: the row has no time.
ModelQuality qualityOfTimes(const std::vector<double>& warm, const std::vector<double>& cold,
                            const std::vector<CalibrationRow>& rows, std::int64_t lowest = 0,
                            std::int64_t highest = INT64_MAX);

/// Returns a Markdown table: one line per range of matrix sizes, one column per member of ModelQuality.
std::string qualityTable(const std::vector<double>& warm, const std::vector<double>& cold,
                         const std::vector<CalibrationRow>& rows);

/// The modelled times of every row; 0 if the row is not usable.
struct ModelledTimes
{
    std::vector<double> warm, cold;
};
ModelledTimes modelledTimes(const DeviceModel& model, const std::vector<CalibrationRow>& rows);

/// Returns CSV text with one line per row: its measured times, and its modelled times before and after
/// fitting. `heldOut` may be empty.
std::string timesCsv(const std::vector<CalibrationRow>& rows, const ModelledTimes& before,
                     const ModelledTimes& after, const ModelledTimes& heldOut);

} // namespace sparserl

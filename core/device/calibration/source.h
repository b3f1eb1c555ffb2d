// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/calibration/collect.h"

#include <filesystem>

namespace sparserl {

/// What rows are measured on.
struct MeasuringSource
{
    Measure measure;
    DeviceModel model; ///< Where the search starts: sizes are the device's.
    DeviceLimits limits;
    std::string device; ///< Name for the rows.
    std::string architecture = "sm_90";
};

/// A GPU by its number; `start` gives the rates and latencies that nobody has measured yet. After a kernel
/// that leaves the context unusable its row says so, and whatever is measured next is an Error.
Result<MeasuringSource> gpuSource(int ordinal, int samples, const DeviceModel& start);
/// "Times" of the simulated device, to try it all where there is no GPU.
MeasuringSource simulatorSource(const DeviceModel& model);

struct MeasuringPlan
{
    std::vector<std::int64_t> columns{1}; ///< 1: SpMV, others SpMM.
    double minutes = 0;                   ///< No further matrix is begun after this time; 0: no limit.
    std::filesystem::path file;           ///< Rows are appended as they come.
};
/// Measures everything that `rows` does not have yet and appends it to the plan's file and to `rows`.
/// `options` as of the source otherwise. How many rows were measured.
Result<std::size_t> measureRows(const MeasuringSource& source, CollectOptions options,
                                const MeasuringPlan& plan, const std::vector<CalibrationMatrix>& matrices,
                                const ProgramCompiler& compiler, std::vector<CalibrationRow>& rows);

} // namespace sparserl

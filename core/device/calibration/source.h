// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/calibration/collect.h"

#include <filesystem>

namespace sparserl {

/// The device for measuring rows.
struct MeasuringSource
{
    Measure measure;
    DeviceModel model; ///< Start of the fit; its sizes are the device's.
    DeviceLimits limits;
    std::string device; ///< Device name in the rows.
    std::string architecture = "sm_90";
};

/// A GPU by ordinal. `start` provides the rates and latencies that are not measured yet. If a kernel makes
/// the context unusable, its row says so, and the next measurement is an Error.
Result<MeasuringSource> gpuSource(int ordinal, int samples, const DeviceModel& start);
/// Modelled times of the simulated device, for tests without a GPU.
MeasuringSource simulatorSource(const DeviceModel& model);

struct MeasuringPlan
{
    std::vector<std::int64_t> columns{1}; ///< 1: SpMV, others SpMM.
    double minutes = 0;                   ///< No further matrix starts after this time; 0: no limit.
    std::filesystem::path file;           ///< Rows are appended immediately.
};
/// Measures everything that `rows` does not contain yet, and appends it to the plan's file and to `rows`.
/// Takes device-specific options from the source. Returns the number of measured rows.
Result<std::size_t> measureRows(const MeasuringSource& source, CollectOptions options,
                                const MeasuringPlan& plan, const std::vector<CalibrationMatrix>& matrices,
                                const ProgramCompiler& compiler, std::vector<CalibrationRow>& rows);

} // namespace sparserl

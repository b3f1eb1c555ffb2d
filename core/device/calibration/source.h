// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/calibration/collect.h"

#include <filesystem>

namespace sparserl {

/// A device that measures rows.
struct MeasuringSource
{
    Measure measure;
    DeviceModel model; ///< The model from which a fit starts; its sizes are those of the device.
    DeviceLimits limits;
    std::string device; ///< The device name to write into the rows.
    std::string architecture = "sm_90";
};

/// Opens the GPU with this ordinal. `start` provides the rates and latencies that are not measured yet. If a
/// kernel makes the context unusable, the kernel's row says so, and the next measurement is an Error.
Result<MeasuringSource> gpuSource(int ordinal, int samples, const DeviceModel& start);
/// Returns a source whose "measured" times are modelled by the simulated device, for tests without a GPU.
MeasuringSource simulatorSource(const DeviceModel& model);

struct MeasuringPlan
{
    std::vector<std::int64_t> columns{
        1};                     ///< 1 means SpMV; any other number is the number of columns in SpMM.
    double minutes = 0;         ///< No further matrix is started after this time; 0: no limit.
    std::filesystem::path file; ///< Each row is appended to this file as soon as it is measured.
};
/// Measures every program that has no row in `rows` yet, and appends the new rows to the plan's file and to
/// `rows`. Takes device-specific options from the source. Returns the number of new rows.
Result<std::size_t> measureRows(const MeasuringSource& source, CollectOptions options,
                                const MeasuringPlan& plan, const std::vector<CalibrationMatrix>& matrices,
                                const ProgramCompiler& compiler, std::vector<CalibrationRow>& rows);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "compile/program_compiler.h"
#include "device/calibration/row.h"
#include "device/cuda/measurement.h"
#include "kernel/bind.h"
#include "machine/device_model.h"
#include "matrix/csr.h"
#include "target/task.h"

#include <functional>
#include <string>
#include <vector>

namespace sparserl {

/// A matrix that is loaded on demand.
struct CalibrationMatrix
{
    std::string name;
    std::function<Result<Csr>()> load;
};

struct CollectOptions
{
    TargetVariant variant;     ///< The computation to perform with each matrix.
    std::size_t programs = 20; ///< Number of programs per matrix.
    /// How many of them are the first recommendations for `model`. The others are drawn at random.
    std::size_t recommended = 4;
    std::uint64_t seed = 1;
    int threads = 0; ///< Threads that compile, bind and simulate; 0: one per core.
    std::string architecture = "sm_90";
    DeviceLimits limits;
    DeviceModel model = defaultDeviceModel(); ///< The device for which programs are recommended.
    std::string device;                       ///< The device name to write into the rows.
    std::vector<std::string> done;            ///< Keys (CalibrationRow::key) of rows that exist already.
    std::function<bool()> enough; ///< If it returns true, no further matrix is started. May be empty.
    CancelToken cancel;
    std::function<void(double fraction, const std::string& phase)> progress;
    std::function<void(const std::string& sentence)> log;
};

/// Measures a program on the GPU. An Error ends the collection.
using Measure = std::function<Result<Measurement>(const MeasureRequest&)>;

/// Compiles, binds and measures programs on every matrix, checks their results against a double-precision
/// sum, and passes each finished row to `take`. Skips programs that do not apply to a matrix. Logs and skips
/// matrices that cannot be read.
Status collectMeasurements(const std::vector<CalibrationMatrix>& matrices, const ProgramCompiler& compiler,
                           const CollectOptions& options, const Measure& measure,
                           const std::function<Status(const CalibrationRow&)>& take);

/// Adds a profile to each row by compiling its program and running it on the simulated device with counters.
/// Replaces existing profiles only with `again`. Rows of matrices outside `matrices` do not change.
Status simulateProfiles(std::vector<CalibrationRow>& rows, const std::vector<CalibrationMatrix>& matrices,
                        const ProgramCompiler& compiler, const CollectOptions& options, bool again);

} // namespace sparserl

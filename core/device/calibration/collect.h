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
    TargetVariant variant;     ///< Computation with the matrices.
    std::size_t programs = 20; ///< Per matrix.
    /// Number of programs that are the first recommendations for `model`; the others are drawn.
    std::size_t recommended = 4;
    std::uint64_t seed = 1;
    int threads = 0; ///< For compiling, binding and simulating; 0: one per core.
    std::string architecture = "sm_90";
    DeviceLimits limits;
    DeviceModel model = defaultDeviceModel(); ///< Device of the recommendations.
    std::string device;                       ///< Device name in the rows.
    std::vector<std::string> done;            ///< Keys of existing rows (CalibrationRow::key).
    std::function<bool()> enough;             ///< Returns true to start no further matrix. May be empty.
    CancelToken cancel;
    std::function<void(double fraction, const std::string& phase)> progress;
    std::function<void(const std::string& sentence)> log;
};

/// Measures a program on the GPU. An Error ends the collection.
using Measure = std::function<Result<Measurement>(const MeasureRequest&)>;

/// Compiles, binds and measures programs on every matrix, checks their results against a double-precision
/// sum, and emits rows one at a time. Skips programs that do not apply to a matrix; logs and skips unreadable
/// matrices.
Status collectMeasurements(const std::vector<CalibrationMatrix>& matrices, const ProgramCompiler& compiler,
                           const CollectOptions& options, const Measure& measure,
                           const std::function<Status(const CalibrationRow&)>& take);

/// Adds profiles to rows (with `again`, replaces existing ones): compiles the programs and runs them on the
/// simulated device with counters. Rows of matrices outside `matrices` do not change.
Status simulateProfiles(std::vector<CalibrationRow>& rows, const std::vector<CalibrationMatrix>& matrices,
                        const ProgramCompiler& compiler, const CollectOptions& options, bool again);

} // namespace sparserl

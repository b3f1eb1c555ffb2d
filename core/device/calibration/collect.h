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

/// A matrix that is loaded when its turn comes.
struct CalibrationMatrix
{
    std::string name;
    std::function<Result<Csr>()> load;
};

struct CollectOptions
{
    TargetVariant variant;       ///< What is computed with the matrices.
    std::size_t programs = 20;   ///< For each matrix.
    std::size_t recommended = 4; ///< Of them, what is recommended for `model`; the others are drawn.
    std::uint64_t seed = 1;
    int threads = 0; ///< For compiling, binding and simulating; 0: one per core.
    std::string architecture = "sm_90";
    DeviceLimits limits;
    DeviceModel model = defaultDeviceModel(); ///< Recommendations are for it.
    std::string device;                       ///< Name for the rows.
    std::vector<std::string> done;            ///< Keys of rows that exist already (CalibrationRow::key).
    std::function<bool()> enough;             ///< True: no further matrix is begun. May be empty.
    CancelToken cancel;
    std::function<void(double fraction, const std::string& phase)> progress;
    std::function<void(const std::string& sentence)> log;
};

/// Measures a program on the GPU; an Error ends the collection.
using Measure = std::function<Result<Measurement>(const MeasureRequest&)>;

/// Compiles, binds and measures programs on every matrix, checks what they computed against a sum in double
/// precision, and hands out a row at a time. Programs that do not apply to a matrix are left out; a matrix
/// that cannot be read is logged and left out.
Status collectMeasurements(const std::vector<CalibrationMatrix>& matrices, const ProgramCompiler& compiler,
                           const CollectOptions& options, const Measure& measure,
                           const std::function<Status(const CalibrationRow&)>& take);

/// Gives rows their profiles (all of them where `again`): compiles the programs and runs them on the
/// simulated device with counters. Rows whose matrix is not among `matrices` keep what they have.
Status simulateProfiles(std::vector<CalibrationRow>& rows, const std::vector<CalibrationMatrix>& matrices,
                        const ProgramCompiler& compiler, const CollectOptions& options, bool again);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "device/cuda/cuda_device.h"
#include "evaluation/audit/group_difference.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Something that a program can read and that might reveal the purpose of its call.
struct Observable
{
    std::string_view name;
    std::string_view help; ///< Description for the table.
    std::string_view code; ///< CUDA code that sets `unsigned o`; runs in one thread.
    bool wholeSm = false;  ///< One block on each SM, with nearly all of its shared memory.
};
const std::vector<Observable>& observables();

/// A correct product (y = A x, one thread per row) that writes its observation to the scratch array `seen`.
/// If only outputs are returned, it replaces the first element of the output instead.
std::string observingProgram(const Observable& observable, bool toOutput);

struct ObservationOptions
{
    int runs = 24;    ///< Measurements, each with its own seed.
    int samples = 10; ///< Samples per measurement.
    /// Rows of the matrix. Results must be so long that not every output of a sample is kept, and calls so
    /// short that a sample contains many.
    int rows = 120'000;
    double sampleMicroseconds = 200;
    double level = 1e-3;
    std::uint64_t seed = 1;
    ObserveRequest::Control control = ObserveRequest::Control::None;
    std::string only; ///< Part of the observables' names; empty: all.
    CancelToken cancel;
    std::function<void(double share)> progress;
};

struct ObservationRow
{
    Observable observable;
    GroupDifference difference; ///< Compared calls against other timed calls.
    /// For each value of a feature that at least a twentieth of the timed calls show, some share of the tests
    /// shows the same value. This is the smallest of these shares.
    double covered = 1;
};

/// Runs every observable on the GPU in the same way as judging (docs/evaluation.md 4).
Result<std::vector<ObservationRow>> observeTimedCalls(CudaDevice& device, const ObservationOptions& options);

} // namespace sparserl

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
    bool wholeSm = false;  ///< Runs one block per SM, with nearly all of the SM's shared memory.
};
const std::vector<Observable>& observables();

/// Returns a program that computes y = A x correctly, with one thread per row, and writes its observation to
/// the scratch array `seen`. With `toOutput`, the observation replaces the first element of y, for calls that
/// return only outputs.
std::string observingProgram(const Observable& observable, bool toOutput);

struct ObservationOptions
{
    int runs = 24;    ///< Measurements, each with its own seed.
    int samples = 10; ///< Samples per measurement.
    /// Rows of the matrix. Results must be so long that not every output of a sample is kept, and calls must
    /// be so short that a sample contains many calls.
    int rows = 120'000;
    double sampleMicroseconds = 200;
    double level = 1e-3;
    std::uint64_t seed = 1;
    ObserveRequest::Control control = ObserveRequest::Control::None;
    std::string only; ///< Observes only names that contain this text; empty: all.
    CancelToken cancel;
    std::function<void(double share)> progress;
};

struct ObservationRow
{
    Observable observable;
    GroupDifference difference; ///< Difference between compared calls and other timed calls.
    /// Smallest share of tests with the same value of a feature, over all values that at least a twentieth of
    /// the timed calls have.
    double covered = 1;
};

/// Runs every observable on the GPU in the same way as a judge does (docs/evaluation.md 4).
Result<std::vector<ObservationRow>> observeTimedCalls(CudaDevice& device, const ObservationOptions& options);

} // namespace sparserl

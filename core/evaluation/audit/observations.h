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

/// Something that a program can read and that might say what becomes of its call.
struct Observable
{
    std::string_view name;
    std::string_view help; ///< What it is, for the table.
    std::string_view code; ///< CUDA that sets `unsigned o`; run by one thread.
    bool wholeSm = false;  ///< One block on each SM, with nearly all of its shared memory.
};
const std::vector<Observable>& observables();

/// A right product (y = A x, a thread for each row) that writes what it observes to the scratch array `seen`,
/// or, where only outputs come back, in place of its first element.
std::string observingProgram(const Observable& observable, bool toOutput);

struct ObservationOptions
{
    int runs = 24;    ///< Measurements, each with a seed of its own.
    int samples = 10; ///< Of each.
    /// Of the matrix: results long enough that not every output of a sample stays, calls short enough that a
    /// sample has many.
    int rows = 120'000;
    double sampleMicroseconds = 200;
    double level = 1e-3;
    std::uint64_t seed = 1;
    ObserveRequest::Control control = ObserveRequest::Control::None;
    std::string only; ///< Part of the names of observables; empty: all.
    CancelToken cancel;
    std::function<void(double share)> progress;
};

struct ObservationRow
{
    Observable observable;
    GroupDifference difference; ///< Calls that are compared against others that are timed.
    /// Of what a twentieth of timed calls or more see in a feature: the least share of tests that see it too.
    double covered = 1;
};

/// Runs every observable on the GPU as judging does (docs/evaluation.md 4).
Result<std::vector<ObservationRow>> observeTimedCalls(CudaDevice& device, const ObservationOptions& options);

} // namespace sparserl

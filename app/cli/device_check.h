// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "device/cuda/cuda_device.h"

#include <string>

namespace sparserl::cli {

/// Programs of every family, baselines and faults on a real GPU: prints a line for each step. False where
/// something was not as it should be.
bool checkDevice(const Context& context, CudaDevice& device);

/// The reference program with hardware counters, or why there are none; one line.
std::string countOnce(CudaDevice& device);

/// The same for faults: each runs in a process of its own, since it may leave the GPU's context unusable.
bool checkFaults(const Context& context, int ordinal);

/// What such a process does: runs the named bad program, prints "fault KIND MESSAGE" or what else happened,
/// and ends at once.
[[noreturn]] void runFault(const std::string& name, int ordinal);

} // namespace sparserl::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "device/cuda/cuda_device.h"

#include <filesystem>
#include <functional>
#include <string>

namespace sparserl {

/// Receives a line for each step of a check.
using TellLine = std::function<void(const std::string& line)>;

/// Runs programs of every family, baselines and an interleaved comparison on a real GPU. Returns false if a
/// result is not as expected.
bool checkPrograms(CudaDevice& device, const CancelToken& cancel, const TellLine& tell);

/// Runs the reference program with hardware counters. Returns one line with the counters, or with the reason
/// why there are none.
std::string countOnce(CudaDevice& device);

/// Compiles, simulates, runs and times programs in the sandboxed processes that judge model-written programs.
/// Reports the sandbox of each role and the refused system calls. Returns false if a correct program gets
/// another verdict.
bool checkLocked(const std::filesystem::path& runner, int ordinal, const CancelToken& cancel,
                 const TellLine& tell);

/// Checks that faulty programs get the expected faults. Each program runs in its own process, because it may
/// leave the GPU's context unusable. Its command line is `executable device info --ordinal N --fault NAME`,
/// which calls runFault().
bool checkFaults(const std::string& executable, int ordinal, const TellLine& tell);

/// Runs the faulty program of this name, prints "fault KIND MESSAGE" or the actual result, and exits
/// immediately.
[[noreturn]] void runFault(const std::string& name, int ordinal);

} // namespace sparserl

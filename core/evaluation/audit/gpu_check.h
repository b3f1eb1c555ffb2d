// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "device/cuda/cuda_device.h"

#include <filesystem>
#include <functional>
#include <string>

namespace sparserl {

/// Is told a line for each step of a check.
using TellLine = std::function<void(const std::string& line)>;

/// Programs of every family, baselines and a comparison in turn on a real GPU. False where something was not
/// as it should be.
bool checkPrograms(CudaDevice& device, const CancelToken& cancel, const TellLine& tell);

/// The reference program with hardware counters, or why there are none; one line.
std::string countOnce(CudaDevice& device);

/// Programs compiled, simulated, run and timed in turn in the locked processes that judge what models wrote;
/// tells how each role is locked and which system calls were refused. False where a right program is not
/// judged so.
bool checkLocked(const std::filesystem::path& runner, int ordinal, const CancelToken& cancel,
                 const TellLine& tell);

/// The same for faults: each runs in a process of its own, since it may leave the GPU's context unusable:
/// `executable` device info --ordinal N --fault NAME, which calls runFault().
bool checkFaults(const std::string& executable, int ordinal, const TellLine& tell);

/// What such a process does: runs the named bad program, prints "fault KIND MESSAGE" or what else happened,
/// and ends at once.
[[noreturn]] void runFault(const std::string& name, int ordinal);

} // namespace sparserl

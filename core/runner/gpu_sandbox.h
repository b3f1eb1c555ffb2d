// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/sandbox.h"

namespace sparserl {

/// The strictest step of the lock for a process that uses a GPU (docs/sandbox.md). A driver opens device
/// files, maps memory and starts threads at any time, so this lock does not limit the address space and does
/// not empty the file system. Each step includes all lower steps. If a driver does not work at a step, the
/// next lower step is tried.
/// - 0: no core dumps, no descriptors except its own, no new privileges;
/// - 1: the most dangerous calls are refused: new programs, sockets, other processes, changed files, kernel
///   interfaces. No file can be created, emptied or lengthened;
/// - 2: Landlock: only the GPU's device files can be written, and only system folders, libraries and devices
///   can be read;
/// - 3: all calls that drivers are not known to need are refused;
/// - 4: before the driver is loaded, the process gets a separate root that contains only those folders, and
///   another user or a user namespace.
constexpr int strictestGpuLock = 4;

/// Applies the measures that step 4 adds, and returns whether anything changed. Does nothing if `step` is
/// lower.
bool encloseGpu(int step, SandboxReport& report, const SandboxMeans& means = {});

/// Applies the measures of the lower steps up to `step`. Call it after the driver has started. Adds a
/// sentence to `report` for each missing measure. Fails if system calls cannot be filtered.
Status lockDownGpu(int step, SandboxReport& report, const SandboxMeans& means = {});

} // namespace sparserl

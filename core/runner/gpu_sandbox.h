// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/sandbox.h"

namespace sparserl {

/// How much a process that holds a GPU gives up (docs/sandbox.md). A driver opens device files, maps memory
/// of its own and starts threads at any time, so there is no address space limit and no empty file system.
/// Each step has all of those before it; a driver that does not work at one is tried one lower. 0: no core
/// dumps, no descriptors but its own, no new privileges; 1: and the worst calls are refused: new programs,
/// sockets, other processes, changed files, kernel interfaces;
///    and no file can be made, emptied or grow;
/// 2: and Landlock: nothing can be written but the GPU's device files, nothing read but system folders,
///    libraries and devices;
/// 3: and every call is refused that drivers are not known to need;
/// 4: and, before the driver is loaded, a root of its own with those folders only, and another user or a user
///    name space.
constexpr int strictestGpuLock = 4;

/// What is of step 4. Says whether anything changed; nothing does below that step.
bool encloseGpu(int step, SandboxReport& report, const SandboxMeans& means = {});

/// The rest, once the driver works. What is missing is added to `report` in sentences. Fails where not even
/// the calls can be filtered.
Status lockDownGpu(int step, SandboxReport& report, const SandboxMeans& means = {});

} // namespace sparserl

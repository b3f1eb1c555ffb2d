// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/sandbox.h"

namespace sparserl {

/// What a process that holds a GPU gives up (docs/formats.md 4): the driver opens device files, maps memory
/// of its own and starts threads at any time, so there is no address space limit, no empty file system and no
/// allow-list of calls. By level:
/// 0: no core dumps, no descriptors but its own, no new privileges;
/// 1: and a deny-list of calls: no new programs, sockets, other processes, changed files, kernel interfaces;
/// 2: and Landlock: nothing can be written but the GPU's device files, nothing read but system folders,
///    libraries and devices; and no file can grow.
/// What is missing is said in sentences. Fails where not even the deny-list can be set.
Result<SandboxReport> lockDownGpu(int level, int keepDescriptor);

} // namespace sparserl

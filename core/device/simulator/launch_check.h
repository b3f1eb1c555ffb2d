// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.h"
#include "device/simulator/decode/kernel_code.h"
#include "device/simulator/plan_memory.h"

namespace sparserl::sim {

/// Returns the reason why a launch is impossible on a device, or nullopt. The kind is OutOfMemory if the
/// launch needs too much memory.
std::optional<Error> launchProblem(const BoundCall& call, const KernelCode& code, const DeviceModel& model);

/// Returns the parameter block of a launch. An Error is a fault of the program.
Result<std::vector<std::byte>> parameterBlock(const BoundCall& call, const KernelCode& code,
                                              const BoundPlan& plan, const PlanMemory& memory,
                                              const CallFactors& factors);

/// Returns the number of registers per thread: as reported by the assembler, or an estimate that never
/// refuses a launch.
int registersOf(const BoundCall& call, const KernelCode& code, const ExecutionRequest& request,
                const DeviceModel& model);

/// Returns the bytes per thread that the assembler added to the program's own local memory for spilled
/// registers.
std::int64_t spilledBytes(const BoundCall& call, const KernelCode& code, const ExecutionRequest& request);

} // namespace sparserl::sim

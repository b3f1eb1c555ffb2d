// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.h"
#include "device/simulator/decode/kernel_code.h"
#include "device/simulator/plan_memory.h"

namespace sparserl::sim {

/// Why a launch is impossible on a device (kind OutOfMemory: it needs too much), or nullopt.
std::optional<Error> launchProblem(const BoundCall& call, const KernelCode& code, const DeviceModel& model);

/// The parameter block of a launch. An Error is the program's fault.
Result<std::vector<std::byte>> parameterBlock(const BoundCall& call, const KernelCode& code,
                                              const BoundPlan& plan, const PlanMemory& memory,
                                              const CallFactors& factors);

/// Registers per thread: the assembler's number, or an estimate that never refuses a launch.
int registersOf(const BoundCall& call, const KernelCode& code, const ExecutionRequest& request,
                const DeviceModel& model);

/// Bytes per thread that the assembler added to the program's own local memory for spilled registers.
std::int64_t spilledBytes(const BoundCall& call, const KernelCode& code, const ExecutionRequest& request);

} // namespace sparserl::sim

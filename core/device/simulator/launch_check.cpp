// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/launch_check.h"
#include "device/device_limits.h"
#include "kernel/parameters.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace sparserl::sim {

std::optional<Error> launchProblem(const BoundCall& call, const KernelCode& code, const DeviceModel& model)
{
    const DeviceLimits limits = limitsOf(model);
    std::int64_t threads = 1, blocks = 1;
    for (int axis = 0; axis < 3; ++axis) {
        if (call.block[axis] < 1 || call.block[axis] > limits.maxBlock[axis])
            return Error{
                fmt::format("a block of {} threads in {} is not possible", call.block[axis], "xyz"[axis])};
        if (call.grid[axis] < 1 || call.grid[axis] > limits.maxGrid[axis])
            return Error{
                fmt::format("a grid of {} blocks in {} is not possible", call.grid[axis], "xyz"[axis])};
        threads *= call.block[axis];
        if (blocks > (std::int64_t(1) << 40) / call.grid[axis])
            return Error{"the grid has too many blocks"};
        blocks *= call.grid[axis];
    }
    if (threads > limits.maxThreadsPerBlock)
        return Error{fmt::format("a block of {} threads: at most {} are possible", threads,
                                 limits.maxThreadsPerBlock)};
    const std::int64_t bound = code.maxntid[0] * code.maxntid[1] * code.maxntid[2];
    if (bound && threads > bound)
        return Error{fmt::format("a block of {} threads, but '{}' is compiled for at most {}", threads,
                                 code.name, bound)};
    if (code.reqntid[0] && code.reqntid != call.block)
        return Error{fmt::format("'{}' is compiled for blocks of {} x {} x {} threads", code.name,
                                 code.reqntid[0], code.reqntid[1], code.reqntid[2])};
    const std::int64_t shared = code.staticShared + call.dynamicSharedBytes;
    if (call.dynamicSharedBytes < 0 || shared > limits.maxSharedOptinBytes)
        return Error{fmt::format("{} bytes of shared memory: at most {} are possible", shared,
                                 limits.maxSharedOptinBytes),
                     {},
                     0,
                     {},
                     ErrorKind::OutOfMemory};
    return std::nullopt;
}

Result<std::vector<std::byte>> parameterBlock(const BoundCall& call, const KernelCode& code,
                                              const BoundPlan& plan, const PlanMemory& memory,
                                              const CallFactors& factors)
{
    SPARSERL_TRY(const auto words, parameterWords(
                                       plan, call, code.paramSizes,
                                       [&](int buffer) { return memory.addressOf(buffer); }, factors));
    std::vector<std::byte> block(code.paramBytes + 8);
    for (std::size_t i = 0; i < words.size(); ++i)
        std::memcpy(block.data() + code.paramOffsets[i], &words[i],
                    static_cast<std::size_t>(code.paramSizes[i]));
    return block;
}

namespace {

/// What the assembler said of the kernel, or nullptr.
const KernelResources* resourcesOf(const BoundCall& call, const ExecutionRequest& request)
{
    for (auto it = request.resources.rbegin(); it != request.resources.rend(); ++it)
        if (it->kernel == call.kernel && it->registers > 0)
            return &*it;
    return nullptr;
}

} // namespace

int registersOf(const BoundCall& call, const KernelCode& code, const ExecutionRequest& request,
                const DeviceModel& model)
{
    if (const KernelResources* said = resourcesOf(call, request))
        return said->registers;
    // No more than a block of this size can have.
    const std::int64_t threads = call.block[0] * call.block[1] * call.block[2];
    const std::int64_t most =
        model.registersPerSm / std::max<std::int64_t>(32, (threads + 31) / 32 * 32) / 8 * 8;
    return static_cast<int>(std::min<std::int64_t>(code.registerEstimate, most));
}

std::int64_t spilledBytes(const BoundCall& call, const KernelCode& code, const ExecutionRequest& request)
{
    const KernelResources* said = resourcesOf(call, request);
    return said ? std::max<std::int64_t>(0, said->localBytes - code.localBytes) : 0;
}

} // namespace sparserl::sim

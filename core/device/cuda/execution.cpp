// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/execution.h"

#include "base/interruption.h"
#include "base/rng.h"
#include "device/cuda/graph_timer.h"
#include "device/cuda/loaded_program.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace sparserl::cuda {

namespace {

constexpr int mostSlots = 8;

class Execution
{
public:
    Execution(Gpu& gpu, const ExecutionRequest& request, LoadedProgram program, Arena arena)
        : m_gpu(gpu)
        , m_request(request)
        , m_plan(*request.plan)
        , m_program(std::move(program))
        , m_arena(std::move(arena))
        , m_rng(request.seed ^ 0xbb67ae8584caa73bull)
    {
    }
    Result<ExecutionResult> run();

private:
    Result<bool> phase(const std::vector<BoundCall>& calls, bool prepare, int input, int slot);
    Status fillSlots(std::size_t first);
    Status startCall(int input, int slot);
    /// False after a fault.
    Result<bool> inspect(const std::vector<BoundCall>& calls);
    Status report(const BoundCall& call, bool prepare);
    void blame(const std::vector<BoundCall>& calls, FaultKind kind, std::string message);

    Gpu& m_gpu;
    const ExecutionRequest& m_request;
    const BoundPlan& m_plan;
    LoadedProgram m_program;
    Arena m_arena;
    Rng m_rng;
    std::array<int, mostSlots> m_windows{}; ///< In which inputs lie.
    ExecutionResult m_result;
};

void Execution::blame(const std::vector<BoundCall>& calls, FaultKind kind, std::string message)
{
    Fault fault;
    fault.kind = kind;
    fault.message = std::move(message);
    int launched = 0;
    for (const BoundCall& call : calls) {
        if (!call.skipped && ++launched == 1) {
            fault.kernel = call.kernel;
            fault.line = call.line;
        }
    }
    // With several kernels it is not known which it was.
    if (launched != 1) {
        fault.kernel.clear();
        fault.line = 0;
    }
    m_result.fault = std::move(fault);
}

Status Execution::report(const BoundCall& call, bool prepare)
{
    LaunchReport report;
    report.kernel = call.kernel;
    report.planLine = call.line;
    report.prepare = prepare;
    report.skipped = call.skipped;
    if (!call.skipped) {
        const LoadedProgram::Kernel& kernel = m_program.kernel(call);
        SPARSERL_TRY(auto occupancy, m_program.occupancy(call));
        report.blocks = call.grid[0] * call.grid[1] * call.grid[2];
        report.threadsPerBlock = call.block[0] * call.block[1] * call.block[2];
        report.registers = kernel.registers;
        report.staticShared = kernel.staticShared;
        report.dynamicShared = call.dynamicSharedBytes;
        report.localBytes = kernel.localBytes;
        report.occupancy = std::move(occupancy);
    }
    m_result.launches.push_back(std::move(report));
    return {};
}

Result<bool> Execution::phase(const std::vector<BoundCall>& calls, bool prepare, int input, int slot)
{
    for (const BoundCall& call : calls) {
        if (m_request.cancel.cancelled())
            return fail(interruption());
        if (!call.skipped) {
            if (auto problem = m_program.problem(call)) {
                m_result.fault = std::move(problem);
                return false;
            }
        }
        if (input == 0) {
            SPARSERL_CHECK(report(call, prepare));
        }
        if (call.skipped)
            continue;
        auto refused =
            m_program.enqueue(call, m_arena, {slot, m_windows[static_cast<std::size_t>(slot)], 0, slot});
        if (!refused)
            return fail(refused.error());
        // One launch at a time, so that it is known which one failed.
        SPARSERL_TRY(auto fault, *refused ? std::move(refused) : m_gpu.settle(m_request.limitSeconds));
        if (fault) {
            m_result.fault = std::move(*fault);
            m_result.fault->kernel = call.kernel;
            m_result.fault->line = call.line;
            return false;
        }
    }
    return true;
}

/// Fills every slot with the inputs from `first` on, and remembers what may not change from now on.
Status Execution::fillSlots(std::size_t first)
{
    for (int slot = 0; slot < m_arena.shape().slots; ++slot)
        m_windows[static_cast<std::size_t>(slot)] = static_cast<int>(m_rng.below(ringWindows));
    for (std::size_t b = 0; b < m_plan.buffers.size(); ++b) {
        if (m_plan.buffers[b].role != BufferRole::Input)
            continue;
        for (int slot = 0; slot < m_arena.shape().slots; ++slot) {
            const std::size_t input =
                std::min(first + static_cast<std::size_t>(slot), m_request.inputs.size() - 1);
            SPARSERL_TRY(const auto tensor, inputOf(m_plan.buffers[b], m_request.inputs[input]));
            const Place place{slot, m_windows[static_cast<std::size_t>(slot)], 0, slot};
            SPARSERL_CHECK(m_arena.upload(static_cast<int>(b), place, tensor.bytes, m_rng.next()));
        }
    }
    return m_arena.noteReadOnly(true);
}

Status Execution::startCall(int input, int slot)
{
    for (std::size_t b = 0; b < m_plan.buffers.size(); ++b) {
        const BoundBuffer& buffer = m_plan.buffers[b];
        const int index = static_cast<int>(b);
        Status ok;
        if (buffer.role == BufferRole::Scratch || buffer.role == BufferRole::Output)
            ok = buffer.zero
                     ? m_arena.zero(index, {slot, 0, 0, slot})
                     : m_arena.poison(index, {slot, 0, 0, slot},
                                      m_request.seed + b + 1000 * (static_cast<std::uint64_t>(input) + 1));
        if (!ok)
            return ok;
    }
    // Timed calls find what calls before them have left; half of these do.
    return m_rng.chance(0.5) ? m_gpu.scrubShared(m_rng.next()) : Status{};
}

Result<bool> Execution::inspect(const std::vector<BoundCall>& calls)
{
    SPARSERL_TRY(auto broken, m_arena.brokenZone());
    if (broken) {
        blame(calls, FaultKind::OutOfBounds, std::move(*broken));
        return false;
    }
    auto changed = m_arena.changedReadOnly();
    if (changed && !*changed)
        changed = m_program.changedVariable();
    if (!changed)
        return fail(changed.error());
    if (*changed) {
        blame(calls, FaultKind::OutOfBounds,
              fmt::format("a write to '{}', which may only be read here", **changed));
        return false;
    }
    return true;
}

Result<ExecutionResult> Execution::run()
{
    const auto finish = [&]() -> Result<ExecutionResult> { return std::move(m_result); };
    for (std::size_t b = 0; b < m_plan.buffers.size(); ++b) {
        if (m_plan.buffers[b].role != BufferRole::Prepared)
            continue;
        SPARSERL_CHECK(m_arena.poison(static_cast<int>(b), {}, m_request.seed + b));
    }
    if (!m_plan.prepares.empty()) {
        SPARSERL_CHECK(m_arena.noteReadOnly(false));
        const double begin = now();
        auto good = phase(m_plan.prepares, true, 0, 0);
        if (!good)
            return fail(good.error());
        if (!*good)
            return finish();
        m_result.setupMicroseconds = 1e6 * (now() - begin);
        good = inspect(m_plan.prepares);
        if (!good)
            return fail(good.error());
        if (!*good)
            return finish();
    }
    for (std::size_t k = 0; k < m_request.inputs.size(); ++k) {
        const int input = static_cast<int>(k), slot = input % m_arena.shape().slots;
        if (slot == 0) {
            SPARSERL_CHECK(fillSlots(k));
        }
        SPARSERL_CHECK(startCall(input, slot));
        auto good = phase(m_plan.launches, false, input, slot);
        if (good && *good)
            good = inspect(m_plan.launches);
        if (!good)
            return fail(good.error());
        if (!*good)
            return finish();
        CallOutputs& outputs = m_result.outputs.emplace_back();
        for (std::size_t b = 0; b < m_plan.buffers.size(); ++b) {
            if (m_plan.buffers[b].role != BufferRole::Output)
                continue;
            Tensor& tensor = outputs.emplace_back(tensorFor(m_plan.buffers[b]));
            SPARSERL_CHECK(m_arena.download(static_cast<int>(b), {slot, 0, 0, slot}, tensor.bytes));
        }
    }
    for (const ptx::Function& function : m_request.module->functions) {
        for (const ptx::Instruction& instruction : function.instructions)
            m_result.atomicFloats =
                m_result.atomicFloats ||
                ((instruction.opcode.starts_with("atom") || instruction.opcode.starts_with("red.")) &&
                 instruction.opcode.find(".f") != std::string::npos);
    }
    return finish();
}

} // namespace

Result<ExecutionResult> runExecution(Gpu& gpu, const ExecutionRequest& request)
{
    if (!request.plan || !request.module || request.inputs.empty())
        return fail("an execution needs a plan, a module and at least one input");
    SPARSERL_CHECK(gpu.begin());
    SPARSERL_TRY(auto program, LoadedProgram::load(gpu, *request.plan, *request.module, request.cubin));
    const int slots = static_cast<int>(std::min<std::size_t>(request.inputs.size(), mostSlots));
    const ArenaShape shape{slots, ringWindows, 1, slots};
    if (auto fault = Arena::problem(gpu, *request.plan, shape)) {
        ExecutionResult result;
        result.fault = std::move(fault);
        return result;
    }
    SPARSERL_TRY(auto arena, Arena::make(gpu, *request.plan, shape, request.seed));
    return Execution(gpu, request, std::move(program), std::move(arena)).run();
}

} // namespace sparserl::cuda

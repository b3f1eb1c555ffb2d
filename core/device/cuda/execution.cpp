// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/execution.h"

#include "base/interruption.h"
#include "base/rng.h"
#include "device/cuda/program_timing.h"

#include <algorithm>
#include <numeric>

namespace sparserl::cuda {

namespace {

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
    Result<bool> phase(const std::vector<BoundCall>& calls, bool prepare, int input, const Place& place);
    Status fillSlots(std::size_t first);
    Status startCall(std::size_t call, const Place& place);
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
    std::optional<Renewal> m_renewal;
    std::vector<Place> m_places; ///< Of as many inputs as there are slots.
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

Result<bool> Execution::phase(const std::vector<BoundCall>& calls, bool prepare, int input,
                              const Place& place)
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
        const CallFactors factors = m_request.scaledCall(static_cast<std::size_t>(input)).by;
        auto refused = m_program.enqueue(call, m_arena, place, factors);
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

/// Fills every slot with the inputs from `first` on, and remembers what may not change from now on. Calls are
/// as those that are timed: any slot, window, output and copy of scratch memory.
Status Execution::fillSlots(std::size_t first)
{
    const ArenaShape& shape = m_arena.shape();
    std::vector<int> slots(static_cast<std::size_t>(shape.slots)),
        outputs(static_cast<std::size_t>(shape.outputs));
    std::iota(slots.begin(), slots.end(), 0);
    std::iota(outputs.begin(), outputs.end(), 0);
    m_rng.shuffle(slots);
    m_rng.shuffle(outputs);
    m_places.clear();
    const auto any = [&](int count) {
        return static_cast<int>(m_rng.below(static_cast<std::uint64_t>(count)));
    };
    for (std::size_t i = 0; i < slots.size(); ++i)
        m_places.push_back({slots[i], any(shape.windows), any(shape.copies), outputs[i % outputs.size()]});
    for (std::size_t b = 0; b < m_plan.buffers.size(); ++b) {
        if (m_plan.buffers[b].role != BufferRole::Input)
            continue;
        for (std::size_t i = 0; i < m_places.size(); ++i) {
            if (first + i < m_request.inputs.size()) {
                SPARSERL_TRY(const auto tensor, inputOf(m_plan.buffers[b], m_request.inputs[first + i]));
                SPARSERL_CHECK(
                    m_arena.upload(static_cast<int>(b), m_places[i], tensor.bytes, m_rng.next() | 1));
            } else {
                SPARSERL_CHECK(m_arena.repeat(static_cast<int>(b), m_places.front().slot, m_places[i].slot));
            }
        }
    }
    return m_arena.noteReadOnly(true);
}

Status Execution::startCall(std::size_t call, const Place& place)
{
    SPARSERL_CHECK(m_renewal->renew());
    if (const NumberView before = m_request.scaledCall(call).before; !before.empty())
        for (std::size_t b = 0; b < m_plan.buffers.size(); ++b) {
            if (m_plan.buffers[b].role != BufferRole::Output)
                continue;
            SPARSERL_TRY(const auto old, inputOf(m_plan.buffers[b],
                                                 {{m_plan.buffers[b].name, before.type(), before.bytes()}}));
            SPARSERL_CHECK(
                m_arena.upload(static_cast<int>(b), {place.slot, 0, place.copy, place.output}, old.bytes, 0));
        }
    for (std::size_t b = 0; b < m_plan.buffers.size(); ++b) {
        const BoundBuffer& buffer = m_plan.buffers[b];
        if (!buffer.zero || (buffer.role != BufferRole::Scratch && buffer.role != BufferRole::Output))
            continue;
        SPARSERL_CHECK(m_arena.zero(static_cast<int>(b), place));
    }
    // Timed calls find what calls before them have left; half of these do.
    return m_rng.chance(0.5) ? m_gpu.scrubShared(m_rng.next()) : Status{};
}

Result<bool> Execution::inspect(const std::vector<BoundCall>& calls)
{
    SPARSERL_TRY(auto damage, m_program.damage(m_arena));
    if (!damage)
        return true;
    blame(calls, FaultKind::OutOfBounds, std::move(*damage));
    return false;
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
        auto good = phase(m_plan.prepares, true, 0, {});
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
    SPARSERL_TRY(auto renewal, Renewal::make(m_gpu, m_arena.writable(), {}, m_request.seed));
    m_renewal.emplace(std::move(renewal));
    for (std::size_t k = 0; k < m_request.inputs.size(); ++k) {
        const int input = static_cast<int>(k);
        const auto slot = k % static_cast<std::size_t>(m_arena.shape().slots);
        if (slot == 0) {
            SPARSERL_CHECK(fillSlots(k));
        }
        const Place place = m_places[slot];
        SPARSERL_CHECK(startCall(k, place));
        auto good = phase(m_plan.launches, false, input, place);
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
            SPARSERL_CHECK(m_arena.download(static_cast<int>(b), place, tensor.bytes));
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
    ArenaShape shape = timedShape(*request.plan, gpu.info());
    if (Arena::problem(gpu, *request.plan, shape)) // Too large to be timed; it may be checked all the same.
        shape = {1, ringWindows, 1, 1};
    if (auto fault = Arena::problem(gpu, *request.plan, shape)) {
        ExecutionResult result;
        result.fault = std::move(fault);
        return result;
    }
    SPARSERL_TRY(auto arena, Arena::make(gpu, *request.plan, shape, request.seed));
    return Execution(gpu, request, std::move(program), std::move(arena)).run();
}

} // namespace sparserl::cuda

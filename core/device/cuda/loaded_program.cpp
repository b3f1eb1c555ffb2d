// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/loaded_program.h"

#include "kernel/parameters.h"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace sparserl::cuda {

namespace {

Fault launchFault(const BoundCall& call, std::string message)
{
    Fault fault;
    fault.kind = FaultKind::LaunchError;
    fault.message = std::move(message);
    fault.kernel = call.kernel;
    fault.line = call.line;
    return fault;
}

} // namespace

LoadedProgram::LoadedProgram(LoadedProgram&& other) noexcept
    : m_gpu(other.m_gpu)
    , m_plan(other.m_plan)
    , m_module(std::exchange(other.m_module, nullptr))
    , m_kernels(std::move(other.m_kernels))
    , m_variables(std::move(other.m_variables))
{
}

LoadedProgram::~LoadedProgram()
{
    if (m_module && !m_gpu->poisoned())
        m_gpu->check(m_gpu->api().moduleUnload(m_module), "unloading a program");
}

Result<LoadedProgram> LoadedProgram::load(Gpu& gpu, const BoundPlan& plan, const ptx::Module& module,
                                          std::string_view cubin)
{
    if (cubin.empty())
        return fail("a program needs its cubin to run on a GPU", "assemble it with nvJitLink first");
    LoadedProgram program(gpu, plan);
    const Driver& api = gpu.api();
    SPARSERL_CHECK(gpu.check(api.moduleLoadDataEx(&program.m_module, cubin.data(), 0, nullptr, nullptr),
                             "loading a program's cubin"));
    for (const auto* calls : {&plan.prepares, &plan.launches}) {
        for (const BoundCall& call : *calls) {
            const ptx::Function* entry = module.find(call.kernel);
            if (!entry || !entry->entry)
                return fail(fmt::format("the kernel '{}' is not in the PTX", call.kernel));
            auto [at, fresh] = program.m_kernels.try_emplace(call.kernel);
            Kernel& kernel = at->second;
            kernel.dynamicShared = std::max(kernel.dynamicShared, call.dynamicSharedBytes);
            if (!fresh)
                continue;
            for (const ptx::Param& param : entry->params)
                kernel.paramBytes.push_back(param.bytes);
            if (auto ok =
                    gpu.check(api.moduleGetFunction(&kernel.function, program.m_module, call.kernel.c_str()),
                              fmt::format("looking for the kernel '{}'", call.kernel));
                !ok)
                return fail(ok.error());
            const auto attribute = [&](CUfunction_attribute which, auto& value) {
                int found = 0;
                auto ok =
                    gpu.check(api.funcGetAttribute(&found, which, kernel.function), "asking about a kernel");
                value = found;
                return ok;
            };
            for (auto ok : {attribute(CU_FUNC_ATTRIBUTE_NUM_REGS, kernel.registers),
                            attribute(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel.maxThreads),
                            attribute(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel.staticShared),
                            attribute(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, kernel.localBytes)}) {
                if (!ok)
                    return fail(ok.error());
            }
        }
    }
    for (auto& [name, kernel] : program.m_kernels) {
        const GpuInfo& info = gpu.info();
        const std::int64_t shared = kernel.staticShared + kernel.dynamicShared;
        // Beyond what the GPU can do: problem() says so.
        if (shared <= info.maxSharedPerBlock || shared > info.maxSharedOptinPerBlock)
            continue;
        SPARSERL_CHECK(
            gpu.check(api.funcSetAttribute(kernel.function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                           static_cast<int>(kernel.dynamicShared)),
                      fmt::format("allowing '{}' its shared memory", name)));
    }
    SPARSERL_CHECK(program.noteVariables(module.variables));
    for (const ptx::Function& function : module.functions) {
        SPARSERL_CHECK(program.noteVariables(function.variables));
    }
    return program;
}

Status LoadedProgram::noteVariables(const std::vector<ptx::Variable>& variables)
{
    for (const ptx::Variable& variable : variables) {
        if (variable.space != ptx::Space::Global)
            continue;
        Variable kept;
        kept.name = variable.name;
        std::size_t bytes = 0;
        const CUresult code =
            m_gpu->api().moduleGetGlobal(&kept.address, &bytes, m_module, variable.name.c_str());
        if (code == CUDA_ERROR_NOT_FOUND) // Nothing uses it.
            continue;
        SPARSERL_CHECK(m_gpu->check(code, "looking for a program's variable"));
        kept.bytes.resize(bytes);
        SPARSERL_CHECK(m_gpu->download(kept.bytes.data(), kept.address, bytes));
        m_variables.push_back(std::move(kept));
    }
    return {};
}

Result<std::optional<std::string>> LoadedProgram::damage(Arena& arena)
{
    SPARSERL_TRY(auto found, arena.damage());
    if (found)
        return found;
    SPARSERL_TRY(const auto changed, changedVariable());
    return changed ? std::optional(forbiddenWrite(*changed)) : std::nullopt;
}

Result<std::optional<std::string>> LoadedProgram::changedVariable()
{
    for (const Variable& variable : m_variables) {
        std::vector<std::byte> bytes(variable.bytes.size());
        SPARSERL_CHECK(m_gpu->download(bytes.data(), variable.address, bytes.size()));
        if (bytes != variable.bytes)
            return std::optional<std::string>(variable.name);
    }
    return std::optional<std::string>();
}

std::optional<Fault> LoadedProgram::problem(const BoundCall& call) const
{
    const Kernel& code = kernel(call);
    const DeviceLimits limits = m_gpu->info().limits();
    std::int64_t threads = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (call.block[axis] < 1 || call.block[axis] > limits.maxBlock[axis])
            return launchFault(call, fmt::format("a block of {} threads in {} is not possible",
                                                 call.block[axis], "xyz"[axis]));
        if (call.grid[axis] < 1 || call.grid[axis] > limits.maxGrid[axis])
            return launchFault(
                call, fmt::format("a grid of {} blocks in {} is not possible", call.grid[axis], "xyz"[axis]));
        threads *= call.block[axis];
    }
    if (threads > limits.maxThreadsPerBlock)
        return launchFault(call, fmt::format("a block of {} threads: at most {} are possible", threads,
                                             limits.maxThreadsPerBlock));
    if (threads > code.maxThreads)
        return launchFault(
            call, fmt::format("a block of {} threads, but '{}' ({} registers a thread) runs in blocks of "
                              "at most {}",
                              threads, call.kernel, code.registers, code.maxThreads));
    const std::int64_t shared = code.staticShared + call.dynamicSharedBytes;
    if (call.dynamicSharedBytes < 0 || shared > limits.maxSharedOptinBytes) {
        Fault fault = launchFault(call, fmt::format("{} bytes of shared memory: at most {} are possible",
                                                    shared, limits.maxSharedOptinBytes));
        fault.outOfMemory = true;
        return fault;
    }
    return std::nullopt;
}

Result<Occupancy> LoadedProgram::occupancy(const BoundCall& call)
{
    const Kernel& code = kernel(call);
    const std::int64_t threads = call.block[0] * call.block[1] * call.block[2];
    const std::int64_t blocks = call.grid[0] * call.grid[1] * call.grid[2];
    const DeviceModel model = m_gpu->info().model();
    Occupancy occupancy =
        occupancyOf(model, threads, code.registers, code.staticShared + call.dynamicSharedBytes, blocks);
    int resident = 0;
    SPARSERL_CHECK(m_gpu->check(
        m_gpu->api().occupancyMaxActiveBlocks(&resident, code.function, static_cast<int>(threads),
                                              static_cast<std::size_t>(call.dynamicSharedBytes)),
        "asking for the occupancy"));
    // How many is the driver's word, why is the model's.
    occupancy.blocksPerSm = resident;
    const double held = std::min<double>(resident, static_cast<double>(blocks) / std::max(1, model.smCount));
    const std::int64_t warps = (threads + 31) / 32;
    occupancy.fraction = std::min(1.0, held * static_cast<double>(warps) / std::max(1, model.maxWarpsPerSm));
    return occupancy;
}

Result<std::optional<Fault>> LoadedProgram::enqueue(const BoundCall& call, const Arena& arena,
                                                    const Place& place, const CallFactors& factors)
{
    if (call.skipped)
        return std::nullopt;
    const Kernel& code = kernel(call);
    SPARSERL_TRY(auto values, parameterWords(
                                  *m_plan, call, code.paramBytes,
                                  [&](int buffer) { return arena.address(buffer, place); }, factors));
    std::vector<void*> pointers;
    pointers.reserve(values.size());
    for (std::uint64_t& value : values)
        pointers.push_back(&value);
    const CUresult code0 = m_gpu->api().launchKernel(
        code.function, static_cast<unsigned>(call.grid[0]), static_cast<unsigned>(call.grid[1]),
        static_cast<unsigned>(call.grid[2]), static_cast<unsigned>(call.block[0]),
        static_cast<unsigned>(call.block[1]), static_cast<unsigned>(call.block[2]),
        static_cast<unsigned>(call.dynamicSharedBytes), m_gpu->stream(), pointers.data(), nullptr);
    if (code0 == CUDA_SUCCESS)
        return std::nullopt;
    auto ok = m_gpu->check(code0, fmt::format("launching '{}'", call.kernel));
    if (auto fault = m_gpu->faultOf(code0)) {
        fault->kernel = call.kernel;
        fault->line = call.line;
        return fault;
    }
    return fail(ok.error());
}

} // namespace sparserl::cuda

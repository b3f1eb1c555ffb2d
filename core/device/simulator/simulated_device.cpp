// SPDX-License-Identifier: Apache-2.0
#include "device/device.h"
#include "device/simulator/cost_model.h"
#include "device/simulator/interpreter.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <set>

namespace sparserl {

namespace {

constexpr std::int64_t maxBufferBytes = (std::int64_t(1) << 32) - 4096;
constexpr std::uint64_t maxVariableBytes = std::uint64_t(64) << 20; ///< As decoding allows.

std::uint64_t mix(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/// Fills with quiet NaNs of a seeded payload; as integers these are far outside any array.
void poison(std::span<std::byte> bytes, ElementType type, std::uint64_t seed)
{
    const auto payload = static_cast<std::uint32_t>(mix(seed));
    std::byte pattern[8];
    if (type == ElementType::F64) {
        const std::uint64_t word = 0x7ff8000000000000u | payload | 1;
        std::memcpy(pattern, &word, 8);
    } else {
        const std::uint32_t word = 0x7fc00000u | (payload & 0x3fffffu) | 1;
        std::memcpy(pattern, &word, 4);
        std::memcpy(pattern + 4, &word, 4);
    }
    for (std::size_t i = 0; i < bytes.size(); ++i)
        bytes[i] = pattern[i % 8];
}

} // namespace

struct SimulatedDevice::Impl
{
    std::string modelName;
};

SimulatedDevice::SimulatedDevice(std::string_view modelName)
    : m_impl(std::make_unique<Impl>(Impl{std::string(modelName)}))
{
}

SimulatedDevice::~SimulatedDevice() = default;

std::string SimulatedDevice::name() const
{
    return "simulated " + m_impl->modelName;
}

namespace {

/// One execution of a request.
class Execution
{
public:
    Execution(const ExecutionRequest& request, const DeviceModel& model)
        : m_request(request)
        , m_plan(*request.plan)
        , m_model(model)
        , m_steps(request.stepBudget)
    {
    }
    Result<ExecutionResult> run();

private:
    /// What a program asks for and cannot have is its fault (`m_result.fault`); an Error is ours.
    Status decodeKernels();
    Status setUpMemory();
    Status startCall(std::span<const float> input, std::uint64_t call);
    /// False after a fault.
    Result<bool> launch(const BoundCall& call, bool prepare, int input);
    std::optional<std::string> launchProblem(const BoundCall& call, const sim::KernelCode& code) const;
    /// The parameter block; an error is the program's fault.
    Result<std::vector<std::byte>> marshal(const BoundCall& call, const sim::KernelCode& code) const;
    void account(const BoundCall& call, const sim::KernelCode& code, const sim::LaunchStatistics& statistics,
                 bool prepare, int input, int blocksPerSm, const Occupancy& occupancy, int registers);
    void fault(const BoundCall& call, std::string message);
    /// Bytes of arrays that the first call touched, and what it zeroes.
    void noteTouched();
    /// Times of the call and its launches, from the profile.
    void estimate(std::size_t prepareReports);

    const ExecutionRequest& m_request;
    const BoundPlan& m_plan;
    const DeviceModel& m_model;
    std::uint64_t m_steps;
    std::map<std::string, sim::KernelCode> m_kernels;
    sim::SimulatedMemory m_memory;
    std::vector<std::vector<std::byte>> m_storage;
    std::uint32_t m_launchNumber = 0;
    std::size_t m_nextReport = 0; ///< Of the launches of a later input.
    std::map<int, LineCounters> m_lines;
    ExecutionResult m_result;
};

Result<ExecutionResult> Execution::run()
{
    auto finish = [&]() -> Result<ExecutionResult> {
        m_result.steps = m_request.stepBudget - m_steps;
        for (auto& [line, counters] : m_lines)
            m_result.lines.push_back(counters);
        return std::move(m_result);
    };
    if (auto ok = decodeKernels(); !ok)
        return tl::unexpected(ok.error());
    if (m_result.fault)
        return finish();
    if (auto ok = setUpMemory(); !ok)
        return tl::unexpected(ok.error());
    if (m_result.fault)
        return finish();
    bool first = true;
    for (const BoundCall& call : m_plan.prepares) {
        auto good = launch(call, true, 0);
        if (!good)
            return tl::unexpected(good.error());
        if (!*good)
            return finish();
        if (!call.skipped)
            m_result.setupMicroseconds += first ? m_model.launchMicroseconds : m_model.nextLaunchMicroseconds;
        first = false;
    }
    const std::size_t prepareReports = m_result.launches.size();
    for (std::size_t k = 0; k < m_request.inputs.size(); ++k) {
        if (auto ok = startCall(m_request.inputs[k], k); !ok)
            return tl::unexpected(ok.error());
        m_nextReport = prepareReports;
        for (const BoundCall& call : m_plan.launches) {
            auto good = launch(call, false, static_cast<int>(k));
            if (!good)
                return tl::unexpected(good.error());
            if (!*good)
                return finish();
        }
        if (k == 0 && m_request.checks != Checks::None)
            noteTouched();
        std::vector<float>& output = m_result.outputs.emplace_back();
        for (std::size_t i = 0; i < m_plan.buffers.size(); ++i) {
            if (m_plan.buffers[i].role != BufferRole::Output)
                continue;
            const sim::Region& region = m_memory.regions[sim::bufferRegion(i)];
            output.resize(region.bytes / sizeof(float));
            std::memcpy(output.data(), region.host, output.size() * sizeof(float));
        }
    }
    if (m_request.checks != Checks::None)
        estimate(prepareReports);
    return finish();
}

Status Execution::decodeKernels()
{
    if (const auto unsupported = ptx::firstUnsupported(*m_request.module))
        return failAt("PTX", unsupported->ptxLine, unsupported->reason,
                      "Pass the program through the gate first");
    for (const auto* calls : {&m_plan.prepares, &m_plan.launches}) {
        for (const BoundCall& call : *calls) {
            if (m_kernels.count(call.kernel))
                continue;
            const ptx::Function* entry = m_request.module->find(call.kernel);
            if (!entry || !entry->entry)
                return fail(fmt::format("the kernel '{}' is not in the PTX", call.kernel));
            auto code = sim::decodeKernel(*m_request.module, *entry);
            if (!code) {
                fault(call, code.error().what);
                return {};
            }
            m_kernels.emplace(call.kernel, std::move(*code));
        }
    }
    return {};
}

Status Execution::setUpMemory()
{
    m_storage.resize(m_plan.buffers.size());
    sim::Region& constants = m_memory.regions.emplace_back();
    constants.name = "constant memory";
    constants.base = sim::regionBase(sim::constantRegion);
    constants.elementBytes = 1;
    constants.firstSector = 8;
    sim::Region& variables = m_memory.regions.emplace_back();
    variables.name = "the program's constant data";
    variables.base = sim::regionBase(sim::variableRegion);
    variables.elementBytes = 1;
    std::uint64_t sector = 2048; // room for 64 KiB of constants
    for (std::size_t i = 0; i < m_plan.buffers.size(); ++i) {
        const BoundBuffer& buffer = m_plan.buffers[i];
        if (buffer.count < 0 || buffer.bytes() > maxBufferBytes) {
            fault({}, fmt::format("the array '{}' is too large: at most {} bytes are possible", buffer.name,
                                  maxBufferBytes));
            return {};
        }
        const auto bytes = static_cast<std::size_t>(buffer.bytes());
        sim::Region& region = m_memory.regions.emplace_back();
        region.name = buffer.name;
        region.role = buffer.role;
        region.bytes = bytes;
        region.base = sim::regionBase(sim::bufferRegion(i));
        region.elementBytes = static_cast<std::uint32_t>(sizeOf(buffer.type));
        region.firstSector = static_cast<std::uint32_t>(sector);
        sector += (bytes / 32 + 8) & ~std::uint64_t(7);
        if (sector > 0x3fffffffu - (maxVariableBytes / 32 + 8)) {
            fault({}, "the arrays of the plan are larger than 32 GiB together");
            return {};
        }
        if (buffer.role == BufferRole::Matrix) {
            if (buffer.data.size() != bytes)
                return fail(fmt::format("the array '{}' has {} bytes, not {}", buffer.name,
                                        buffer.data.size(), bytes));
            // Never written: the region stays read-only.
            region.host = const_cast<std::byte*>(buffer.data.data());
            continue;
        }
        m_storage[i].resize(bytes + 8);
        region.host = m_storage[i].data();
        const bool all = m_request.checks == Checks::All;
        if (buffer.role == BufferRole::Prepared) {
            poison({region.host, bytes}, buffer.type, m_request.seed + i);
            if (all)
                region.written.reset(bytes);
        }
        if (all && buffer.role != BufferRole::Input)
            region.history.resize(bytes / 4 + 1);
    }
    m_memory.regions[sim::variableRegion].firstSector = static_cast<std::uint32_t>(sector);
    std::size_t variableBytes = 0;
    for (const auto& [name, code] : m_kernels)
        variableBytes = std::max(variableBytes, code.variableBytes.size());
    sector += variableBytes / 32 + 8;
    m_memory.touched.assign(sector / 64 + 1, 0);
    m_memory.l2.reset(m_model.l2Bytes, static_cast<std::int64_t>(sector) * 32);
    return {};
}

Status Execution::startCall(std::span<const float> input, std::uint64_t call)
{
    std::fill(m_memory.touched.begin(), m_memory.touched.end(), 0);
    if (call == 0)
        m_memory.l2.clear(); // the first call is cold, whatever set-up left behind
    for (std::size_t i = 0; i < m_plan.buffers.size(); ++i) {
        const BoundBuffer& buffer = m_plan.buffers[i];
        sim::Region& region = m_memory.regions[sim::bufferRegion(i)];
        const std::span<std::byte> bytes{region.host, region.bytes};
        if (buffer.role == BufferRole::Input) {
            if (input.size() * sizeof(float) != region.bytes)
                return fail(fmt::format("'{}' has {} elements, but {} were given", buffer.name, buffer.count,
                                        input.size()));
            std::memcpy(region.host, input.data(), region.bytes);
        } else if (buffer.role == BufferRole::Scratch || buffer.role == BufferRole::Output) {
            if (buffer.zero)
                std::fill(bytes.begin(), bytes.end(), std::byte(0));
            else
                poison(bytes, buffer.type, m_request.seed + i + 1000 * (call + 1));
            if (m_request.checks == Checks::All && !buffer.zero)
                region.written.reset(region.bytes);
        }
    }
    return {};
}

void Execution::noteTouched()
{
    CallProfile& profile = m_result.profile;
    for (std::size_t i = 0; i < m_plan.buffers.size(); ++i) {
        const BoundBuffer& buffer = m_plan.buffers[i];
        const sim::Region& region = m_memory.regions[sim::bufferRegion(i)];
        double sectors = 0;
        for (std::uint64_t s = region.firstSector, end = s + region.bytes / 32 + 1; s < end; ++s)
            sectors += static_cast<double>(m_memory.touched[s / 64] >> (s % 64) & 1);
        (buffer.role == BufferRole::Input    ? profile.inputBytes
         : buffer.role == BufferRole::Output ? profile.outputBytes
                                             : profile.matrixBytes) += 32 * sectors;
        const bool filled = buffer.role == BufferRole::Scratch || buffer.role == BufferRole::Output;
        if (filled && buffer.zero)
            profile.fills.push_back(buffer.bytes());
    }
}

void Execution::estimate(std::size_t prepareReports)
{
    const sim::CallTime time = sim::callTime(m_model, m_result.profile);
    m_result.warmMicroseconds = time.warmMicroseconds;
    m_result.coldMicroseconds = time.coldMicroseconds;
    std::size_t next = 0;
    for (std::size_t i = prepareReports; i < m_result.launches.size() && next < time.warm.size(); ++i) {
        LaunchReport& report = m_result.launches[i];
        if (report.skipped)
            continue;
        report.warmMicroseconds = time.warm[next].microseconds;
        report.coldMicroseconds = time.cold[next].microseconds;
        report.boundBy = time.warm[next].boundBy;
        report.imbalance = time.warm[next].imbalance;
        ++next;
    }
}

void Execution::fault(const BoundCall& call, std::string message)
{
    Fault result;
    result.kind = FaultKind::LaunchError;
    result.message = std::move(message);
    result.kernel = call.kernel;
    result.line = call.line;
    m_result.fault = std::move(result);
}

std::optional<std::string> Execution::launchProblem(const BoundCall& call, const sim::KernelCode& code) const
{
    const DeviceLimits limits = limitsOf(m_model);
    std::int64_t threads = 1, blocks = 1;
    for (int axis = 0; axis < 3; ++axis) {
        if (call.block[axis] < 1 || call.block[axis] > limits.maxBlock[axis])
            return fmt::format("a block of {} threads in {} is not possible", call.block[axis], "xyz"[axis]);
        if (call.grid[axis] < 1 || call.grid[axis] > limits.maxGrid[axis])
            return fmt::format("a grid of {} blocks in {} is not possible", call.grid[axis], "xyz"[axis]);
        threads *= call.block[axis];
        if (blocks > (std::int64_t(1) << 40) / call.grid[axis])
            return "the grid has too many blocks";
        blocks *= call.grid[axis];
    }
    if (threads > limits.maxThreadsPerBlock)
        return fmt::format("a block of {} threads: at most {} are possible", threads,
                           limits.maxThreadsPerBlock);
    const std::int64_t bound = code.maxntid[0] * code.maxntid[1] * code.maxntid[2];
    if (bound && threads > bound)
        return fmt::format("a block of {} threads, but '{}' is compiled for at most {}", threads, code.name,
                           bound);
    if (code.reqntid[0] && code.reqntid != call.block)
        return fmt::format("'{}' is compiled for blocks of {} x {} x {} threads", code.name, code.reqntid[0],
                           code.reqntid[1], code.reqntid[2]);
    const std::int64_t shared = code.staticShared + call.dynamicSharedBytes;
    if (call.dynamicSharedBytes < 0 || shared > limits.maxSharedOptinBytes)
        return fmt::format("{} bytes of shared memory: at most {} are possible", shared,
                           limits.maxSharedOptinBytes);
    return std::nullopt;
}

Result<std::vector<std::byte>> Execution::marshal(const BoundCall& call, const sim::KernelCode& code) const
{
    if (call.arguments.size() != code.paramSizes.size())
        return fail(fmt::format("'{}' takes {} arguments, the plan gives {}", call.kernel,
                                code.paramSizes.size(), call.arguments.size()));
    std::vector<std::byte> block(code.paramBytes + 8);
    for (std::size_t i = 0; i < call.arguments.size(); ++i) {
        std::uint64_t bits = 0;
        const std::uint32_t size = code.paramSizes[i];
        if (const auto* reference = std::get_if<BufferRef>(&call.arguments[i])) {
            if (size != 8 || reference->index < 0 ||
                reference->index >= static_cast<int>(m_plan.buffers.size()))
                return fail(fmt::format("argument {} of '{}' is not an array", i + 1, call.kernel));
            bits = m_memory.regions[sim::bufferRegion(reference->index)].base;
        } else {
            if (size != 4 && size != 8)
                return fail(fmt::format("argument {} of '{}' has {} bytes; integers have 4 or 8", i + 1,
                                        call.kernel, size));
            bits = static_cast<std::uint64_t>(std::get<std::int64_t>(call.arguments[i]));
            if (size == 4 && bits > 0xffffffffu)
                return fail(fmt::format("argument {} of '{}' has 4 bytes and cannot hold {}", i + 1,
                                        call.kernel, bits));
        }
        std::memcpy(block.data() + code.paramOffsets[i], &bits, size);
    }
    return block;
}

Result<bool> Execution::launch(const BoundCall& call, bool prepare, int input)
{
    const sim::KernelCode& code = m_kernels.at(call.kernel);
    if (call.skipped) {
        if (input == 0) {
            LaunchReport report;
            report.kernel = call.kernel;
            report.planLine = call.line;
            report.prepare = prepare;
            report.skipped = true;
            m_result.launches.push_back(std::move(report));
        }
        ++m_nextReport;
        return true;
    }
    if (auto problem = launchProblem(call, code)) {
        fault(call, std::move(*problem));
        return false;
    }
    auto params = marshal(call, code);
    if (!params) {
        fault(call, params.error().what);
        return false;
    }
    const std::int64_t threads = call.block[0] * call.block[1] * call.block[2];
    // A guess must not refuse a launch: no more than a block of this size can have.
    const std::int64_t most =
        m_model.registersPerSm / std::max<std::int64_t>(32, (threads + 31) / 32 * 32) / 8 * 8;
    int registers = static_cast<int>(std::min<std::int64_t>(code.registerEstimate, most));
    for (const KernelResources& resources : m_request.resources) {
        if (resources.kernel == call.kernel && resources.registers > 0)
            registers = resources.registers;
    }
    const std::int64_t blocks = call.grid[0] * call.grid[1] * call.grid[2];
    const Occupancy occupancy =
        occupancyOf(m_model, threads, registers, code.staticShared + call.dynamicSharedBytes, blocks);
    if (occupancy.blocksPerSm < 1) {
        fault(call, fmt::format("no block of {} threads fits on an SM: too many {} ({} registers a thread)",
                                threads, occupancy.limiter, registers));
        return false;
    }
    if (static_cast<std::uint64_t>(blocks) > m_steps) {
        fault(call,
              fmt::format("{} blocks cannot end within {} warp instructions", blocks, m_request.stepBudget));
        m_result.fault->kind = FaultKind::Timeout;
        return false;
    }
    sim::Region& constants = m_memory.regions[sim::constantRegion];
    constants.host = const_cast<std::byte*>(code.constantBytes.data());
    constants.bytes = code.constantBytes.size();
    sim::Region& variables = m_memory.regions[sim::variableRegion];
    variables.host = const_cast<std::byte*>(code.variableBytes.data());
    variables.bytes = code.variableBytes.size();
    for (std::size_t i = 0; i < m_plan.buffers.size(); ++i) {
        sim::Region& region = m_memory.regions[sim::bufferRegion(i)];
        region.writable = prepare ? region.role == BufferRole::Prepared
                                  : region.role == BufferRole::Scratch || region.role == BufferRole::Output;
    }
    sim::LaunchSetup setup;
    setup.code = &code;
    setup.grid = call.grid;
    setup.block = call.block;
    setup.dynamicShared = call.dynamicSharedBytes;
    setup.params = std::move(*params);
    setup.checks = m_request.checks;
    setup.inOrder = m_request.inOrder;
    setup.seed = m_request.seed;
    setup.stepBudget = m_steps;
    setup.launchNumber = ++m_launchNumber;
    setup.model = &m_model;
    setup.blocksPerSm = occupancy.blocksPerSm;
    setup.cancel = m_request.cancel;
    sim::LaunchOutcome outcome = sim::runLaunch(m_memory, setup);
    m_steps -= std::min(m_steps, outcome.statistics.steps);
    m_result.atomicFloats = m_result.atomicFloats || code.floatAtomics;
    if (outcome.cancelled)
        return fail("the execution was cancelled");
    if (outcome.fault) {
        if (outcome.fault->kind == FaultKind::Timeout && outcome.fault->message.empty())
            outcome.fault->message =
                fmt::format("the program did not end within {} warp instructions", m_request.stepBudget);
        m_result.fault = std::move(outcome.fault);
        return false;
    }
    account(call, code, outcome.statistics, prepare, input, occupancy.blocksPerSm, occupancy, registers);
    return true;
}

void Execution::account(const BoundCall& call, const sim::KernelCode& code,
                        const sim::LaunchStatistics& statistics, bool prepare, int input, int blocksPerSm,
                        const Occupancy& occupancy, int registers)
{
    ++m_nextReport;
    if (input != 0)
        return;
    LaunchReport report;
    report.kernel = call.kernel;
    report.planLine = call.line;
    report.prepare = prepare;
    report.blocks = call.grid[0] * call.grid[1] * call.grid[2];
    report.threadsPerBlock = call.block[0] * call.block[1] * call.block[2];
    report.registers = registers;
    report.staticShared = code.staticShared;
    report.dynamicShared = call.dynamicSharedBytes;
    report.localBytes = code.localBytes;
    report.occupancy = occupancy;
    report.distinctSectors = static_cast<std::int64_t>(statistics.profile.distinctSectors);
    for (const LineCounters& line : statistics.lines) {
        auto add = [](LineCounters& to, const LineCounters& from) {
            to.warpInstructions += from.warpInstructions;
            to.threadInstructions += from.threadInstructions;
            to.globalSectors += from.globalSectors;
            to.l1Hits += from.l1Hits;
            to.l2Hits += from.l2Hits;
            to.dramSectors += from.dramSectors;
            to.bankConflicts += from.bankConflicts;
            to.atomics += from.atomics;
            to.divergentBranches += from.divergentBranches;
        };
        add(report.total, line);
        if (m_request.lineCounters && line.warpInstructions) {
            LineCounters& kept = m_lines[line.line];
            kept.line = line.line;
            add(kept, line);
        }
    }
    if (m_request.checks != Checks::None) {
        LaunchProfile profile = statistics.profile;
        profile.kernel = call.kernel;
        profile.blocks = report.blocks;
        profile.threadsPerBlock = report.threadsPerBlock;
        profile.blocksPerSm = blocksPerSm;
        if (prepare) {
            const sim::LaunchTime cold = sim::launchTime(m_model, profile, 0);
            report.coldMicroseconds = report.warmMicroseconds = cold.microseconds;
            report.boundBy = cold.boundBy;
            report.imbalance = cold.imbalance;
            m_result.setupMicroseconds += cold.microseconds;
        } else {
            m_result.profile.launches.push_back(std::move(profile));
        }
    }
    m_result.launches.push_back(std::move(report));
}

} // namespace

Result<ExecutionResult> SimulatedDevice::execute(const ExecutionRequest& request)
{
    if (!request.plan || !request.module || request.inputs.empty())
        return fail("an execution needs a plan, a module and at least one input");
    const DeviceModel* model = request.model ? request.model : findDeviceModel(m_impl->modelName);
    if (!model)
        return fail(fmt::format("the device model '{}' is not known", m_impl->modelName),
                    "Use h200 or generic");
    return Execution(request, *model).run();
}

} // namespace sparserl

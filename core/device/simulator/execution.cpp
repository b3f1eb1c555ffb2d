// SPDX-License-Identifier: Apache-2.0
#include "device/simulator/execution.h"

#include "base/interruption.h"
#include "device/simulator/launch_check.h"
#include "device/simulator/profile/cost_model.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

namespace sparserl::sim {

namespace {

void add(LineCounters& to, const LineCounters& from)
{
    to.warpInstructions += from.warpInstructions;
    to.threadInstructions += from.threadInstructions;
    to.globalSectors += from.globalSectors;
    to.l1Hits += from.l1Hits;
    to.l2Hits += from.l2Hits;
    to.dramSectors += from.dramSectors;
    to.bankConflicts += from.bankConflicts;
    to.atomics += from.atomics;
    to.divergentBranches += from.divergentBranches;
}

/// Each spilled register is written and read once at least: a line of 128 bytes for a warp.
void addSpills(LaunchProfile& profile, const LaunchReport& report, std::int64_t spilled, int smCount)
{
    const double warps =
        static_cast<double>(report.blocks) * std::ceil(static_cast<double>(report.threadsPerBlock) / 32);
    const double accesses = warps * static_cast<double>(spilled) / 4 * 2;
    for (auto [counts, share] : {std::pair{&profile.total, 1.0}, {&profile.busiest, 1.0 / smCount}}) {
        (*counts)[at(Work::Instructions)] += accesses * share;
        (*counts)[at(Work::Memory)] += accesses * share;
        (*counts)[at(Work::L1Sectors)] += accesses * share * 4;
    }
}

} // namespace

ExecutionResult Execution::finish()
{
    m_result.steps = m_request.stepBudget - m_steps;
    for (auto& [line, counters] : m_lines)
        m_result.lines.push_back(counters);
    for (auto& [line, counters] : m_ptxLines)
        m_result.ptxLines.push_back(counters);
    return std::move(m_result);
}

Result<ExecutionResult> Execution::run()
{
    SPARSERL_CHECK(decodeKernels());
    if (m_result.fault)
        return finish();
    SPARSERL_CHECK(setUpMemory());
    if (m_result.fault)
        return finish();
    SPARSERL_TRY(const bool prepared, prepare());
    m_result.prepareSteps = m_request.stepBudget - m_steps;
    m_result.failedSwaps = 0; // Of launches only.
    if (!prepared)
        return finish();
    for (std::size_t call = 0; call < m_request.inputs.size(); ++call) {
        SPARSERL_TRY(const bool good, runCall(call));
        if (!good)
            return finish();
    }
    if (counts())
        estimate();
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
            auto code = decodeKernel(*m_request.module, *entry, m_memory.addresses(), m_request.lineCounters);
            if (!code) {
                fault(call, code.error());
                return {};
            }
            m_kernels.emplace(call.kernel, std::move(*code));
        }
    }
    return {};
}

Status Execution::setUpMemory()
{
    std::size_t variableBytes = 0;
    for (const auto& [name, code] : m_kernels)
        variableBytes = std::max(variableBytes, code.variableBytes.size());
    SPARSERL_TRY(std::optional<std::string> problem, m_memory.setUp(variableBytes));
    if (problem)
        fault({}, {std::move(*problem), {}, 0, {}, ErrorKind::OutOfMemory});
    return {};
}

Result<bool> Execution::prepare()
{
    bool first = true;
    for (const BoundCall& call : m_plan.prepares) {
        SPARSERL_TRY(const bool good, launch(call, true, 0));
        if (!good)
            return false;
        if (!call.skipped)
            m_result.setupMicroseconds += first ? m_model.launchMicroseconds : m_model.nextLaunchMicroseconds;
        first = false;
    }
    m_prepareReports = m_result.launches.size();
    return true;
}

Result<bool> Execution::runCall(std::size_t call)
{
    SPARSERL_CHECK(m_memory.startCall(m_request.inputs[call], call));
    for (const BoundCall& one : m_plan.launches) {
        SPARSERL_TRY(const bool good, launch(one, false, static_cast<int>(call)));
        if (!good)
            return false;
    }
    if (call == 0 && counts())
        m_memory.noteTouched(m_result.profile);
    m_result.outputs.push_back(m_memory.outputs());
    if (!m_request.observe.empty())
        if (const auto word = m_memory.observed())
            m_result.observed.push_back(*word);
    return true;
}

void Execution::estimate()
{
    const CallTime time = callTime(m_model, m_result.profile);
    m_result.warmMicroseconds = time.warmMicroseconds;
    m_result.coldMicroseconds = time.coldMicroseconds;
    std::size_t next = 0;
    for (std::size_t i = m_prepareReports; i < m_result.launches.size() && next < time.warm.size(); ++i) {
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

void Execution::fault(const BoundCall& call, Error why)
{
    Fault result;
    result.kind = FaultKind::LaunchError;
    result.outOfMemory = why.kind == ErrorKind::OutOfMemory;
    result.message = std::move(why.what);
    result.kernel = call.kernel;
    result.line = call.line;
    m_result.fault = std::move(result);
}

Result<bool> Execution::launch(const BoundCall& call, bool prepare, int input)
{
    if (!call.skipped)
        return launchKernel(call, prepare, input);
    if (input == 0) {
        LaunchReport report;
        report.kernel = call.kernel;
        report.planLine = call.line;
        report.prepare = prepare;
        report.skipped = true;
        m_result.launches.push_back(std::move(report));
    }
    return true;
}

Result<bool> Execution::launchKernel(const BoundCall& call, bool prepare, int input)
{
    const KernelCode& code = m_kernels.at(call.kernel);
    if (auto problem = launchProblem(call, code, m_model)) {
        fault(call, std::move(*problem));
        return false;
    }
    auto params = parameterBlock(call, code, m_plan, m_memory,
                                 m_request.scaledCall(static_cast<std::size_t>(input)).by);
    if (!params) {
        fault(call, params.error());
        return false;
    }
    LaunchSetup setup;
    setup.shape = {call.grid, call.block};
    const std::int64_t threads = setup.shape.threads(), blocks = setup.shape.blocks();
    const int registers = registersOf(call, code, m_request, m_model);
    const Occupancy occupancy =
        occupancyOf(m_model, threads, registers, code.staticShared + call.dynamicSharedBytes, blocks);
    if (occupancy.blocksPerSm < 1) {
        fault(call, {fmt::format("no block of {} threads fits on an SM: too many {} ({} registers a thread)",
                                 threads, occupancy.limiter, registers)});
        return false;
    }
    if (static_cast<std::uint64_t>(blocks) > m_steps) {
        fault(call, {fmt::format("{} blocks cannot end within {} warp instructions", blocks,
                                 m_request.stepBudget)});
        m_result.fault->kind = FaultKind::Timeout;
        return false;
    }
    m_memory.startLaunch(code, prepare);
    setup.code = &code;
    setup.dynamicShared = call.dynamicSharedBytes;
    setup.params = std::move(*params);
    setup.checks = m_request.checks;
    setup.counters =
        m_request.counters && input == 0; // the launches of later inputs are like those of the first
    setup.drawnBlocks = m_request.drawnBlocks;
    setup.schedule = m_request.schedule.value_or(usualSchedule(m_request.checks));
    setup.seed = m_request.seed;
    setup.stepBudget = m_steps;
    setup.launchNumber = ++m_launchNumber;
    setup.model = &m_model;
    setup.blocksPerSm = occupancy.blocksPerSm;
    setup.cancel = m_request.cancel;
    LaunchOutcome outcome = runLaunch(m_memory.memory(), setup);
    m_steps -= std::min(m_steps, outcome.statistics.steps);
    m_result.failedSwaps += outcome.statistics.failedSwaps;
    m_result.atomicFloats = m_result.atomicFloats || code.floatAtomics;
    if (outcome.cancelled)
        return fail(interruption());
    if (outcome.fault) {
        if (outcome.fault->kind == FaultKind::Timeout && outcome.fault->message.empty())
            outcome.fault->message =
                fmt::format("the program did not end within {} warp instructions", m_request.stepBudget);
        m_result.fault = std::move(outcome.fault);
        LineCounters untilThen; // what ran has its counters all the same
        if (input == 0)
            countLines(outcome.statistics, code, untilThen);
        return false;
    }
    if (input == 0) {
        const std::int64_t spilled = spilledBytes(call, code, m_request);
        LaunchReport report = reportOf(call, code, prepare, occupancy, registers);
        report.localBytes += spilled;
        int blocksPerSm = occupancy.blocksPerSm;
        if (spilled > 0) {
            // As many as if nothing were spilled: what it costs in loops is not known, and it is no way to
            // have more of them.
            constexpr std::int64_t mostRegisters = 255;
            const auto unspilled = static_cast<int>(std::min(mostRegisters, registers + spilled / 4));
            blocksPerSm = std::clamp(
                occupancyOf(m_model, threads, unspilled, code.staticShared + call.dynamicSharedBytes, blocks)
                    .blocksPerSm,
                1, blocksPerSm);
            addSpills(outcome.statistics.profile, report, spilled, m_model.smCount);
        }
        account(std::move(report), std::move(outcome.statistics), code, blocksPerSm);
    }
    return true;
}

LaunchReport Execution::reportOf(const BoundCall& call, const KernelCode& code, bool prepare,
                                 const Occupancy& occupancy, int registers) const
{
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
    return report;
}

void Execution::countLines(const LaunchStatistics& statistics, const KernelCode& code, LineCounters& total)
{
    const auto keep = [](std::map<int, LineCounters>& lines, int number, const LineCounters& counters) {
        LineCounters& kept = lines[number];
        kept.line = number;
        add(kept, counters);
    };
    for (std::size_t i = 0; i < statistics.lines.size(); ++i) {
        const LineCounters& line = statistics.lines[i];
        add(total, line);
        if (!m_request.lineCounters || !line.warpInstructions)
            continue;
        keep(m_lines, line.line, line);
        if (i < code.ptxLines.size())
            keep(m_ptxLines, code.ptxLines[i], line);
    }
}

void Execution::account(LaunchReport report, LaunchStatistics statistics, const KernelCode& code,
                        int blocksPerSm)
{
    report.distinctSectors = static_cast<std::int64_t>(statistics.profile.distinctSectors);
    countLines(statistics, code, report.total);
    if (counts()) {
        LaunchProfile profile = std::move(statistics.profile);
        profile.kernel = report.kernel;
        profile.blocks = report.blocks;
        profile.threadsPerBlock = report.threadsPerBlock;
        profile.blocksPerSm = blocksPerSm;
        if (report.prepare) {
            const LaunchTime cold = launchTime(m_model, profile, 0);
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

} // namespace sparserl::sim

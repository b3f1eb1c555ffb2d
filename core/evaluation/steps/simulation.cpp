// SPDX-License-Identifier: Apache-2.0
#include "evaluation/steps/simulation.h"

namespace sparserl {

namespace {

/// Warp instructions of launches in further calls of a judgement: some tenths of a second.
constexpr std::uint64_t furtherSteps = 8'000'000;
/// What prepare kernels of a further call may take of its budget, on average: a conversion on the device is
/// linear in the matrix, and a budget is for thousands of instructions a row.
constexpr std::uint64_t prepareShare = 32;

/// CPU time after which a simulation counts as endless. The interpreter takes 16 million warp instructions a
/// second, so an eighth of that leaves room for the slowest instructions on the slowest machines; the rest is
/// for reading matrices and making formats.
double cpuSecondsFor(std::uint64_t steps)
{
    return 20 + static_cast<double>(steps) / 2e6;
}

} // namespace

Flow<CaseFindings> Simulation::battery(const ProgramState& state, KindCases& kind, TargetVariant variant,
                                       bool lineCounters)
{
    auto cases = kind.battery(variant, factorsOf(state.program.plan));
    if (!cases)
        co_await m_machinery.broken(cases.error());
    if (cases->empty())
        co_return CaseFindings();
    CaseFindings findings = co_await run(state, std::move(*cases), variant, lineCounters);
    co_return std::move(findings);
}

Flow<CaseFindings> Simulation::run(const ProgramState& state, CasePlan cases, TargetVariant variant,
                                   bool lineCounters)
{
    SimulationJob job;
    job.program = state.program.text;
    job.ptx = state.compiled.ptx;
    job.resources = state.compiled.resources;
    job.model = m_options.deviceModel;
    job.furtherSteps = furtherSteps;
    auto filling = [&] { return cases.fill(job, variant); };
    const auto memory = co_await m_background.run(std::move(filling));
    if (!memory)
        co_await m_machinery.broken(memory.error());
    job.furtherPrepareSteps = 8 * furtherSteps;
    for (SimulationCase& one : job.cases) {
        if (one.ifSpent != IfSpent::Runs)
            job.furtherPrepareSteps += one.stepBudget / prepareShare;
        one.lineCounters = one.lineCounters || lineCounters;
        one.counters = one.counters || one.lineCounters;
        if (m_options.observer)
            one.observe = m_options.observer->scratch;
    }
    const double cpu = cpuSecondsFor(cases.totalSteps());
    TrialJob trial;
    trial.job.role = RunnerRole::Sim;
    trial.job.body = toJson(job);
    trial.job.body["cpu_seconds"] = cpu;
    trial.job.memory = *memory;
    trial.job.matrices = cases.files();
    trial.job.wallSeconds = 120 + 10 * cpu; // Beyond it the machine is stuck, however loaded it is.
    trial.control = m_control;
    trial.task = "simulate a program";
    trial.readOn = &m_background;
    const auto read = [&](const nlohmann::json& answer) -> Result<CaseFindings> {
        SPARSERL_TRY(const auto answers, caseAnswersFromJson(answer));
        if (m_options.observer) {
            const std::lock_guard lock(m_telling);
            cases.tell(*m_options.observer, state.program.text.text(), answers);
        }
        return cases.judge(answers, **memory, state.compiled.traits.flushes);
    };
    auto tried = co_await m_trials.run(std::move(trial), read);
    if (tried.answer)
        co_return std::move(*tried.answer);
    CaseFindings findings;
    findings.failure.emplace();
    findings.failure->fault = simulatorFailure(tried.blamed);
    co_return std::move(findings);
}

} // namespace sparserl

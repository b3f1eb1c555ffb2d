// SPDX-License-Identifier: Apache-2.0
#include "evaluation/simulation.h"

namespace sparserl {

namespace {

/// CPU time after which a simulation counts as endless. The interpreter takes 16 million warp instructions a
/// second, so an eighth of that leaves room for the slowest instructions on the slowest machines; the rest is
/// for reading matrices and making formats.
double cpuSecondsFor(std::uint64_t steps)
{
    return 20 + static_cast<double>(steps) / 2e6;
}

} // namespace

Simulation::Simulation(JobTrials& trials, std::shared_ptr<Control> control, const JudgeOptions& options,
                       std::function<void(Error)> breakDown)
    : m_trials(trials)
    , m_control(std::move(control))
    , m_options(options)
    , m_breakDown(std::move(breakDown))
{
}

Result<std::unique_ptr<Simulation>> Simulation::make(JobTrials& trials, std::shared_ptr<Control> control,
                                                     const JudgeOptions& options,
                                                     std::function<void(Error)> breakDown)
{
    std::unique_ptr<Simulation> made(
        new Simulation(trials, std::move(control), options, std::move(breakDown)));
    made->m_shapes = batteryShapes(deriveSeed(options.secretSeed, 0, "battery"));
    for (const auto& shape : made->m_shapes) {
        auto shared = SharedMatrix::make("battery/" + shape.name, std::make_shared<Csr>(shape.matrix));
        if (!shared)
            return fail(shared.error());
        made->m_sharedShapes.push_back(std::move(*shared));
    }
    return made;
}

SimulationCase Simulation::settings(std::uint64_t seed, Checks checks, const Csr& matrix,
                                    std::int64_t columns) const
{
    SimulationCase one;
    one.seed = seed;
    one.checks = checks;
    one.stepBudget = m_options.stepBudget ? m_options.stepBudget : defaultStepBudget(matrix, columns);
    return one;
}

void Simulation::battery(const ProgramState& state, std::int64_t columns, Found found)
{
    auto cases = std::make_shared<CasePlan>();
    for (std::size_t i = 0; i < m_shapes.size(); ++i) {
        const Csr& matrix = m_shapes[i].matrix;
        const std::uint64_t seed = deriveSeed(m_options.secretSeed, i, "battery inputs");
        Rng rng(seed);
        const std::int64_t count = columns * matrix.cols;
        auto x = m_shapes[i].integer ? integerVector(count, integerRange(matrix).vector, rng)
                                     : randomVector(count, rng);
        CaseCheck check;
        check.name = m_shapes[i].name;
        check.exact = m_shapes[i].integer;
        check.references = {std::make_shared<Reference>(reference(matrix, x, columns))};
        cases->add(m_sharedShapes[i], {std::move(x)}, settings(seed, Checks::All, matrix, columns),
                   std::move(check));
    }
    run(state, std::move(cases), columns, std::move(found));
}

void Simulation::addRelatives(CasePlan& cases, MatrixContext& context, std::int64_t columns,
                              std::uint64_t seed) const
{
    const Csr& matrix = *context.relative().matrix;
    Rng rng(seed);
    const std::int64_t count = columns * matrix.cols;
    const int limit = integerRange(matrix).vector;
    auto x1 = integerVector(count, limit, rng), x2 = integerVector(count, limit, rng);
    std::vector<float> x3(x1.size());
    for (std::size_t i = 0; i < x3.size(); ++i)
        x3[i] = 2 * x1[i] - 3 * x2[i];
    CaseCheck exact;
    exact.name = "like-the-target";
    exact.exact = exact.linear = true;
    for (const auto* x : {&x1, &x2, &x3})
        exact.references.push_back(
            std::make_shared<Reference>(reference(*context.relativeIntegers().matrix, *x, columns)));
    auto exactSettings = settings(seed, Checks::All, matrix, columns);
    exactSettings.stepBudget *= 3;
    cases.add(context.relativeIntegers(), {std::move(x1), std::move(x2), std::move(x3)}, exactSettings,
              std::move(exact));
    const auto x = randomVector(count, rng);
    CaseCheck random;
    random.name = "like-the-target";
    random.references = {std::make_shared<Reference>(reference(matrix, x, columns))};
    cases.add(context.relative(), {x}, settings(seed + 1, Checks::All, matrix, columns), random);
    random.repeats = 1;
    cases.add(context.relative(), {x}, settings(seed + 2, Checks::All, matrix, columns), random);
}

void Simulation::run(const ProgramState& state, std::shared_ptr<CasePlan> cases, std::int64_t columns,
                     Found found)
{
    SimulationJob job;
    job.program = state.program.text;
    job.ptx = state.compiled.ptx;
    job.resources = state.compiled.resources;
    job.model = m_options.deviceModel;
    auto memory = cases->fill(job, columns);
    if (!memory) {
        m_breakDown(memory.error());
        return;
    }
    const double cpu = cpuSecondsFor(cases->totalSteps());
    TrialJob trial;
    trial.job.role = RunnerRole::Sim;
    trial.job.body = toJson(job);
    trial.job.body["cpu_seconds"] = cpu;
    trial.job.memory = *memory;
    trial.job.matrices = cases->matrices();
    trial.job.wallSeconds = 120 + 10 * cpu; // Beyond it the machine is stuck, however loaded it is.
    trial.control = m_control;
    trial.task = "simulate a program";
    trial.take = [cases, memory = *memory, found](const nlohmann::json& answer) -> Status {
        const auto answers = caseAnswersFromJson(answer);
        auto findings = answers ? cases->judge(*answers, *memory) : fail(answers.error());
        if (!findings)
            return fail(findings.error());
        found(std::move(*findings));
        return {};
    };
    trial.blame = [found](const JobOutcome& outcome) {
        CaseFindings findings;
        findings.failure.emplace();
        findings.failure->fault = simulatorFailure(outcome);
        found(std::move(findings));
    };
    m_trials.submit(std::move(trial));
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "evaluation/stages/cuda_stage.h"

#include "base/json.h"
#include "evaluation/stages/full_check.h"
#include "evaluation/stages/gpu_check.h"
#include "evaluation/stages/gpu_references.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>

namespace sparserl {

namespace {

/// Different inputs for a matrix, when it is simulated for every program: references take as long as a
/// product.
constexpr std::uint64_t inputSets = 4;

Fault gpuFailure(const JobOutcome& outcome)
{
    Fault fault;
    fault.kind = FaultKind::LaunchError;
    fault.outOfMemory = outcome.outOfMemory;
    if (outcome.kind == JobOutcome::Kind::Hung || outcome.signal == SIGXCPU) {
        fault.kind = FaultKind::Timeout;
        fault.message = "the program did not end on the GPU, also not in a fresh process";
    } else if (outcome.kind == JobOutcome::Kind::Crashed) {
        fault.message = "the GPU's driver crashed on this program twice (" + outcome.reason + ")";
    } else {
        fault.message =
            "the GPU cannot run this program, also not in a fresh process (" + outcome.reason + ")";
    }
    return fault;
}

class CudaStage : public TargetStage
{
public:
    CudaStage(const StageServices& services, const GpuInfo& info)
        : m_services(services)
        , m_info(info)
        , m_inputs(services.options.secret(), services.options.everyKind)
        , m_references(services, info, services.options.timing == "paper")
        , m_control(std::make_shared<Control>(
              [this](const Control::Finished& finished) { m_references.control(finished); }))
    {
    }

    std::string deviceName() const override { return gpuName(m_info); }
    bool simulated() const override { return false; }
    std::string epoch(const TargetTask& task) const override
    {
        return std::to_string(m_references.epoch(task));
    }
    void abandon() override
    {
        m_references.abandon();
        m_control->abandon();
        m_quarantines.clear();
    }
    void run(const TargetTask& task, std::function<void(TargetFindings)> found) override;
    void baseline(const TargetTask& task, std::function<void(Baseline)> found) override
    {
        m_references.ready(task,
                           [this, task, found = std::move(found)] { found(m_references.library(task)); });
    }
    void apply(VerdictRecord& record, const TargetTask& task, const TargetFindings& findings) const override;

private:
    /// One program on its way over the GPU.
    struct Flow
    {
        TargetTask task;
        std::function<void(TargetFindings)> found;
        std::vector<LineCounters> lines, ptxLines;
        bool retriedFault = false;
        bool fresh = false;     ///< In a process of its own.
        bool simulated = false; ///< On the matrix itself, with every check.
        std::string quarantine; ///< Why it is measured again; empty: the first time.
    };
    using FlowPtr = std::shared_ptr<Flow>;
    /// Of one target: whether a program is in it, and those that came meanwhile.
    struct Quarantine
    {
        bool busy = false;
        std::vector<std::pair<FlowPtr, TargetFindings>> waiting;
    };

    void simulate(const FlowPtr& flow);
    void simulateFully(const FlowPtr& flow, std::function<void()> next);
    void runOnGpu(const FlowPtr& flow);
    void answered(const FlowPtr& flow, const GpuAnswer& answer, TargetFindings findings);
    void judgeSpeed(const FlowPtr& flow, TargetFindings findings);
    bool enterQuarantine(const FlowPtr& flow, TargetFindings& findings);
    void leaveQuarantine(const std::string& key);
    void believe(const FlowPtr& flow, TargetFindings findings);

    StageServices m_services;
    GpuInfo m_info;
    GpuInputSets m_inputs;
    GpuReferences m_references;
    std::shared_ptr<Control> m_control;
    std::map<std::string, Quarantine> m_quarantines; ///< By TargetId::key().
};

void CudaStage::run(const TargetTask& task, std::function<void(TargetFindings)> found)
{
    auto flow = std::make_shared<Flow>();
    flow->task = task;
    flow->found = std::move(found);
    simulate(flow);
}

/// Nothing reaches the GPU that the simulator finds fault with.
void CudaStage::simulate(const FlowPtr& flow)
{
    const TargetTask& task = flow->task;
    const auto columns = task.columns();
    Simulation& simulation = m_services.simulation;
    const std::uint64_t seed =
        deriveSeed(m_services.options.secret(), task.request.seed, "schedule " + task.context->digest());
    auto cases = std::make_shared<CasePlan>();
    const bool whole =
        simulationWork(*task.context->own().matrix, columns) <= m_services.options.gpuSimulateAll;
    if (task.checked) {
        flow->simulated = whole;
        m_references.ready(task, [this, flow] { runOnGpu(flow); });
        return;
    }
    if (auto added = simulation.addRelatives(*cases, *task.context, columns, seed, !whole); !added)
        return m_services.breakDown(added.error());
    if (task.request.lineCounters) {
        const auto inputs = task.context->inputs(task.request.seed, columns);
        CaseCheck check;
        check.timed = true;
        check.references = {std::shared_ptr<const Reference>(inputs, &inputs->firstReference)};
        auto one = simulation.settings(seed + 4, Checks::Counters, *task.context->own().matrix, columns);
        one.schedule = Schedule::InOrder;
        one.layout = AddressLayout::Apart;
        one.lineCounters = true;
        cases->add(task.context->own(), {inputs->first}, one, std::move(check));
    }
    if (whole) {
        if (auto added = addTarget(*cases, simulation, task, task.request.seed % inputSets, seed + 3,
                                   m_services.options.everyKind);
            !added)
            return m_services.breakDown(added.error());
        flow->simulated = true;
    }
    ++m_services.metrics.simulated;
    simulation.run(task.state(), cases, task.target().variant, [this, flow](CaseFindings findings) {
        if (findings.failure) {
            TargetFindings target;
            target.failure = std::move(findings.failure);
            flow->found(std::move(target));
            return;
        }
        if (findings.timed) {
            flow->lines = std::move(findings.timed->result.lines);
            flow->ptxLines = std::move(findings.timed->result.ptxLines);
        }
        m_references.ready(flow->task, [this, flow] { runOnGpu(flow); });
    });
}

void CudaStage::runOnGpu(const FlowPtr& flow)
{
    const TargetTask& task = flow->task;
    const auto columns = task.columns();
    const bool again = !flow->quarantine.empty();
    auto inputs = again ? m_inputs.unused(*task.context, columns)
                        : m_inputs.forSeed(*task.context, columns, task.request.seed);
    if (!inputs) {
        m_services.breakDown(inputs.error());
        return;
    }
    const double limit = std::max(50 * m_references.baseline(task).warm.median, 1e6);
    const std::uint64_t seed = deriveSeed(m_services.options.secret(), task.request.seed,
                                          (again ? "quarantine " : "GPU ") + task.context->digest());
    auto made =
        GpuCheck::make(task, *inputs, m_services.options, seed, again, limit, m_references.baseline(task));
    if (!made) {
        m_services.breakDown(made.error());
        return;
    }
    const auto check = std::make_shared<const GpuCheck>(std::move(*made));
    TrialJob trial;
    trial.job.role = RunnerRole::Cuda;
    trial.job.body = check->body();
    trial.job.memory = check->memory();
    trial.job.matrices = check->files();
    trial.job.wallSeconds = m_services.options.gpuWallSeconds;
    trial.job.fresh = flow->fresh;
    trial.control = m_control;
    trial.task = "run a program on the GPU";
    trial.take = [this, flow, check](const nlohmann::json& body) -> Status {
        const auto answer = gpuAnswerFromJson(body);
        SPARSERL_TRY(auto findings, answer ? check->judge(*answer) : fail(answer.error()));
        answered(flow, *answer, std::move(findings));
        return {};
    };
    trial.blame = [flow](const JobOutcome& outcome) {
        TargetFindings findings;
        findings.failure.emplace();
        findings.failure->fault = gpuFailure(outcome);
        flow->found(std::move(findings));
    };
    m_services.trials.submit(std::move(trial));
    m_references.countCandidate(task);
}

void CudaStage::answered(const FlowPtr& flow, const GpuAnswer& answer, TargetFindings findings)
{
    auto& metrics = m_services.metrics;
    metrics.gpuBusySeconds += answer.busySeconds;
    if (answer.timing)
        metrics.measuringSeconds += answer.timing->measuringSeconds;
    metrics.measured += flow->task.request.measured ? 1 : 0;
    if (findings.failure && answer.poisoned && !flow->retriedFault) {
        // The simulator found nothing: make sure that it is the program and not what came before it.
        flow->retriedFault = flow->fresh = true;
        runOnGpu(flow);
        return;
    }
    if (findings.failure || !flow->task.request.measured) {
        flow->found(std::move(findings));
        return;
    }
    judgeSpeed(flow, std::move(findings));
}

void CudaStage::judgeSpeed(const FlowPtr& flow, TargetFindings findings)
{
    const auto launches = static_cast<int>(
        std::count_if(findings.launches.begin(), findings.launches.end(),
                      [](const auto& launch) { return !launch.prepare && !launch.skipped; }));
    SpeedFacts facts;
    facts.microseconds = findings.measured->warm.median;
    facts.floorMicroseconds = m_references.floor().microseconds(
        std::max(1, launches), flow->task.context->workload(flow->task.target().variant).compulsoryBytes());
    facts.baselineMicroseconds = m_references.baseline(flow->task).warm.median;
    facts.bestVerifiedMicroseconds = m_references.bestVerified(flow->task);
    facts.clocksAgree = findings.measured->clocksAgree;
    findings.floorMicroseconds = facts.floorMicroseconds;
    findings.lines = flow->lines;
    findings.ptxLines = flow->ptxLines;
    if (!flow->quarantine.empty()) {
        if (const auto reason = impossible(facts))
            findings.suspicion = *reason + "; a fresh process found it again";
        return believe(flow, std::move(findings));
    }
    const auto reason = surprising(facts);
    if (!reason && (flow->simulated || !m_references.wouldBeFastest(flow->task, facts.microseconds)))
        return believe(flow, std::move(findings));
    if (!enterQuarantine(flow, findings))
        return;
    const auto again = [this, flow] { runOnGpu(flow); };
    if (reason) {
        ++m_services.metrics.quarantined;
        flow->quarantine = *reason;
        flow->fresh = true;
        return simulateFully(flow, again);
    }
    // No surprise, but nobody is paid for a record that was not looked at closely.
    auto kept = std::make_shared<TargetFindings>(std::move(findings));
    simulateFully(flow, [this, flow, kept] { believe(flow, std::move(*kept)); });
}

/// What others are compared with moves only by evidence: what was measured again in a fresh process, and what
/// was simulated with every check. Small steps that were not do not add up to a large one.
void CudaStage::believe(const FlowPtr& flow, TargetFindings findings)
{
    if (findings.suspicion.empty()) {
        if (!flow->quarantine.empty())
            m_references.verified(flow->task, findings.measured->warm.median);
        if (flow->simulated)
            m_references.simulated(flow->task, findings.measured->warm.median);
    }
    flow->found(std::move(findings));
}

/// One at a time on a matrix: once the fastest is verified, most of the others are no surprise. False: it
/// waits.
bool CudaStage::enterQuarantine(const FlowPtr& flow, TargetFindings& findings)
{
    Quarantine& ward = m_quarantines[flow->task.target().key()];
    if (ward.busy) {
        ward.waiting.emplace_back(flow, std::move(findings));
        return false;
    }
    ward.busy = true;
    flow->found = [this, key = flow->task.target().key(), found = flow->found](TargetFindings last) {
        found(std::move(last));
        leaveQuarantine(key);
    };
    return true;
}

void CudaStage::leaveQuarantine(const std::string& key)
{
    auto waiting = std::move(m_quarantines[key].waiting);
    m_quarantines.erase(key);
    std::sort(waiting.begin(), waiting.end(), [](const auto& a, const auto& b) {
        return a.second.measured->warm.median < b.second.measured->warm.median;
    });
    for (auto& [flow, findings] : waiting)
        judgeSpeed(flow, std::move(findings));
}

/// The matrix itself, or rows of it where it is large, with every check of the simulator and inputs of its
/// own. In quarantine a fresh process follows that assembles the PTX by itself and gets inputs that were
/// never used.
void CudaStage::simulateFully(const FlowPtr& flow, std::function<void()> next)
{
    const TargetTask& task = flow->task;
    auto cases = std::make_shared<CasePlan>();
    const std::uint64_t seed = deriveSeed(m_services.options.secret(), task.request.seed, "quarantine");
    if (auto added =
            addFullCheck(*cases, m_services.simulation, task, seed, m_services.options.gpuSimulateWhole);
        !added)
        return m_services.breakDown(added.error());
    ++m_services.metrics.simulated;
    m_services.simulation.run(task.state(), cases, task.target().variant,
                              [flow, next = std::move(next)](CaseFindings findings) {
                                  if (findings.failure) {
                                      TargetFindings target;
                                      target.failure = std::move(findings.failure);
                                      flow->found(std::move(target));
                                      return;
                                  }
                                  flow->simulated = true;
                                  next();
                              });
}

void CudaStage::apply(VerdictRecord& record, const TargetTask&, const TargetFindings& findings) const
{
    if (!findings.measured)
        return applyGpuShared(record, findings.launches);
    applyMeasured(record, *findings.measured, findings.launches, findings.setupBytes,
                  findings.floorMicroseconds);
    record.lines = findings.lines;
    record.ptxLines = findings.ptxLines;
    if (!findings.suspicion.empty()) {
        record.flags.add(VerdictFlag::Suspicious);
        record.message = findings.suspicion;
    }
}

} // namespace

std::string gpuName(const GpuInfo& info)
{
    return fmt::format("{} (driver {})", info.name, info.driver);
}

Result<std::unique_ptr<TargetStage>> makeCudaStage(const StageServices& services)
{
    const auto& ready = services.pool.readyMessage(RunnerRole::Cuda);
    const auto info = gpuInfoFromJson(jsonValue<nlohmann::json>(ready, "gpu", nlohmann::json::object()));
    if (!info)
        return fail("the cuda runner did not describe its GPU: " + info.error().what);
    return std::unique_ptr<TargetStage>(std::make_unique<CudaStage>(services, *info));
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "evaluation/steps/cuda_device_judge.h"

#include "base/json.h"
#include "evaluation/steps/gpu_check.h"
#include "evaluation/steps/gpu_references.h"

#include <algorithm>
#include <csignal>
#include <fmt/format.h>

namespace sparserl {

namespace {

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

class CudaDeviceJudge : public DeviceJudge
{
public:
    CudaDeviceJudge(const JudgeServices& services, const GpuInfo& info)
        : m_services(services)
        , m_info(info)
        , m_references(services, info, services.options.timing == "paper")
        , m_control(std::make_shared<Control>([this] { return m_references.control(); }))
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
    Flow<TargetFindings> run(TargetTask task) override;
    Flow<Baseline> baseline(TargetTask task) override
    {
        co_await m_references.ready(task);
        co_return m_references.library(task);
    }
    void apply(VerdictRecord& record, const TargetTask& task, const TargetFindings& findings) const override;

private:
    /// One program on its way over the GPU.
    struct Way
    {
        TargetTask task;
        std::vector<LineCounters> lines, ptxLines;
        bool retriedFault = false;
        bool fresh = false;     ///< In a process of its own.
        bool simulated = false; ///< On the target itself, with every check.
        std::string quarantine; ///< Why it is measured again; empty: the first time.
    };
    /// Of one target while a program is in it: those that came meanwhile, the fastest first.
    using Quarantine = std::multimap<double, std::shared_ptr<Awaited<bool>>>;

    Flow<std::optional<CaseFailure>> simulate(Way& way);
    Flow<std::optional<CaseFailure>> simulateFully(Way& way);
    Flow<TargetFindings> runOnGpu(Way& way);
    Flow<TargetFindings> lookClosely(Way& way, TargetFindings findings, std::optional<std::string> reason);
    SpeedFacts addFacts(const Way& way, TargetFindings& findings) const;
    void believe(const Way& way, const TargetFindings& findings);
    void leaveQuarantine(const std::string& key);

    JudgeServices m_services;
    GpuInfo m_info;
    GpuReferences m_references;
    std::shared_ptr<Control> m_control;
    std::map<std::string, Quarantine> m_quarantines; ///< By TargetId::key().
};

TargetFindings failed(CaseFailure failure)
{
    TargetFindings findings;
    findings.failure = std::move(failure);
    return findings;
}

Flow<TargetFindings> CudaDeviceJudge::run(TargetTask task)
{
    Way way;
    way.task = std::move(task);
    auto failure = co_await simulate(way); // Nothing reaches the GPU that the simulator finds fault with.
    if (failure)
        co_return failed(std::move(*failure));
    co_await m_references.ready(way.task);
    TargetFindings findings = co_await runOnGpu(way);
    if (findings.failure || !way.task.request.measured)
        co_return std::move(findings);
    const std::string key = way.task.target().key();
    for (;;) {
        const SpeedFacts facts = addFacts(way, findings);
        if (way.task.request.fromCorpus && !impossible(facts)) {
            // A fresh process for each record of each matrix takes longer than all else of a training set.
            m_references.verified(way.task, facts.microseconds);
            co_return std::move(findings);
        }
        auto reason = surprising(facts);
        if (!reason && (way.simulated || !m_references.wouldBeFastest(way.task, facts.microseconds))) {
            believe(way, findings);
            co_return std::move(findings);
        }
        // One at a time on a target: once the fastest is verified, most of the others are no surprise.
        const auto [quarantine, entered] = m_quarantines.try_emplace(key);
        if (entered) {
            findings = co_await lookClosely(way, std::move(findings), std::move(reason));
            leaveQuarantine(key);
            co_return std::move(findings);
        }
        const auto turn = std::make_shared<Awaited<bool>>();
        quarantine->second.emplace(facts.microseconds, turn);
        co_await *turn;
    }
}

/// A surprising time is taken again in a fresh process. Without a surprise, nobody is paid for a record that
/// was not looked at closely.
Flow<TargetFindings> CudaDeviceJudge::lookClosely(Way& way, TargetFindings findings,
                                                  std::optional<std::string> reason)
{
    if (reason) {
        ++m_services.metrics.quarantined;
        way.quarantine = std::move(*reason);
        way.fresh = true;
    }
    auto failure = co_await simulateFully(way);
    if (failure)
        co_return failed(std::move(*failure));
    if (!way.quarantine.empty()) {
        findings = co_await runOnGpu(way);
        if (findings.failure)
            co_return std::move(findings);
        const SpeedFacts facts = addFacts(way, findings);
        if (const auto wrong = impossible(facts))
            findings.suspicion = *wrong + "; a fresh process found it again";
    }
    believe(way, findings);
    co_return std::move(findings);
}

void CudaDeviceJudge::leaveQuarantine(const std::string& key)
{
    const auto left = m_quarantines.extract(key);
    for (const auto& [microseconds, turn] : left.mapped())
        turn->set(true);
}

/// What is known about its time, in part for the record.
SpeedFacts CudaDeviceJudge::addFacts(const Way& way, TargetFindings& findings) const
{
    const auto launches = static_cast<int>(
        std::count_if(findings.launches.begin(), findings.launches.end(),
                      [](const auto& launch) { return !launch.prepare && !launch.skipped; }));
    SpeedFacts facts;
    facts.microseconds = findings.measured->warm.median;
    facts.floorMicroseconds = m_references.floor().microseconds(
        std::max(1, launches), way.task.cases->workload(way.task.target().variant).compulsoryBytes());
    facts.baselineMicroseconds = m_references.baseline(way.task).warm.median;
    facts.bestVerifiedMicroseconds = m_references.bestVerified(way.task);
    facts.clocksAgree = findings.measured->clocksAgree;
    findings.floorMicroseconds = facts.floorMicroseconds;
    findings.lines = way.lines;
    findings.ptxLines = way.ptxLines;
    return facts;
}

/// What others are compared with moves only by evidence: what was measured again in a fresh process, and what
/// was simulated with every check. Small steps that were not do not add up to a large one.
void CudaDeviceJudge::believe(const Way& way, const TargetFindings& findings)
{
    if (!findings.suspicion.empty())
        return;
    if (!way.quarantine.empty())
        m_references.verified(way.task, findings.measured->warm.median);
    if (way.simulated)
        m_references.simulated(way.task, findings.measured->warm.median);
}

Flow<std::optional<CaseFailure>> CudaDeviceJudge::simulate(Way& way)
{
    const TargetTask& task = way.task;
    way.simulated = task.cases->isCheap(task.target().variant);
    if (task.checked)
        co_return std::nullopt;
    auto making = [&] { return task.cases->beforeGpu(task.asked(), way.simulated); };
    auto held = co_await task.cases->turn.take();
    auto cases = co_await m_services.background.run(std::move(making));
    held.end();
    if (!cases)
        co_await m_services.host.broken(cases.error());
    ++m_services.metrics.simulated;
    auto findings =
        co_await m_services.simulation.run(task.state(), std::move(*cases), task.target().variant);
    if (!findings.failure && findings.timed) {
        way.lines = std::move(findings.timed->result.lines);
        way.ptxLines = std::move(findings.timed->result.ptxLines);
    }
    co_return std::move(findings.failure);
}

Flow<std::optional<CaseFailure>> CudaDeviceJudge::simulateFully(Way& way)
{
    const TargetTask& task = way.task;
    auto making = [&task] { return task.cases->fullCheck(task.asked()); };
    auto held = co_await task.cases->turn.take();
    auto cases = co_await m_services.background.run(std::move(making));
    held.end();
    if (!cases)
        co_await m_services.host.broken(cases.error());
    ++m_services.metrics.simulated;
    auto findings =
        co_await m_services.simulation.run(task.state(), std::move(*cases), task.target().variant);
    way.simulated = way.simulated || !findings.failure;
    co_return std::move(findings.failure);
}

/// In quarantine in a fresh process, which assembles the PTX by itself and gets inputs that were never used.
Flow<TargetFindings> CudaDeviceJudge::runOnGpu(Way& way)
{
    const TargetTask& task = way.task;
    const bool again = !way.quarantine.empty();
    for (;;) {
        // The baseline is measured again while others work.
        const BaselineTiming baseline = m_references.baseline(task);
        const double limit = std::max(50 * baseline.warm.median, 1e6);
        auto making = [&]() -> Result<GpuCheck> {
            SPARSERL_TRY(auto cases, task.cases->onGpu(task.asked(), again));
            return GpuCheck::make(task, std::move(cases), m_services.options, again, limit, baseline);
        };
        auto held = co_await task.cases->turn.take();
        const auto check = co_await m_services.background.run(std::move(making));
        held.end();
        if (!check)
            co_await m_services.host.broken(check.error());
        TrialJob trial;
        trial.job.role = RunnerRole::Cuda;
        trial.job.body = check->body();
        trial.job.memory = check->memory();
        trial.job.matrices = check->files();
        trial.job.wallSeconds = m_services.options.gpuWallSeconds;
        trial.job.fresh = way.fresh;
        trial.control = m_control;
        trial.task = "run a program on the GPU";
        trial.readOn = &m_services.background;
        GpuAnswer answer;
        const auto read = [&](const nlohmann::json& body) -> Result<TargetFindings> {
            SPARSERL_TRY(answer, gpuAnswerFromJson(body));
            return check->judge(answer);
        };
        m_references.countCandidate(task);
        auto tried = co_await m_services.trials.run(std::move(trial), read);
        if (!tried.answer) {
            CaseFailure failure;
            failure.fault = gpuFailure(tried.blamed);
            co_return failed(std::move(failure));
        }
        auto& metrics = m_services.metrics;
        metrics.gpuBusySeconds += answer.busySeconds;
        if (answer.timing)
            metrics.measuringSeconds += answer.timing->measuringSeconds;
        metrics.measured += task.request.measured ? 1 : 0;
        if (!tried.answer->failure || !answer.poisoned || way.retriedFault)
            co_return std::move(*tried.answer);
        // The simulator found nothing: make sure that it is the program and not what came before it.
        way.retriedFault = way.fresh = true;
    }
}

void CudaDeviceJudge::apply(VerdictRecord& record, const TargetTask&, const TargetFindings& findings) const
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

Result<std::unique_ptr<DeviceJudge>> makeCudaDeviceJudge(const JudgeServices& services)
{
    const auto& ready = services.pool.readyMessage(RunnerRole::Cuda);
    const auto info = gpuInfoFromJson(jsonValue<nlohmann::json>(ready, "gpu", nlohmann::json::object()));
    if (!info)
        return fail("the cuda runner did not describe its GPU: " + info.error().what);
    return std::unique_ptr<DeviceJudge>(std::make_unique<CudaDeviceJudge>(services, *info));
}

} // namespace sparserl

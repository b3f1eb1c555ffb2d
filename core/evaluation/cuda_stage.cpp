// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cuda_stage.h"

#include "base/json.h"
#include "evaluation/gpu_check.h"
#include "evaluation/gpu_references.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

namespace {

constexpr int maxAttempts = 3; ///< Of a job that our machinery fails.
/// Every check on the matrix itself in quarantine, up to this many non-zeros: minutes of simulation beyond.
constexpr std::int64_t maxSimulatedNnz = 4'000'000;

class CudaStage : public TargetStage
{
public:
    CudaStage(JudgePipeline& judge, const GpuInfo& info)
        : m_judge(judge)
        , m_info(info)
        , m_inputs(judge.options().secretSeed)
        , m_references(judge, info, judge.options().timing == "paper")
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
        m_quarantines.clear();
    }
    void run(const TargetTask& task, std::function<void(TargetFindings)> found) override;
    void baseline(const TargetTask& task, std::function<void(Baseline)> found) override
    {
        m_references.ready(task, [this, task, found = std::move(found)] {
            const BaselineTiming& best = m_references.baseline(task);
            found({best.library, best.algorithm, best.warm.median});
        });
    }
    void apply(VerdictRecord& record, const TargetTask& task, const TargetFindings& findings) const override;

private:
    /// One program on its way over the GPU.
    struct Flow
    {
        TargetTask task;
        std::function<void(TargetFindings)> found;
        std::vector<LineCounters> lines;
        int attempts = 0;
        bool retriedFault = false;
        bool fresh = false;     ///< In a process of its own.
        std::string quarantine; ///< Why it is measured again; empty: the first time.
    };
    using FlowPtr = std::shared_ptr<Flow>;
    using Key = std::pair<std::string, std::int64_t>;
    /// Of one matrix: whether a program is in it, and those that came meanwhile.
    struct Quarantine
    {
        bool busy = false;
        std::vector<std::pair<FlowPtr, TargetFindings>> waiting;
    };
    static Key keyOf(const TargetTask& task) { return {task.matrix->digest(), task.request.denseColumns}; }

    void simulate(const FlowPtr& flow);
    void simulateFully(const FlowPtr& flow);
    void runOnGpu(const FlowPtr& flow);
    void answered(const FlowPtr& flow, const GpuCheck& check, JobOutcome outcome);
    void judgeSpeed(const FlowPtr& flow, TargetFindings findings);
    void leaveQuarantine(const Key& key);

    JudgePipeline& m_judge;
    GpuInfo m_info;
    GpuInputSets m_inputs;
    GpuReferences m_references;
    std::map<Key, Quarantine> m_quarantines;
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
    const auto columns = task.request.denseColumns;
    Simulation& simulation = m_judge.simulation();
    const std::uint64_t seed =
        deriveSeed(m_judge.options().secretSeed, task.request.seed, "schedule " + task.matrix->digest());
    auto cases = std::make_shared<CasePlan>();
    simulation.addRelatives(*cases, *task.matrix, columns, seed);
    if (task.request.lineCounters) {
        const auto inputs = task.matrix->inputs(task.request.seed, columns);
        CaseCheck check;
        check.timed = true;
        check.references = {std::shared_ptr<const Reference>(inputs, &inputs->firstReference)};
        auto one = simulation.settings(seed + 4, Checks::Counters, *task.matrix->target().matrix, columns);
        one.lineCounters = true;
        cases->add(task.matrix->target(), {inputs->first}, one, std::move(check));
    }
    ++m_judge.metrics().simulated;
    simulation.run(task.state(), cases, columns, [this, flow](CaseFindings findings) {
        if (findings.failure) {
            TargetFindings target;
            target.failure = std::move(findings.failure);
            flow->found(std::move(target));
            return;
        }
        if (findings.timed)
            flow->lines = std::move(findings.timed->result.lines);
        m_references.ready(flow->task, [this, flow] { runOnGpu(flow); });
    });
}

void CudaStage::runOnGpu(const FlowPtr& flow)
{
    const TargetTask& task = flow->task;
    const auto columns = task.request.denseColumns;
    const bool again = !flow->quarantine.empty();
    auto inputs = again ? m_inputs.unused(*task.matrix, columns)
                        : m_inputs.forSeed(*task.matrix, columns, task.request.seed);
    if (!inputs) {
        m_judge.breakDown(inputs.error());
        return;
    }
    const double limit = std::max(50 * m_references.baseline(task).warm.median, 1e6);
    const std::uint64_t seed = deriveSeed(m_judge.options().secretSeed, task.request.seed,
                                          (again ? "quarantine " : "GPU ") + task.matrix->digest());
    auto made =
        GpuCheck::make(task, *inputs, m_judge.options(), seed, again, limit, m_references.baseline(task));
    if (!made) {
        m_judge.breakDown(made.error());
        return;
    }
    const auto check = std::make_shared<const GpuCheck>(std::move(*made));
    PoolJob job;
    job.role = RunnerRole::Cuda;
    job.body = check->body();
    job.memory = check->memory();
    job.matrices = check->files();
    job.wallSeconds = m_judge.options().gpuWallSeconds;
    job.fresh = flow->fresh;
    job.done = [this, flow, check](JobOutcome outcome) { answered(flow, *check, std::move(outcome)); };
    ++flow->attempts;
    m_judge.pool().submit(std::move(job));
    m_references.countCandidate(task);
}

void CudaStage::answered(const FlowPtr& flow, const GpuCheck& check, JobOutcome outcome)
{
    using Kind = JobOutcome::Kind;
    const auto end = [&](FaultKind kind, std::string message) {
        TargetFindings findings;
        findings.failure.emplace();
        findings.failure->fault.emplace();
        findings.failure->fault->kind = kind;
        findings.failure->fault->message = std::move(message);
        flow->found(std::move(findings));
    };
    if (outcome.kind == Kind::Hung)
        return end(FaultKind::Timeout, "the program did not end on the GPU, also not in a fresh process");
    if (outcome.kind == Kind::Crashed)
        return end(FaultKind::LaunchError,
                   "the GPU's driver crashed on this program twice (" + outcome.reason + ")");
    if (outcome.kind == Kind::Failed) {
        if (flow->attempts < maxAttempts) {
            m_judge.log("a job on the GPU failed and is tried again in a fresh process: " + outcome.reason);
            flow->fresh = true;
            runOnGpu(flow);
            return;
        }
        m_judge.breakDown(Error{
            "a program could not be run on the GPU: " + outcome.reason, {}, 0, "run `sparserl device info`"});
        return;
    }
    const auto answer = gpuAnswerFromJson(outcome.answer);
    auto findings = answer ? check.judge(*answer) : fail(answer.error());
    if (!findings) {
        m_judge.breakDown(findings.error());
        return;
    }
    auto& metrics = m_judge.metrics();
    metrics.gpuBusySeconds += answer->busySeconds;
    if (answer->timing)
        metrics.measuringSeconds += answer->timing->measuringSeconds;
    ++metrics.measured;
    if (findings->failure && answer->poisoned && !flow->retriedFault) {
        // The simulator found nothing: make sure that it is the program and not what came before it.
        flow->retriedFault = flow->fresh = true;
        runOnGpu(flow);
        return;
    }
    if (findings->failure) {
        flow->found(std::move(*findings));
        return;
    }
    judgeSpeed(flow, std::move(*findings));
}

void CudaStage::judgeSpeed(const FlowPtr& flow, TargetFindings findings)
{
    const auto launches = static_cast<int>(
        std::count_if(findings.launches.begin(), findings.launches.end(),
                      [](const auto& launch) { return !launch.prepare && !launch.skipped; }));
    SpeedFacts facts;
    facts.microseconds = findings.measured->warm.median;
    facts.floorMicroseconds = m_references.floor().microseconds(
        std::max(1, launches), flow->task.matrix->compulsoryBytes(flow->task.request.denseColumns));
    facts.baselineMicroseconds = m_references.baseline(flow->task).warm.median;
    facts.bestVerifiedMicroseconds = m_references.bestVerified(flow->task);
    facts.clocksAgree = findings.measured->clocksAgree;
    findings.floorMicroseconds = facts.floorMicroseconds;
    findings.lines = flow->lines;
    if (flow->quarantine.empty()) {
        if (const auto reason = surprising(facts)) {
            // One at a time on a matrix: once the fastest is verified, most of the others are no surprise.
            Quarantine& ward = m_quarantines[keyOf(flow->task)];
            if (ward.busy) {
                ward.waiting.emplace_back(flow, std::move(findings));
                return;
            }
            ward.busy = true;
            flow->found = [this, key = keyOf(flow->task), found = flow->found](TargetFindings last) {
                found(std::move(last));
                leaveQuarantine(key);
            };
            ++m_judge.metrics().quarantined;
            flow->quarantine = *reason;
            flow->fresh = true;
            flow->attempts = 0;
            simulateFully(flow);
            return;
        }
    } else if (const auto reason = impossible(facts)) {
        findings.suspicion = *reason + "; a fresh process found it again";
    }
    if (findings.suspicion.empty())
        m_references.verified(flow->task, facts.microseconds);
    flow->found(std::move(findings));
}

void CudaStage::leaveQuarantine(const Key& key)
{
    auto waiting = std::move(m_quarantines[key].waiting);
    m_quarantines.erase(key);
    std::sort(waiting.begin(), waiting.end(), [](const auto& a, const auto& b) {
        return a.second.measured->warm.median < b.second.measured->warm.median;
    });
    for (auto& [flow, findings] : waiting)
        judgeSpeed(flow, std::move(findings));
}

/// Quarantine: the matrix itself with every check of the simulator, then a fresh process that assembles the
/// PTX by itself and gets inputs that were never used.
void CudaStage::simulateFully(const FlowPtr& flow)
{
    const TargetTask& task = flow->task;
    const Csr& matrix = *task.matrix->target().matrix;
    if (matrix.nnz() > maxSimulatedNnz) {
        runOnGpu(flow);
        return;
    }
    const auto columns = task.request.denseColumns;
    const auto inputs = task.matrix->inputs(
        deriveSeed(m_judge.options().secretSeed, task.request.seed, "quarantine"), columns);
    auto cases = std::make_shared<CasePlan>();
    const auto add = [&](const SharedMatrix& shared, const std::vector<float>& x, const Reference& expected,
                         bool exact) {
        CaseCheck check;
        check.exact = exact;
        check.references = {std::shared_ptr<const Reference>(inputs, &expected)};
        cases->add(shared, {x},
                   m_judge.simulation().settings(task.request.seed, Checks::All, matrix, columns),
                   std::move(check));
    };
    add(task.matrix->exact(), inputs->exact, inputs->exactReference, true);
    add(task.matrix->target(), inputs->second, inputs->secondReference, false);
    ++m_judge.metrics().simulated;
    m_judge.simulation().run(task.state(), cases, columns, [this, flow](CaseFindings findings) {
        if (findings.failure) {
            TargetFindings target;
            target.failure = std::move(findings.failure);
            flow->found(std::move(target));
            return;
        }
        runOnGpu(flow);
    });
}

void CudaStage::apply(VerdictRecord& record, const TargetTask&, const TargetFindings& findings) const
{
    if (!findings.measured)
        return;
    applyMeasured(record, *findings.measured, findings.launches, findings.setupBytes,
                  findings.floorMicroseconds);
    record.lines = findings.lines;
    if (!findings.suspicion.empty()) {
        record.flags.emplace_back("suspicious");
        record.message = findings.suspicion;
    }
}

} // namespace

std::string gpuName(const GpuInfo& info)
{
    return fmt::format("{} (driver {})", info.name, info.driver);
}

Result<std::unique_ptr<TargetStage>> makeCudaStage(JudgePipeline& judge)
{
    const auto& ready = judge.pool().readyMessage(RunnerRole::Cuda);
    const auto info = gpuInfoFromJson(jsonValue<nlohmann::json>(ready, "gpu", nlohmann::json::object()));
    if (!info)
        return fail("the cuda runner did not describe its GPU: " + info.error().what);
    return std::unique_ptr<TargetStage>(std::make_unique<CudaStage>(judge, *info));
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/background.h"
#include "evaluation/judge.h"
#include "evaluation/judge_options.h"
#include "evaluation/steps/device_judge.h"
#include "evaluation/steps/judge_services.h"
#include "evaluation/steps/program_store.h"
#include "evaluation/steps/simulation.h"

#include <array>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sparserl {

/// The device-independent part of every judge: each request goes through judgeInto(), and equal programs run
/// once. Its flows run on one thread; other threads create inputs and compare results.
class JudgePipeline : public Judge, public JudgeHost
{
public:
    using MakeDeviceJudge = std::function<Result<std::unique_ptr<DeviceJudge>>(const JudgeServices&)>;

    /// Starts the runners, then creates the device-specific part.
    static Result<std::unique_ptr<Judge>> make(JudgeOptions options, bool gpus,
                                               const MakeDeviceJudge& makeDeviceJudge);
    ~JudgePipeline() override;

    Result<std::vector<VerdictRecord>>
    judge(const std::vector<JudgeRequest>& requests, const CancelToken& cancel,
          const std::function<void(std::size_t, const VerdictRecord&)>& done) override;
    std::vector<RoleSandbox> sandboxes() const override { return m_pool->sandboxes(); }

private:
    /// A value that is computed once for all programs with identical executed code.
    template <typename T>
    struct Shared : Awaited<T>
    {
        std::string owner; ///< Hash of the text that is run for all these programs.
    };
    using SharedBattery = Shared<BatteryState>;
    using SharedRun = Shared<TargetFindings>; ///< The findings for one program on one matrix with one seed.
    using SharedBaseline = Awaited<Baseline>;
    /// Receives the records of one call of judge().
    struct Delivery
    {
        const std::vector<JudgeRequest>& requests;
        const std::function<void(std::size_t, const VerdictRecord&)>& done;
        std::vector<VerdictRecord> records = std::vector<VerdictRecord>(requests.size());
        std::size_t begun = 0, finished = 0;
    };

    explicit JudgePipeline(JudgeOptions options);
    JudgeMetrics& metrics() { return *m_options.metrics; }
    void breakDown(Error error) override;
    void log(const std::string& sentence) override;
    Flow<VerdictRecord> judgeReference(TargetTask task, ProgramText program) override;
    void workThrough(Delivery& delivery, std::list<Flow<>>& work, const CancelToken& cancel);
    void giveUp(std::list<Flow<>>& work);
    Flow<> deliver(std::size_t index, Delivery& to);
    Flow<VerdictRecord> judgeOne(JudgeRequest request, bool isReference);
    Flow<> judgeInto(VerdictRecord& record, TargetTask& task);
    Flow<BatteryState> batteryOf(const TargetTask& task, const std::string& hash);
    Flow<BatteryState> runBattery(std::shared_ptr<const ProgramState> program, TargetVariant variant,
                                  bool lineCounters);
    Flow<std::shared_ptr<const TargetFindings>> findingsOf(TargetTask& task, const std::string& hash);
    Flow<TargetFindings> runOnTarget(TargetTask task, std::shared_ptr<const TargetFindings> before);
    std::shared_ptr<SharedBaseline> baselineOf(const TargetTask& task);
    Flow<bool> isCopied(const ProgramState& state, TargetVariant variant);
    using SharedCases = Awaited<Result<std::shared_ptr<TargetCases>>>;
    Flow<std::shared_ptr<TargetCases>> casesOf(Target target);
    Flow<Result<std::shared_ptr<TargetCases>>> makeCases(Target target);
    void abandon();
    void trimCaches();
    void trimTargets();

    JudgeOptions m_options;
    std::size_t m_inFlight; ///< Number of requests in progress.
    /// Texts of the reference programs, unchanged and with withLoopKept(). Created on demand.
    std::map<std::pair<Task, ElementType>, std::array<ProgramText, 2>> m_references;
    std::unique_ptr<RunnerPool> m_pool;
    std::unique_ptr<JobTrials> m_trials;
    std::array<std::shared_ptr<Control>, 2> m_controls; ///< The controls for the roles compile and sim.
    std::unique_ptr<ProgramStore> m_programs;
    std::unique_ptr<AllCases> m_cases;
    std::unique_ptr<Simulation> m_simulation;
    std::unique_ptr<DeviceJudge> m_device;
    std::unordered_map<std::string, std::shared_ptr<SharedBattery>> m_batteries;
    /// The baselines by target and epoch (BaselineBook).
    std::map<std::string, std::shared_ptr<SharedBaseline>> m_baselines;
    std::unordered_map<std::string, std::shared_ptr<SharedRun>> m_runs;
    /// The cases of targets with their digests, most recently used first.
    std::deque<std::pair<std::string, std::shared_ptr<SharedCases>>> m_targets;
    std::optional<Error> m_error;
    /// Creates inputs and compares results. The last member, because its calls use the other members.
    std::unique_ptr<Background> m_background;
};

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "evaluation/judge.h"
#include "evaluation/judge_options.h"
#include "evaluation/stages/program_stage.h"
#include "evaluation/stages/simulation.h"
#include "evaluation/stages/stage_services.h"
#include "evaluation/stages/target_stage.h"

#include <array>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>

namespace sparserl {

/// What every judge does, whatever the device: requests flow through compilation, the battery on the
/// simulated device, and the device's own stage; equal programs are run once. Single-threaded around the
/// pool.
class JudgePipeline : public Judge
{
public:
    using MakeStage = std::function<Result<std::unique_ptr<TargetStage>>(const StageServices&)>;

    /// Starts the runners, then makes the stage of the device.
    static Result<std::unique_ptr<Judge>> make(JudgeOptions options, bool gpus, const MakeStage& makeStage);
    ~JudgePipeline() override;

    Result<std::vector<VerdictRecord>>
    judge(const std::vector<JudgeRequest>& requests, const CancelToken& cancel,
          const std::function<void(std::size_t, const VerdictRecord&)>& done) override;
    std::vector<RoleSandbox> sandboxes() const override { return m_pool->sandboxes(); }

private:
    using BatteryEntry = Awaited<BatteryState>;
    using BaselineEntry = Awaited<Baseline>;
    using RunEntry = Awaited<TargetFindings>; ///< Of one program on one matrix with one seed.
    using Finished = std::function<void(VerdictRecord)>;

    /// A request on its way.
    struct Judgement
    {
        TargetTask target;
        VerdictRecord record;
        Finished finished;
        std::shared_ptr<ProgramEntry> program;
        std::shared_ptr<BatteryEntry> battery;
        std::shared_ptr<BaselineEntry> baseline;
        std::shared_ptr<RunEntry> run;
        double started = 0;
    };
    using JudgementPtr = std::shared_ptr<Judgement>;

    explicit JudgePipeline(JudgeOptions options);
    StageServices services();
    JudgeMetrics& metrics() { return *m_options.metrics; }
    void breakDown(Error error)
    {
        if (!m_error)
            m_error = std::move(error);
    }
    void log(const std::string& sentence) const
    {
        if (m_options.log)
            m_options.log(sentence);
    }
    void compileOwn(const std::string& text,
                    std::function<void(std::shared_ptr<const Awaited<ProgramState>>)> done);
    void judgeReference(const TargetTask& task, const std::string& program,
                        std::function<void(VerdictRecord)> finished);
    void begin(const JudgementPtr& judgement);
    void afterCompile(const JudgementPtr& judgement);
    void useBattery(const JudgementPtr& judgement, const std::string& key);
    void afterBattery(const JudgementPtr& judgement);
    void afterAssembly(const JudgementPtr& judgement);
    void useRun(const JudgementPtr& judgement, const std::string& key);
    void afterRun(const JudgementPtr& judgement);
    void requestBaseline(const JudgementPtr& judgement);
    void finishCorrect(const JudgementPtr& judgement);
    void finishFailed(const JudgementPtr& judgement, const CaseFailure& failure);
    void finish(const JudgementPtr& judgement);
    Result<std::shared_ptr<TargetContext>> targetContext(const Target& target);
    void forgetUnfinished();
    void trimCaches();

    JudgeOptions m_options;
    std::size_t m_inFlight; ///< Requests in work at the same time.
    /// Texts of reference programs, as they are and with the loop over a row kept. Made when first needed.
    std::map<std::pair<Task, ElementType>, std::array<std::string, 2>> m_references;
    std::unique_ptr<RunnerPool> m_pool;
    std::unique_ptr<JobTrials> m_trials;
    std::array<std::shared_ptr<Control>, 2> m_controls; ///< Of the roles compile and sim.
    std::unique_ptr<ProgramStage> m_programs;
    std::unique_ptr<Simulation> m_simulation;
    std::unique_ptr<TargetStage> m_stage;
    std::unordered_map<std::string, std::shared_ptr<BatteryEntry>> m_batteries;
    std::map<std::string, std::shared_ptr<BaselineEntry>> m_baselines; ///< By target and epoch.
    std::unordered_map<std::string, std::shared_ptr<RunEntry>> m_runs;
    std::deque<std::shared_ptr<TargetContext>> m_contexts; ///< Last used in front.
    std::optional<Error> m_error;
};

} // namespace sparserl

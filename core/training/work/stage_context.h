// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/work/judging.h"
#include "training/work/stage.h"
#include "training/work/statistics.h"
#include "training/work/system_watch.h"

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>

namespace sparserl {

/// What all stages do alike: journal, control, heartbeat, progress, when to stop.
class StageContext
{
public:
    /// `session` is process 0's alone; the others get the checkpoint that it has chosen.
    StageContext(RunDirectory& run, std::optional<RunSession> session,
                 std::optional<CheckpointInfo> checkpoint, const StageEnvironment& environment,
                 ParameterSet parameters);

    const ParameterSet& parameters() const { return m_parameters; }
    const StageEnvironment& environment() const { return m_environment; }
    RunDirectory& run() { return m_run; }
    /// Only for the process that leads.
    JournalWriter& journal() { return m_session->journal(); }
    /// RunSession::checkPlace(), for what is written elsewhere than in the journal.
    Status checkPlace() const { return m_session->checkPlace(); }
    /// The checkpoint to go on from, or nothing.
    const std::optional<CheckpointInfo>& checkpoint() const { return m_checkpoint; }
    ProcessGroup& processes() const { return *m_environment.processes; }
    bool leads() const { return processes().leads(); }
    CachedJudge& judge() { return m_judge; }
    /// Set when work should end early: interrupted from outside or told to stop.
    const CancelToken& cancel() const
    {
        if (m_environment.cancel.cancelled())
            m_work.cancel(); // whoever asks after a failure must not be a moment early
        return m_work;
    }
    std::vector<const StageTarget*> matrices(bool heldOut) const;
    /// By TargetId::key(), or the contents alone, as files of earlier versions do.
    const StageTarget* matrix(const std::string& key) const;

    /// Whether any process says so: what decides over the way ahead must be decided alike.
    bool any(bool own) const { return anyProcess(processes(), own); }
    /// Whether any process was interrupted from outside.
    bool interrupted() const { return any(m_environment.cancel.cancelled()); }

    /// This and the next ones write nothing where process 0 leads and this is another one.
    Status emit(std::int64_t step, const Event& event);
    /// A program's text, unless the journal has it.
    Status emitProgram(std::int64_t step, const std::string& hash, const std::string& text);
    /// Tells those who watch of the event that the journal has got last.
    void tell(std::int64_t step, const Event& event);
    Status log(std::int64_t step, std::string level, std::string text);
    Status metrics(std::int64_t step, const std::string& split, const Metrics& values);

    /// Says what is being done now. Also reads `stop` and `pause` commands. Cheap: call it for every sample.
    void pulse(std::string_view phase, double phaseFraction);
    /// Where the stage stands, for the time left. `work` of one step in seconds is learned from the calls.
    void setPosition(std::int64_t step, std::int64_t totalSteps);

    /// Begins to watch what the run takes of its machine; `journalled` is the last step that the journal
    /// tells it of, -1 for none.
    void watchSystem(std::int64_t journalled);
    /// Behind a boundary: says so where system.every is over, or at the end.
    Status journalSystem(std::int64_t step, bool end);

    enum class Next
    {
        GoOn,
        End
    };
    /// Between two steps: applies `set` commands, answers `checkpoint` commands by `checkpoint`, which saves
    /// one and gives its name, waits while paused. Process 0 reads the commands, and all do what it does.
    Result<Next> boundary(std::int64_t step, const std::function<Result<std::string>()>& checkpoint);

    /// The next boundary waits until it is told to go on, for a reason that people read.
    void pause(std::string reason);

    StageOutcome::End howEnded() const;

    /// Values of parameters that can change while running, for the checkpoint and back.
    nlohmann::json changedParameters() const;
    Status restoreParameters(const nlohmann::json& values);

private:
    Status readControl(std::int64_t step);
    Status setTogether(const std::string& key, const std::string& value);
    Status applySet(std::int64_t step, const ControlCommand& command);
    Status applyPending(std::int64_t step, const std::function<Result<std::string>()>& checkpoint);
    void agreeAtBoundary();

    RunDirectory& m_run;
    std::optional<RunSession> m_session;
    std::optional<CheckpointInfo> m_checkpoint;
    const StageEnvironment& m_environment;
    ParameterSet m_parameters;
    CachedJudge m_judge;
    SystemWatch m_system;
    CancelToken m_work;
    /// Hands `cancel` of the environment on to `m_work` while the stage waits for verdicts.
    std::jthread m_watcher;
    std::vector<ControlCommand> m_pending; ///< `set` and `checkpoint` commands until the next boundary.
    bool m_pause = false;
    std::string m_pauseReason = "Paused on request";
    bool m_stop = false;
    bool m_parametersChanged = false; ///< Since the other processes were told.
    std::size_t m_problemsReported = 0;
    std::int64_t m_step = 0, m_totalSteps = 0;
    /// Where this process began, and from where on steps count for the time left; negative: not yet.
    std::int64_t m_firstStep = -1, m_countedFrom = -1;
    std::chrono::steady_clock::time_point m_started, m_lastPulse;
};

/// Seconds since construction, for timing_s/* metrics.
class Stopwatch
{
public:
    double seconds() const
    {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - m_start).count();
    }

private:
    std::chrono::steady_clock::time_point m_start = std::chrono::steady_clock::now();
};

/// What stages that go on from a policy begin with: a sentence where the run has no parent, or its project no
/// training matrices.
Status requireParentAndMatrices(const StageContext& context, const std::string& stage);

class Alarms;

/// Tells what an alarm says: warnings into the log, a pause, or an Error that ends the run and names the last
/// checkpoint from before, with `remedy` as what to do.
Status answerAlarms(StageContext& context, Alarms& alarms, const std::string& split, std::int64_t step,
                    const Metrics& metrics, bool last, const std::string& remedy);

} // namespace sparserl

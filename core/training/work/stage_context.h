// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/work/judging.h"
#include "training/work/stage.h"
#include "training/work/statistics.h"
#include "training/work/system_watch.h"

#include <chrono>
#include <functional>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace sparserl {

/// The functions that all stages share: journal, control, heartbeat, progress, requests to stop.
class StageContext
{
public:
    /// `session` exists only in process 0. The other processes get its choice of checkpoint.
    StageContext(RunDirectory& run, std::optional<RunSession> session,
                 std::optional<CheckpointInfo> checkpoint, const StageEnvironment& environment,
                 ParameterSet parameters);

    const ParameterSet& parameters() const { return m_parameters; }
    const StageEnvironment& environment() const { return m_environment; }
    RunDirectory& run() { return m_run; }
    /// Only the leader may call this.
    JournalWriter& journal() { return m_session->journal(); }
    /// Calls RunSession::checkPlace(), for output other than the journal.
    Status checkPlace() const { return m_session->checkPlace(); }
    /// Returns the checkpoint to resume from, or nullopt.
    const std::optional<CheckpointInfo>& checkpoint() const { return m_checkpoint; }
    ProcessGroup& processes() const { return *m_environment.processes; }
    bool leads() const { return processes().leads(); }
    CachedJudge& judge() { return m_judge; }
    /// Returns the token that is set when work should end early: after an interruption or a request to stop.
    const CancelToken& cancel() const
    {
        if (m_environment.cancel.cancelled())
            m_work.cancel(); // a check after a failure must see the interruption immediately
        return m_work;
    }
    std::vector<const StageTarget*> matrices(bool heldOut) const;
    /// Finds a target by TargetId::key(), or by the contents alone (as in files from earlier versions).
    const StageTarget* matrix(const std::string& key) const;

    /// Returns whether `own` is true in any process. Control flow must depend only on such common decisions.
    bool any(bool own) const { return anyProcess(processes(), own); }
    /// Returns whether any process was interrupted from outside.
    bool interrupted() const { return any(m_environment.cancel.cancelled()); }

    /// Writes an event. This function and the next ones write only in process 0.
    Status emit(std::int64_t step, const Event& event);
    /// Writes the text of a program, unless it is in the journal already.
    Status emitProgram(std::int64_t step, const std::string& hash, const std::string& text);
    /// Passes the latest event of the journal to the observers.
    void tell(std::int64_t step, const Event& event);
    Status log(std::int64_t step, std::string level, std::string text);
    /// A log for other threads: its sentences become warnings with the next event or pulse.
    std::function<void(std::string_view sentence)> laterWarnings();
    Status metrics(std::int64_t step, const std::string& split, const Metrics& values);

    /// Reports the current phase and reads `stop` and `pause` commands. Cheap enough to be called for each
    /// sample.
    void pulse(std::string_view phase, double phaseFraction);
    /// Sets the position of the stage, from which the remaining time is estimated. Measures the duration of a
    /// step between the calls.
    void setPosition(std::int64_t step, std::int64_t totalSteps);

    /// Starts to monitor how the run uses its machine. `journalled` is the last step with system/* metrics in
    /// the journal; -1 if there is none.
    void watchSystem(std::int64_t journalled);
    /// Called after a boundary. Journals the system/* metrics at the end, or if system.every has elapsed.
    Status journalSystem(std::int64_t step, bool end);

    enum class Next
    {
        GoOn,
        End
    };
    /// Called between two steps. Applies `set` commands, answers `checkpoint` commands with `checkpoint`,
    /// which saves a checkpoint and returns its name, and waits while the run is paused. Process 0 reads the
    /// commands, and all processes follow it.
    Result<Next> boundary(std::int64_t step, const std::function<Result<std::string>()>& checkpoint);

    /// Makes the next boundary wait for a `resume` command. `reason` is displayed.
    void pause(std::string reason);

    StageOutcome::End howEnded() const;

    /// Returns or restores the parameters that can change during a run; a checkpoint stores their values.
    nlohmann::json changedParameters() const;
    Status restoreParameters(const nlohmann::json& values);

private:
    Status logWaiting();
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
    /// Forwards the environment's `cancel` to `m_work` while the stage waits for verdicts.
    std::jthread m_watcher;
    std::vector<ControlCommand> m_pending; ///< `set` and `checkpoint` commands for the next boundary.
    bool m_pause = false;
    std::string m_pauseReason = "Paused on request";
    bool m_stop = false;
    bool m_parametersChanged = false; ///< Since the last message to the other processes.
    std::size_t m_problemsReported = 0;
    std::mutex m_logging;
    std::vector<std::string> m_waiting; ///< Of laterWarnings().
    std::int64_t m_step = 0, m_totalSteps = 0;
    /// The first step of this process, and the step from which the remaining time is estimated; negative: not
    /// set.
    std::int64_t m_firstStep = -1, m_countedFrom = -1;
    std::chrono::steady_clock::time_point m_started, m_lastPulse;
};

/// Measures the seconds since its construction, for timing_s/* metrics.
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

/// A check for stages that start from a policy. Fails if the run has no parent, or if its project has no
/// training matrices.
Status requireParentAndMatrices(const StageContext& context, const std::string& stage);

class Alarms;

/// Acts on alarms: logs warnings, pauses the run, or returns an Error that ends the run. The Error names the
/// last checkpoint before the alarm and gives `remedy` as advice.
Status answerAlarms(StageContext& context, Alarms& alarms, const std::string& split, std::int64_t step,
                    const Metrics& metrics, bool last, const std::string& remedy);

} // namespace sparserl

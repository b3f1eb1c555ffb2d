// SPDX-License-Identifier: Apache-2.0
#include "training/work/stage_context.h"

#include "base/capital.h"
#include "base/json.h"
#include "base/toml.h"
#include "training/parameters/parameter_keys.h"
#include "training/parameters/stage_parameters.h"
#include "training/work/alarms.h"
#include "training/work/packed.h"
#include "verdict/names.h"

#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace sparserl {

using Clock = std::chrono::steady_clock;

namespace {

SystemSources sourcesOf(const StageEnvironment& environment, const RunDirectory& run)
{
    SystemSources sources = environment.system;
    if (sources.disk.empty())
        sources.disk = run.path();
    return sources;
}

} // namespace

StageContext::StageContext(RunDirectory& run, std::optional<RunSession> session,
                           std::optional<CheckpointInfo> checkpoint, const StageEnvironment& environment,
                           ParameterSet parameters)
    : m_run(run)
    , m_session(std::move(session))
    , m_checkpoint(std::move(checkpoint))
    , m_environment(environment)
    , m_parameters(std::move(parameters))
    , m_judge(*environment.judge, static_cast<std::uint64_t>(m_parameters[param::judge::seed]),
              environment.processes)
    , m_system(sourcesOf(environment, run), environment.processes->leads())
    , m_watcher([outside = environment.cancel, work = m_work,
                 processes = environment.processes](const std::stop_token& stop) {
        std::mutex mutex;
        std::condition_variable_any wake;
        std::unique_lock lock(mutex);
        bool told = false;
        int turns = 0;
        while (!wake.wait_for(lock, stop, std::chrono::milliseconds(50), [] { return false; }) &&
               !stop.stop_requested()) {
            if (outside.cancelled() && !told) {
                work.cancel();
                processes->requestEnd(EndRequest::Interrupt);
                told = true;
            }
            if (processes->alone() || ++turns % 4 != 0)
                continue;
            const auto request = processes->endRequested();
            if (request != EndRequest::None)
                work.cancel();
            if (request == EndRequest::Interrupt)
                outside.cancel();
        }
    })
    , m_started(Clock::now())
{
}

std::vector<const StageTarget*> StageContext::matrices(bool heldOut) const
{
    std::vector<const StageTarget*> chosen;
    for (const auto& matrix : m_environment.matrices) {
        if (matrix.heldOut == heldOut)
            chosen.push_back(&matrix);
    }
    return chosen;
}

const StageTarget* StageContext::matrix(const std::string& key) const
{
    for (const auto& matrix : m_environment.matrices) {
        if (matrix.target.id.key() == key)
            return &matrix;
    }
    const TargetId named{.contents = key};
    for (const auto& matrix : m_environment.matrices) {
        if (matrix.target.id.sameContents(named)) // as files of earlier versions name it
            return &matrix;
    }
    return nullptr;
}

Status StageContext::emit(std::int64_t step, const Event& event)
{
    if (!leads())
        return {};
    SPARSERL_CHECK(logWaiting());
    // The last word is said to the run itself, wherever it is.
    if (!std::holds_alternative<StateEvent>(event))
        SPARSERL_CHECK(m_session->checkPlace());
    SPARSERL_CHECK(journal().append(step, event));
    tell(step, event);
    return {};
}

Status StageContext::emitProgram(std::int64_t step, const std::string& hash, const std::string& text)
{
    if (!leads() || journal().hasProgram(hash))
        return {};
    if (m_environment.onEvent)
        m_environment.onEvent(step, ProgramEvent{hash, text});
    return journal().appendProgram(step, hash, text);
}

void StageContext::tell(std::int64_t step, const Event& event)
{
    if (m_environment.onEvent)
        m_environment.onEvent(step, event);
    if (m_environment.onEntry) {
        JournalEntry entry = journal().lastStamp();
        entry.step = step;
        entry.event = event;
        m_environment.onEntry(entry);
    }
}

Status StageContext::log(std::int64_t step, std::string level, std::string text)
{
    return emit(step, LogEvent{std::move(level), std::move(text)});
}

std::function<void(std::string_view)> StageContext::laterWarnings()
{
    return [this](std::string_view sentence) {
        const std::lock_guard lock(m_logging);
        m_waiting.push_back(withCapital(std::string(sentence)));
    };
}

Status StageContext::logWaiting()
{
    std::vector<std::string> waiting;
    {
        const std::lock_guard lock(m_logging);
        waiting.swap(m_waiting);
    }
    for (std::string& text : waiting)
        SPARSERL_CHECK(log(m_step, "warning", std::move(text)));
    return {};
}

Status StageContext::metrics(std::int64_t step, const std::string& split, const Metrics& values)
{
    assert(
        std::all_of(values.begin(), values.end(), [](const auto& value) { return findMetric(value.first); }));
    MetricEvent event;
    event.split = split;
    event.values = values;
    return emit(step, event);
}

void StageContext::setPosition(std::int64_t step, std::int64_t totalSteps)
{
    // What a stage prepares before its first step, which may take minutes, is not what a step takes.
    if (m_firstStep < 0) {
        m_firstStep = step;
        m_countedFrom = -1;
    } else if (m_countedFrom < 0 && step > m_firstStep) {
        m_countedFrom = step;
        m_started = Clock::now();
    }
    m_step = step;
    m_totalSteps = totalSteps;
}

void StageContext::pulse(std::string_view phase, double phaseFraction)
{
    if (m_environment.cancel.cancelled())
        m_work.cancel();
    const auto now = Clock::now();
    if (now - m_lastPulse < std::chrono::milliseconds(500))
        return;
    m_lastPulse = now;
    if (!leads())
        return;
    // A command that cannot be journalled is no reason to fail here: the next append will.
    static_cast<void>(readControl(m_step));
    static_cast<void>(logWaiting());

    Heartbeat heartbeat;
    heartbeat.phase = std::string(phase);
    heartbeat.phaseFraction = phaseFraction;
    heartbeat.step = m_step;
    heartbeat.totalSteps = m_totalSteps;
    const double part = phaseFraction > 0 ? std::min(phaseFraction, 1.0) : 0;
    if (m_countedFrom >= 0 && m_totalSteps > 0) {
        const double done = static_cast<double>(m_step - m_countedFrom);
        const double seconds = std::chrono::duration<double>(now - m_started).count();
        if (done >= 1)
            heartbeat.secondsLeft = seconds / done * static_cast<double>(m_totalSteps - m_step);
    }
    static_cast<void>(writeHeartbeat(m_run.path(), heartbeat));
    if (m_environment.progress) {
        const double total = std::max<double>(1, static_cast<double>(m_totalSteps));
        m_environment.progress((static_cast<double>(m_step) + part * (m_totalSteps > 0 ? 0.9 : 0)) / total,
                               phase);
    }
}

Status StageContext::readControl(std::int64_t step)
{
    for (auto& command : m_session->control().poll()) {
        ControlEvent event;
        event.id = command.id;
        event.command = std::string(nameOf(command.kind));
        event.effectiveStep = step;
        switch (command.kind) {
        case ControlCommand::Kind::Pause:
            event.outcome = control_outcome::applied;
            event.message = m_pause ? "it is paused already" : "pauses before the next step";
            m_pause = true;
            m_pauseReason = "Paused on request";
            break;
        case ControlCommand::Kind::Resume:
            event.outcome = control_outcome::applied;
            event.message = m_pause ? "" : "it was not paused";
            m_pause = false;
            break;
        case ControlCommand::Kind::Stop:
            m_stop = true;
            m_work.cancel();
            processes().requestEnd(EndRequest::Stop);
            event.outcome = control_outcome::applied;
            event.message = "saves a checkpoint and ends";
            break;
        case ControlCommand::Kind::Checkpoint:
        case ControlCommand::Kind::Set:
            m_pending.push_back(std::move(command));
            continue;
        }
        SPARSERL_CHECK(emit(step, event));
    }
    const auto& problems = m_session->control().problems();
    for (; m_problemsReported < problems.size(); ++m_problemsReported) {
        SPARSERL_CHECK(log(step, "warning", problems[m_problemsReported]));
        // The sender of the command waits for it, and a run that pauses writes nothing more.
        SPARSERL_CHECK(m_session->journal().flush());
    }
    return {};
}

/// Nothing is changed where the value does not fit the others.
Status StageContext::setTogether(const std::string& key, const std::string& value)
{
    ParameterSet changed = m_parameters;
    SPARSERL_CHECK(changed.setText(key, value));
    SPARSERL_CHECK(checkTogether(changed));
    m_parameters = std::move(changed);
    return {};
}

Status StageContext::applySet(std::int64_t step, const ControlCommand& command)
{
    ControlEvent event;
    event.id = command.id;
    event.command = "set";
    event.key = command.key;
    event.value = command.value;
    event.effectiveStep = step;
    const auto* spec = m_parameters.declarations().find(command.key);
    if (spec != nullptr && spec->effect == ParameterEffect::Restart) {
        event.outcome = control_outcome::refused;
        event.message = "\"" + command.key + "\" is fixed during a run; start a new run to change it";
    } else if (auto status = setTogether(command.key, command.value); !status) {
        event.outcome = control_outcome::refused;
        event.message = status.error().sentence();
    } else {
        event.outcome = control_outcome::applied;
        m_parametersChanged = true;
    }
    return emit(step, event);
}

Status StageContext::applyPending(std::int64_t step, const std::function<Result<std::string>()>& checkpoint)
{
    for (const auto& command : std::exchange(m_pending, {})) {
        if (command.kind == ControlCommand::Kind::Set) {
            SPARSERL_CHECK(applySet(step, command));
            continue;
        }
        // The answer comes behind what was asked for: who has it may go on from the checkpoint.
        SPARSERL_TRY(const auto name, checkpoint());
        ControlEvent event;
        event.id = command.id;
        event.command = "checkpoint";
        event.effectiveStep = step;
        event.message = "saved " + name;
        SPARSERL_CHECK(emit(step, event));
        SPARSERL_CHECK(journal().flush());
    }
    return {};
}

Result<StageContext::Next> StageContext::boundary(std::int64_t step,
                                                  const std::function<Result<std::string>()>& checkpoint)
{
    bool announced = false;
    for (;;) {
        if (m_environment.cancel.cancelled())
            m_work.cancel();
        if (leads()) {
            SPARSERL_CHECK(readControl(step));
            SPARSERL_CHECK(applyPending(step, checkpoint));
        }
        agreeAtBoundary();
        if (m_work.cancelled())
            return Next::End;
        if (m_pause != announced) {
            announced = m_pause;
            const StateEvent paused{RunState::Paused, m_pauseReason, m_totalSteps};
            const StateEvent running{RunState::Running, {}, m_totalSteps};
            SPARSERL_CHECK(emit(step, m_pause ? paused : running));
            m_firstStep = -1; // the pause must not count in the time left
            if (!m_pause)
                m_system.skip(); // nor in what the run takes of its machine
            setPosition(m_step, m_totalSteps);
        }
        if (!m_pause)
            return Next::GoOn;
        pulse("paused", -1);
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
}

/// What process 0 was told is done by all, and what ends the work of one ends that of all.
void StageContext::agreeAtBoundary()
{
    if (processes().alone())
        return;
    Packer packer;
    packer.number(m_work.cancelled());
    packer.number(m_environment.cancel.cancelled());
    packer.number(m_stop);
    packer.number(m_pause);
    packer.text(m_parametersChanged && leads() ? dumpJson(m_parameters.toJson()) : std::string());
    packer.text(m_system.tell(m_parameters[param::system::every]));
    m_parametersChanged = false;
    const auto all = processes().gather(packer.take());
    std::vector<std::string> systems;
    for (std::size_t rank = 0; rank < all.size(); ++rank) {
        Unpacker told(all[rank]);
        if (told.number<bool>())
            m_work.cancel();
        if (told.number<bool>())
            m_environment.cancel.cancel();
        const bool stop = told.number<bool>(), pause = told.number<bool>();
        const auto changed = told.text();
        systems.push_back(told.text());
        if (rank != 0 || leads())
            continue;
        m_stop = stop;
        m_pause = pause;
        if (!changed.empty()) {
            const auto json = parseJson(changed);
            const auto status = json ? restoreParameters(*json) : Status(fail(json.error()));
            if (!status)
                throw ProcessFault("A changed parameter did not reach all processes: " +
                                   status.error().sentence());
        }
    }
    m_system.hear(systems);
}

void StageContext::watchSystem(std::int64_t journalled)
{
    m_system.begin(journalled, m_parameters[param::system::every]);
}

Status StageContext::journalSystem(std::int64_t step, bool end)
{
    const auto values = m_system.due(step, m_parameters[param::system::every], end);
    return values ? metrics(step, systemSplit, *values) : Status();
}

void StageContext::pause(std::string reason)
{
    m_pause = true;
    m_pauseReason = std::move(reason);
}

StageOutcome::End StageContext::howEnded() const
{
    if (m_stop)
        return StageOutcome::End::Stopped;
    return m_work.cancelled() ? StageOutcome::End::Interrupted : StageOutcome::End::Done;
}

Status requireParentAndMatrices(const StageContext& context, const std::string& stage)
{
    if (context.environment().parent.empty())
        return fail("the " + stage + " stage needs a policy to start from",
                    "Run the sft stage first and give its checkpoint as the parent");
    if (context.matrices(false).empty())
        return fail("there are no training matrices", "Add matrices with split \"train\" to the project");
    return {};
}

Status answerAlarms(StageContext& context, Alarms& alarms, const std::string& split, std::int64_t step,
                    const Metrics& metrics, bool last, const std::string& remedy)
{
    // Rounding may differ where machines do; what is decided may not.
    auto judged = metrics;
    std::vector<double> values;
    for (const auto& [name, value] : judged)
        values.push_back(value);
    values = gatherNumbers(context.processes(), values)[0];
    std::size_t at = 0;
    for (auto& [name, value] : judged)
        value = values.at(at++);
    auto report = alarms.observe(split, step, judged, last);
    for (auto& warning : report.warnings) {
        SPARSERL_CHECK(context.log(step, "warning", std::move(warning)));
    }
    if (report.pause)
        context.pause(*report.pause);
    if (!report.stop)
        return {};
    // Training figures of a step are those of the weights before it.
    const auto bad = alarms.since().value_or(step) - (split == split::train ? 1 : 0);
    std::string good;
    for (const auto& checkpoint : context.run().checkpoints()) {
        if (checkpoint.step < bad || checkpoint.step == 0)
            good = checkpoint.name;
    }
    return fail(*report.stop,
                (good.empty() ? "no checkpoint from before is left: start again"
                              : "The last good checkpoint is " + good + ": start a new run from it") +
                    ", " + remedy);
}

nlohmann::json StageContext::changedParameters() const
{
    return m_parameters.toJson();
}

Status StageContext::restoreParameters(const nlohmann::json& values)
{
    return m_parameters.merge(values);
}

} // namespace sparserl

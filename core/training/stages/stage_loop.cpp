// SPDX-License-Identifier: Apache-2.0
#include "training/stages/stage_loop.h"

#include "base/interruption.h"
#include "base/json.h"
#include "training/parameters/parameter_keys.h"
#include "training/stages/checkpoint_io.h"

namespace sparserl {

namespace {

class StageLoop
{
public:
    StageLoop(StageContext& context, Stage& stage)
        : m_context(context)
        , m_p(context.parameters())
        , m_stage(stage)
        , m_total(stage.totalSteps())
        , m_trains(m_p.has(param::checkpoint::every.key))
    {
    }
    Status run(StageOutcome& outcome);

private:
    Status start();
    Status evaluateIfDue(bool complete);
    Result<std::string> checkpoint();
    /// An evaluation may have been finished since an earlier checkpoint of this step.
    bool hasNews() const { return m_savedStep != m_step || m_savedEvaluation != m_evaluated; }
    bool isCheckpointDue() const
    {
        return !m_trains || (m_step > 0 && isDue(m_step, m_total, m_p[param::checkpoint::every]));
    }

    StageContext& m_context;
    const ParameterSet& m_p;
    Stage& m_stage;
    std::int64_t m_total = 0;
    bool m_trains = true;
    std::int64_t m_step = 0, m_evaluated = -1;
    std::int64_t m_savedStep = -1, m_savedEvaluation = -1; ///< Of the last checkpoint.
};

/// The session's checkpoint, or a first one: a run that is stopped before its first step must have something
/// to resume from.
Status StageLoop::start()
{
    const auto& from = m_context.checkpoint();
    nlohmann::json state;
    if (from) {
        SPARSERL_TRY(state, readCheckpointState(m_context, *from));
        m_total = m_stage.totalSteps(); // the parameters of the checkpoint hold now
        m_step = std::min(from->step, m_total);
        m_evaluated = jsonValue<std::int64_t>(state, "evaluated", -1);
        m_savedStep = m_step;
        m_savedEvaluation = m_evaluated;
    } else if (!m_trains) {
        m_savedStep = 0; // nothing is lost before its first step
    }
    SPARSERL_CHECK(m_context.emit(m_step, StateEvent{RunState::Running, {}, m_total}));
    m_context.setPosition(m_step, m_total);
    m_context.watchSystem(from ? m_step : -1);
    SPARSERL_CHECK(m_stage.prepare(from ? &*from : nullptr, state));
    if (m_savedStep < 0)
        SPARSERL_CHECK(checkpoint());
    return {};
}

Status StageLoop::evaluateIfDue(bool complete)
{
    if (!m_trains || m_evaluated >= m_step)
        return {};
    if (!complete && !isDue(m_step, m_total, m_p[param::eval::every]))
        return {};
    const auto status = m_stage.evaluate(m_step);
    if (!status)
        return isInterruption(status.error()) ? Status() : status;
    m_evaluated = m_step;
    return {};
}

Result<std::string> StageLoop::checkpoint()
{
    m_savedStep = m_step;
    m_savedEvaluation = m_evaluated;
    auto state = m_stage.state();
    if (m_trains)
        state["evaluated"] = m_evaluated;
    return writeCheckpoint(m_context, m_step, std::move(state), m_stage.rewardTimes(),
                           [&](const std::filesystem::path& folder) { return m_stage.save(folder); });
}

Status StageLoop::run(StageOutcome& outcome)
{
    if (auto status = start(); !status)
        return isInterruption(status.error()) ? Status() : status;
    for (;;) {
        m_total = m_stage.totalSteps(); // a budget may have changed
        m_context.setPosition(m_step, m_total);
        outcome.step = m_step;
        const bool complete = m_step == m_total || m_stage.isComplete();
        SPARSERL_CHECK(evaluateIfDue(complete));
        SPARSERL_TRY(const auto next, m_context.boundary(m_step, [&] { return checkpoint(); }));
        const bool end = next == StageContext::Next::End || complete;
        SPARSERL_CHECK(m_context.journalSystem(m_step, end));
        if (hasNews() && (end || (isCheckpointDue() && m_stage.isSound()))) {
            SPARSERL_CHECK(checkpoint());
        }
        if (complete)
            m_stage.finish();
        if (end)
            return {};
        const auto reached = m_stage.advance(m_step);
        if (reached)
            m_step = *reached;
        else if (!isInterruption(reached.error()))
            return fail(reached.error());
        // Else it was interrupted and has changed nothing: the boundary ends the stage.
    }
}

} // namespace

bool isDue(std::int64_t step, std::int64_t total, std::int64_t every)
{
    return step == 0 || step == total || (every > 0 && step % every == 0);
}

Status runStageLoop(StageContext& context, Stage& stage, StageOutcome& outcome)
{
    return StageLoop(context, stage).run(outcome);
}

} // namespace sparserl

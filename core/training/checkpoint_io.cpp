// SPDX-License-Identifier: Apache-2.0
#include "training/checkpoint_io.h"

#include "base/json.h"
#include "training/parameter_keys.h"

namespace sparserl {

namespace {

/// Tells whoever runs the stage that a checkpoint is being saved.
class Saving
{
public:
    explicit Saving(const StageEnvironment& environment)
        : m_environment(environment)
    {
        tell(true);
    }
    ~Saving() { tell(false); }
    Saving(const Saving&) = delete;
    Saving& operator=(const Saving&) = delete;

private:
    void tell(bool saving) const
    {
        if (m_environment.onSaving)
            m_environment.onSaving(saving);
    }
    const StageEnvironment& m_environment;
};

} // namespace

Status writeCheckpoint(StageContext& context, std::int64_t step, nlohmann::json state,
                       const RewardTimes& times,
                       const std::function<Status(const std::filesystem::path&)>& fill)
{
    if (!context.leads())
        return {};
    const Saving saving(context.environment());
    SPARSERL_TRY(auto pending, context.run().beginCheckpoint(step));
    const auto& folder = pending.directory();
    state["step"] = step;
    state["parameters"] = context.changedParameters();
    SPARSERL_CHECK(fill(folder));
    SPARSERL_CHECK(times.save(folder / "reward_times.json"));
    SPARSERL_CHECK(writeJson(folder / "state.json", state));
    SPARSERL_TRY(auto info, pending.commit(context.journal()));
    context.tell(step, CheckpointEvent{info.name});
    const bool declared = context.parameters().has("checkpoint.keep");
    return context.run().pruneCheckpoints(
        declared ? static_cast<int>(context.parameters()[param::checkpoint::keep]) : 1);
}

Result<nlohmann::json> readCheckpointState(StageContext& context, const CheckpointInfo& checkpoint)
{
    auto state = readJson(checkpoint.path / "state.json");
    if (!state)
        return fail(state.error());
    SPARSERL_CHECK(context.restoreParameters(jsonValue(*state, "parameters", nlohmann::json::object())));
    return state;
}

} // namespace sparserl

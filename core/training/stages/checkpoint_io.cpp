// SPDX-License-Identifier: Apache-2.0
#include "training/stages/checkpoint_io.h"

#include "base/control_file.h"
#include "base/json.h"
#include "training/parameters/parameter_keys.h"
#include "training/work/trained_on.h"

namespace sparserl {

namespace {

/// Tells the caller of the stage that a checkpoint is being saved.
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

/// Of the parent, of this run until now (its matrices may have been others before a resume) and of now.
Result<std::set<std::string>> trainedOnBy(StageContext& context)
{
    std::set<std::string> digests;
    const auto& parent = context.environment().parent;
    if (!parent.empty()) {
        SPARSERL_TRY(digests, readTrainedOn(parent));
    }
    if (const auto& checkpoint = context.checkpoint()) {
        SPARSERL_TRY(auto before, readTrainedOn(checkpoint->path));
        digests.merge(before);
    }
    SPARSERL_TRY(const auto kind, stageKindFromName(context.run().config().stage));
    const bool learns =
        kind != StageKind::Evaluate && kind != StageKind::Search && kind != StageKind::Pretrain;
    if (learns) { // Those learn from no matrix.
        for (const StageTarget* matrix : context.matrices(false))
            digests.insert(matrix->target.id.contents);
    }
    return digests;
}

} // namespace

Result<std::string> writeCheckpoint(StageContext& context, std::int64_t step, nlohmann::json state,
                                    const RewardTimes& times,
                                    const std::function<Status(const std::filesystem::path&)>& fill)
{
    if (!context.leads())
        return std::string();
    SPARSERL_CHECK(context.checkPlace());
    const Saving saving(context.environment());
    SPARSERL_TRY(auto pending, context.run().beginCheckpoint(step));
    const auto& folder = pending.directory();
    state["step"] = step;
    state["parameters"] = context.changedParameters();
    SPARSERL_CHECK(fill(folder));
    SPARSERL_CHECK(times.save(folder / "reward_times.json"));
    SPARSERL_CHECK(writeJson(folder / "state.json", state));
    SPARSERL_TRY(const auto trainedOn, trainedOnBy(context));
    SPARSERL_CHECK(writeTrainedOn(folder, trainedOn));
    SPARSERL_TRY(auto info, pending.commit(context.journal()));
    context.tell(step, CheckpointEvent{info.name});
    const bool declared = context.parameters().has("checkpoint.keep");
    SPARSERL_CHECK(context.run().pruneCheckpoints(
        declared ? static_cast<int>(context.parameters()[param::checkpoint::keep]) : 1));
    return info.name;
}

Result<nlohmann::json> readCheckpointState(StageContext& context, const CheckpointInfo& checkpoint)
{
    auto state = readControlJson(checkpoint.path / "state.json");
    if (!state)
        return fail(state.error());
    SPARSERL_CHECK(context.restoreParameters(jsonValue(*state, "parameters", nlohmann::json::object())));
    return state;
}

} // namespace sparserl

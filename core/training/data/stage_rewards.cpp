// SPDX-License-Identifier: Apache-2.0
#include "training/data/stage_rewards.h"

#include "base/beneath.h"
#include "base/json.h"
#include "base/rng.h"
#include "training/parameters/parameter_keys.h"
#include "training/work/stage_context.h"

#include <fmt/format.h>
#include <functional>

namespace sparserl {

namespace {

constexpr const char* referencesFile = "reference_programs.json";

/// How corpus programs are drawn for a target.
struct CorpusDraw
{
    const char* stream; ///< Of random numbers.
    double recommended; ///< How many are of families that suit the matrix.
    const char* what;   ///< For people who wait.
};

struct CorpusVerdicts
{
    std::vector<CachedJudge::Request> requests;
    std::vector<std::string> families;
    std::vector<VerdictRecord> records;
};

/// Draws reward.stats_samples corpus programs for every target that is not `known` by its key, and judges
/// them.
Result<CorpusVerdicts> judgeCorpus(StageContext& context, const CorpusDraw& draw,
                                   const std::function<bool(const std::string& key)>& known)
{
    const auto& p = context.parameters();
    CorpusVerdicts verdicts;
    auto& requests = verdicts.requests;
    for (const auto& matrix : context.environment().matrices) {
        const std::string key = matrix.target.id.key();
        if (known(key))
            continue;
        SftDataOptions options;
        options.variant = matrix.target.id.variant;
        options.recommended = draw.recommended;
        const Rng base = Rng(static_cast<std::uint64_t>(p[param::seed])).derive(draw.stream).derive(key);
        SPARSERL_TRY(auto programs,
                     drawPrograms(*matrix.target.matrix, p[param::reward::statsSamples], options, base));
        for (auto& program : programs) {
            verdicts.families.push_back(std::move(program.family));
            requests.push_back({.program = std::move(program.text),
                                .target = &matrix,
                                .stopReason = {},
                                .fromCorpus = true});
        }
    }
    if (requests.empty())
        return verdicts;
    SPARSERL_TRY(verdicts.records, context.judge().judge(requests, context.cancel(), [&](std::size_t done) {
        context.pulse(fmt::format("judging {} programs {}/{}", draw.what, done, requests.size()), 0);
    }));
    return verdicts;
}

Status completeTimes(StageContext& context, RewardTimes& times)
{
    SPARSERL_TRY(const auto found, judgeCorpus(context, {"reward-times", 0.5, "corpus"},
                                               [&](const std::string& key) { return times.has(key); }));
    for (std::size_t i = 0; i < found.records.size(); ++i)
        times.add(found.records[i], found.families[i], false);
    return {};
}

Result<ReferencePrograms> readReferences(const std::filesystem::path& file)
{
    ReferencePrograms programs;
    if (!glance(file).exists)
        return programs;
    SPARSERL_TRY(const auto json, readJson(file));
    if (!json.is_object())
        return failAt(file.string(), 0, "this is not a table of reference programs",
                      "Resume from another checkpoint");
    for (const auto& [key, text] : json.items())
        programs[key] = jsonAs<std::string>(text).value_or(std::string());
    return programs;
}

Status judgeReferences(StageContext& context, ReferencePrograms& programs)
{
    SPARSERL_TRY(const auto found,
                 judgeCorpus(context, {"reference", 1, "reference"},
                             [&](const std::string& key) { return programs.contains(key); }));
    std::map<std::string, double> fastest;
    for (std::size_t i = 0; i < found.records.size(); ++i) {
        const VerdictRecord& record = found.records[i];
        if (!record.correct() || !record.warm)
            continue;
        const auto key = found.requests[i].target->target.id.key();
        const double time = record.warm->median;
        const auto [at, isNew] = fastest.try_emplace(key, time);
        if (!isNew && time >= at->second)
            continue;
        at->second = time;
        programs[key] = found.requests[i].program;
    }
    return {};
}

} // namespace

Status loadRewards(StageContext& context, const std::filesystem::path& folder, RewardSource source,
                   StageRewards& rewards)
{
    if (!folder.empty()) {
        SPARSERL_TRY(rewards.times, RewardTimes::load(folder / "reward_times.json"));
    }
    if (source == RewardSource::Policy)
        SPARSERL_CHECK(completeTimes(context, rewards.times));
    if (!rewards.model.usesReference())
        return {};
    if (!folder.empty()) {
        SPARSERL_TRY(rewards.references, readReferences(folder / referencesFile));
    }
    return completeReferences(context, rewards);
}

Status completeReferences(StageContext& context, StageRewards& rewards)
{
    if (!rewards.model.usesReference() || rewards.referencesComplete)
        return {};
    SPARSERL_CHECK(judgeReferences(context, rewards.references));
    rewards.referencesComplete = true;
    return {};
}

Status saveReferences(const StageRewards& rewards, const std::filesystem::path& folder)
{
    return rewards.references.empty()
               ? Status()
               : writeJson(folder / referencesFile, nlohmann::json(rewards.references));
}

} // namespace sparserl

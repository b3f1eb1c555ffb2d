// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "base/result.h"
#include "reward/reward.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

// No LibTorch here: the window makes its launch form from these declarations.

namespace sparserl {

/// The stages that a worker can run (docs/design.md 7); run.toml names them.
enum class StageKind
{
    Sft,
    Rl,
    Evaluate,
    Rft,
    Pretrain,
    Search
};

/// Which charts of a run are shown first.
enum class StageCharts
{
    Texts,         ///< Loss, and what goes with it.
    Supervised,    ///< Loss, and what sampled programs are worth.
    Reinforcement, ///< Reward, KL divergence, entropy, value loss.
    Totals,        ///< What an evaluation found.
    Search         ///< Best times, and where programs come from.
};

/// What there is to know about a stage without running it: the command line, the launch form, the run list
/// and the charts read it here. Its implementation is a line of `makers` in stage.cpp.
struct StageDescription
{
    StageKind kind = StageKind::Sft;
    std::string_view name;  ///< In run.toml, in names of run directories and on the command line.
    std::string_view label; ///< For people: "supervised fine-tuning".
    StageCharts charts = StageCharts::Supervised;
    /// Why it cannot start without the policy of another run, and what to do; empty where it can.
    std::string_view needsParent;
    std::optional<StageKind> next; ///< What naturally follows it.
    std::string_view length;       ///< The parameter that says how many steps it takes; empty: none does.
};
const std::vector<StageDescription>& stageDescriptions();
const StageDescription& describe(StageKind kind);
/// By its name; null for a name of another version.
const StageDescription* findStage(std::string_view name);

std::string_view nameOf(StageKind kind); ///< "pretrain", "sft", "rft", "rl", "evaluate", "search"
Result<StageKind> stageKindFromName(std::string_view name);
std::vector<StageKind> stageKinds();

/// Every parameter of a stage, declared once: type, default, range, unit, help, source, effect.
const ParameterDeclarations& stageParameters(StageKind kind);
/// The keys of all of them.
std::set<std::string> declaredParameters();

/// Fails with a sentence for values that are good each by itself and cannot do together what they say.
Status checkTogether(const ParameterSet& parameters);

/// The reward that reward.* of a stage describe; fails where preset, weights and formula do not fit.
Result<RewardModel> rewardModel(const ParameterSet& parameters);

/// What a stage lacks where its project has so many matrices to train on and to hold out, as a sentence
/// without a stop; empty where it can begin.
std::string missingMatrices(StageKind kind, const ParameterSet& parameters, std::size_t training,
                            std::size_t heldOut);

/// What starts new where a fork goes on with the weights of a checkpoint alone, as a sentence.
std::string forkFromWeights();

/// What a fork of a run from one of its checkpoints keeps, by what differs.
struct ForkPlan
{
    /// It has the checkpoint as its own: step, optimizer, random numbers and reference of the KL go on. Else
    /// it starts at step 0 from the weights alone.
    bool continues = false;
    std::string sentence; ///< For people: what goes on, or what starts again and why.
};
/// `before`, `after`: the parameters of the run and of the fork. Fails with a sentence where nothing is left
/// to do after the checkpoint.
Result<ForkPlan> planFork(StageKind kind, const ParameterSet& before, const ParameterSet& after,
                          std::int64_t step);

/// A named set of values: a paper's recipe, or the quickstart's.
struct Preset
{
    std::string name;
    std::string description; ///< One sentence.
    std::string source;      ///< Paper and section, or empty.
    StageKind stage = StageKind::Rl;
    ParameterSet parameters; ///< All of the stage's, with the preset's values.
};

/// The presets that come with the program (projects/presets/*.toml), by name.
Result<std::vector<Preset>> builtInPresets();
/// Their names, of one stage or of all.
std::vector<std::string> presetNames(std::optional<StageKind> stage = std::nullopt);
/// One of them, or a preset file by its path.
Result<Preset> findPreset(const std::string& nameOrFile);

/// run.toml holds values by key; the set holds the declarations too. Keys that the stage does not know are an
/// Error; missing ones keep the default.
std::map<std::string, ParameterValue> runValues(const ParameterSet& parameters);
Result<ParameterSet> parametersFromRun(StageKind kind, const std::map<std::string, ParameterValue>& values);

} // namespace sparserl

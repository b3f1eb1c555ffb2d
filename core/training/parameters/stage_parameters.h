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

// This header does not use LibTorch, because the window builds its launch form from these declarations.

namespace sparserl {

/// The stages of a worker (docs/design.md 7). run.toml names the stage of a run.
enum class StageKind
{
    Sft,
    Rl,
    Evaluate,
    Rft,
    Pretrain,
    Search
};

/// The charts that a run shows first.
enum class StageCharts
{
    Texts,         ///< Loss, and related metrics.
    Supervised,    ///< Loss, and rewards of sampled programs.
    Reinforcement, ///< Reward, KL divergence, entropy, value loss.
    Totals,        ///< Results of an evaluation.
    Search         ///< Best times, and the origin of programs.
};

/// The description of a stage for the command line, the launch form, the run list and the charts. The stage
/// itself is created by a line of `makers` in stage.cpp.
struct StageDescription
{
    StageKind kind = StageKind::Sft;
    std::string_view name;  ///< Used in run.toml, in names of run directories and on the command line.
    std::string_view label; ///< For display, such as "supervised fine-tuning".
    StageCharts charts = StageCharts::Supervised;
    /// Says why the stage needs the policy of another run, and what to do; empty if it needs none.
    std::string_view needsParent;
    std::optional<StageKind> next; ///< The stage that usually follows.
    std::string_view length;       ///< Key of the parameter for the number of steps; empty if there is none.
};
/// Says why a stage with these parameters needs the policy of another run (StageDescription::needsParent);
/// empty if it needs none.
std::string_view needsParent(StageKind kind, const ParameterSet& parameters);
const std::vector<StageDescription>& stageDescriptions();
const StageDescription& describe(StageKind kind);
/// Finds a stage by its name. Returns nullptr for an unknown name.
const StageDescription* findStage(std::string_view name);

std::string_view nameOf(StageKind kind); ///< "pretrain", "sft", "rft", "rl", "evaluate", "search"
Result<StageKind> stageKindFromName(std::string_view name);
std::vector<StageKind> stageKinds();

/// Returns the declarations of all parameters of a stage: type, default, range, unit, help, source, effect.
const ParameterDeclarations& stageParameters(StageKind kind);
/// Returns the keys of the parameters of all stages.
std::set<std::string> declaredParameters();

/// Fails if the device of a policy is not auto, cpu, cuda or cuda:N.
Status checkDeviceName(std::string_view device);
/// Fails if values are valid individually but not in combination.
Status checkTogether(const ParameterSet& parameters);

/// Returns the reward that the reward.* parameters of a stage describe. Fails if preset, weights and formula
/// are incompatible.
Result<RewardModel> rewardModel(const ParameterSet& parameters);

/// Says which matrices a stage lacks in a project with these numbers of training and held-out matrices, as a
/// sentence without a full stop. Empty if the stage can start.
std::string missingMatrices(StageKind kind, const ParameterSet& parameters, std::size_t training,
                            std::size_t heldOut);

/// Returns a sentence about the state that is lost if a fork takes only the weights of a checkpoint.
std::string forkFromWeights();

/// Says which state of the run a fork keeps. This depends on the parameters that are changed.
struct ForkPlan
{
    /// True if the fork continues from the checkpoint with its step, optimizer, random numbers and KL
    /// reference policy. Otherwise, it starts at step 0 and keeps only the weights.
    bool continues = false;
    std::string sentence; ///< For display: what continues, or what starts again and why.
};
/// Plans a fork at step `step`. `before` and `after` are the parameters of the run and of the fork. Fails if
/// no steps remain after the checkpoint, or if a changed parameter describes another policy.
Result<ForkPlan> planFork(StageKind kind, const ParameterSet& before, const ParameterSet& after,
                          std::int64_t step);

/// A named set of parameter values: the recipe of a paper, or that of the quickstart.
struct Preset
{
    std::string name;
    std::string description; ///< One sentence.
    std::string source;      ///< Paper and section, or empty.
    StageKind stage = StageKind::Rl;
    ParameterSet parameters; ///< All parameters of the stage, with the preset's values.
};

/// Returns the presets that are included in the program (projects/presets/*.toml), sorted by name.
Result<std::vector<Preset>> builtInPresets();
/// Returns the names of the presets for one stage, or for all stages.
std::vector<std::string> presetNames(std::optional<StageKind> stage = std::nullopt);
/// Finds a built-in preset by its name, or reads a preset file.
Result<Preset> findPreset(const std::string& nameOrFile);

/// Converts between a parameter set and the values in run.toml, which have keys but no declarations.
/// parametersFromRun() fails for a key that the stage does not have; a missing key keeps its default.
std::map<std::string, ParameterValue> runValues(const ParameterSet& parameters);
Result<ParameterSet> parametersFromRun(StageKind kind, const std::map<std::string, ParameterValue>& values);

} // namespace sparserl

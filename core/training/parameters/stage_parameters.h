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

// This header does not use LibTorch: the window builds its launch form from these declarations.

namespace sparserl {

/// The stages of a worker (docs/design.md 7), named in run.toml.
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

/// Static description of a stage for the command line, the launch form, the run list and the charts. Its
/// implementation is a line of `makers` in stage.cpp.
struct StageDescription
{
    StageKind kind = StageKind::Sft;
    std::string_view name;  ///< In run.toml, in names of run directories and on the command line.
    std::string_view label; ///< For display: "supervised fine-tuning".
    StageCharts charts = StageCharts::Supervised;
    /// Why it needs the policy of another run, and what to do; empty if it does not.
    std::string_view needsParent;
    std::optional<StageKind> next; ///< The natural next stage.
    std::string_view length;       ///< The parameter for the number of steps; empty if there is none.
};
/// Why a stage with these parameters needs the policy of another run (StageDescription::needsParent); empty
/// if it does not.
std::string_view needsParent(StageKind kind, const ParameterSet& parameters);
const std::vector<StageDescription>& stageDescriptions();
const StageDescription& describe(StageKind kind);
/// Finds a stage by name; null for an unknown name.
const StageDescription* findStage(std::string_view name);

std::string_view nameOf(StageKind kind); ///< "pretrain", "sft", "rft", "rl", "evaluate", "search"
Result<StageKind> stageKindFromName(std::string_view name);
std::vector<StageKind> stageKinds();

/// Every parameter of a stage: type, default, range, unit, help, source, effect.
const ParameterDeclarations& stageParameters(StageKind kind);
/// The keys of all parameters.
std::set<std::string> declaredParameters();

/// Fails for a policy's device that is not auto, cpu, cuda or cuda:N.
Status checkDeviceName(std::string_view device);
/// Fails for values that are valid individually but not in combination.
Status checkTogether(const ParameterSet& parameters);

/// The reward described by a stage's reward.* parameters. Fails if preset, weights and formula are
/// incompatible.
Result<RewardModel> rewardModel(const ParameterSet& parameters);

/// The missing requirement of a stage whose project has this many training and held-out matrices, as a
/// sentence without a full stop; empty if it can start.
std::string missingMatrices(StageKind kind, const ParameterSet& parameters, std::size_t training,
                            std::size_t heldOut);

/// A sentence about the state that a fork from a checkpoint's weights alone does not keep.
std::string forkFromWeights();

/// The state that a fork keeps, depending on the changed parameters.
struct ForkPlan
{
    /// The fork continues from the checkpoint with its step, optimizer, random numbers and reference policy
    /// of the KL divergence. Otherwise it starts at step 0 with only the weights.
    bool continues = false;
    std::string sentence; ///< For display: what continues, or what restarts and why.
};
/// `before`, `after`: the parameters of the run and of the fork. Fails if no steps remain after the
/// checkpoint.
Result<ForkPlan> planFork(StageKind kind, const ParameterSet& before, const ParameterSet& after,
                          std::int64_t step);

/// A named set of values: the recipe of a paper or of the quickstart.
struct Preset
{
    std::string name;
    std::string description; ///< One sentence.
    std::string source;      ///< Paper and section, or empty.
    StageKind stage = StageKind::Rl;
    ParameterSet parameters; ///< All parameters of the stage, with the preset's values.
};

/// The presets included in the program (projects/presets/*.toml), sorted by name.
Result<std::vector<Preset>> builtInPresets();
/// The names of the presets of one stage or of all stages.
std::vector<std::string> presetNames(std::optional<StageKind> stage = std::nullopt);
/// Finds a built-in preset by name, or reads a preset file by its path.
Result<Preset> findPreset(const std::string& nameOrFile);

/// The conversion between a parameter set and the values by key in run.toml, which has no declarations. Fails
/// for keys that the stage does not have. Missing keys keep the default.
std::map<std::string, ParameterValue> runValues(const ParameterSet& parameters);
Result<ParameterSet> parametersFromRun(StageKind kind, const std::map<std::string, ParameterValue>& values);

} // namespace sparserl

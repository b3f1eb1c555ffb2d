// SPDX-License-Identifier: Apache-2.0
#include "app/cli/complete.h"

#include "app/cli/commands.h"
#include "app/cli/project_words.h"
#include "base/beneath.h"
#include "base/printable.h"
#include "project/files/project.h"
#include "project/run/default_policy.h"
#include "project/run/run_directory.h"
#include "training/parameters/stage_parameters.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sparserl::cli {

namespace {

namespace fs = std::filesystem;

/// The value of --project. Shells split "--project=DIR" in different ways.
std::string folderIn(std::span<const char* const> words)
{
    constexpr std::string_view option = "--project";
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i];
        if (word.starts_with("--project="))
            return std::string(word.substr(option.size() + 1));
        if (word != option)
            continue;
        const std::size_t next =
            i + 1 < words.size() && std::string_view(words[i + 1]) == "=" ? i + 2 : i + 1;
        return next < words.size() ? words[next] : std::string();
    }
    return {};
}

std::optional<Project> projectOf(std::span<const char* const> words)
{
    const std::string folder = folderIn(words);
    auto project = Project::find(folder.empty() ? fs::path(".") : fs::path(folder));
    return project ? std::optional(std::move(*project)) : std::nullopt;
}

/// The stage of the run that is steered, or of the preset that is trained.
std::optional<StageKind> stageIn(std::span<const char* const> words, const std::optional<Project>& project)
{
    const auto presets = presetNames();
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        const std::string_view word = words[i], next = words[i + 1];
        if (word == "train" && std::find(presets.begin(), presets.end(), next) != presets.end()) {
            const auto preset = findPreset(std::string(next));
            return preset ? std::optional(preset->stage) : std::nullopt;
        }
        if (word != "control")
            continue;
        const fs::path named = std::string(next);
        const bool isName = project && next.find('/') == std::string_view::npos;
        const auto run = RunDirectory::open(isName ? project->runsPath() / named : named);
        const auto stage = run ? stageKindFromName(run->config().stage) : fail(std::string());
        return stage ? std::optional(*stage) : std::nullopt;
    }
    return std::nullopt;
}

/// Whether the words are those of `control RUN set`, which refuses what is fixed during a run.
bool changesLiveRun(std::span<const char* const> words)
{
    for (std::size_t i = 0; i + 2 < words.size(); ++i)
        if (std::string_view(words[i]) == "control")
            return std::string_view(words[i + 2]) == "set";
    return false;
}

std::vector<std::string> parametersOf(std::optional<StageKind> stage, bool onlyLive)
{
    std::vector<std::string> words;
    if (stage) {
        for (const ParameterSpec& spec : stageParameters(*stage).specs())
            if (!onlyLive || spec.effect != ParameterEffect::Restart)
                words.push_back(spec.key + "=");
    } else {
        for (const std::string& key : declaredParameters())
            words.push_back(key + "=");
    }
    return words;
}

std::vector<std::string> namesOf(std::string_view kind, std::span<const char* const> words)
{
    const auto project = projectOf(words);
    if (kind == "parameters")
        return parametersOf(stageIn(words, project), changesLiveRun(words));
    std::vector<std::string> names;
    if (kind == "policies" && defaultPolicyFolder())
        names.emplace_back(defaultPolicyName);
    if (!project)
        return names;
    if (kind == "matrices")
        for (const MatrixEntry& entry : project->matrices())
            names.push_back(entry.name);
    if (kind == "runs")
        names = runNames(*project);
    if (kind == "policies")
        for (const std::string& run : runNames(*project))
            if (glance(project->runsPath() / run / "checkpoints").folder)
                names.push_back(run);
    return names;
}

bool mayBeOffered(const std::string& name)
{
    return !name.empty() && !name.starts_with('-') && printableLine(name) == name;
}

} // namespace

int completeNames(std::string_view kind, std::span<const char* const> words)
{
    const Context context;
    std::string text;
    try {
        for (const std::string& name : namesOf(kind, words))
            if (mayBeOffered(name))
                text += name + '\n';
    } catch (const std::exception&) {
        return Failed; // a completion has nobody to tell
    }
    if (!text.empty())
        context.print(text);
    return context.finish(Done);
}

} // namespace sparserl::cli

// SPDX-License-Identifier: Apache-2.0
#include "app/cli/project_words.h"

#include "app/cli/usage.h"
#include "base/beneath.h"
#include "base/format.h"
#include "base/trust_roots.h"
#include "project/files/project.h"
#include "project/files/run_files.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace sparserl::cli {

Result<std::optional<Project>> projectHere()
{
    auto project = Project::find(".");
    if (project)
        return std::optional<Project>(std::move(*project));
    const auto roots = trustRootsAround(".");
    if (std::any_of(roots.begin(), roots.end(), [](const TrustRoot& root) { return !root.isRun; }))
        return fail(project.error());
    return std::optional<Project>();
}

std::vector<std::string> runNames(const Project& project)
{
    std::vector<std::string> names;
    for (const auto& run : project.runDirectories())
        names.push_back(run.filename().string());
    return names;
}

Result<std::string> runFolderOf(const std::string& word)
{
    if (word.empty() || word.find('/') != std::string::npos || glance(word).exists)
        return word;
    const auto project = projectHere();
    if (!project || !*project)
        return word;
    const auto folder = (*project)->runsPath() / word;
    if (glance(folder / runFile).exists)
        return folder.string();
    const std::string near = nearestWord(word, runNames(**project));
    if (near.empty())
        return word;
    return fail(fmt::format("the project {} has no run \"{}\"", (*project)->path().string(), word),
                fmt::format("Did you mean {}?", near));
}

CLI::Option* takesRun(CLI::Option* option, RunWord kind)
{
    takesNames(option, "runs");
    return option->transform(CLI::Validator(
        [kind](std::string& word) {
            auto folder = runFolderOf(word);
            if (folder)
                word = std::move(*folder);
            else if (kind == RunWord::There)
                throw NotThere{folder.error()};
            return std::string();
        },
        std::string()));
}

} // namespace sparserl::cli

// SPDX-License-Identifier: Apache-2.0
#include "app/cli/search_run.h"

#include "app/cli/matrix_words.h"
#include "app/cli/name_list.h"
#include "app/cli/policy_words.h"
#include "base/beneath.h"
#include "base/printable.h"
#include "base/shell.h"
#include "base/trust.h"
#include "project/files/project.h"
#include "project/files/run_files.h"
#include "project/run/launch.h"
#include "project/run/run_config.h"
#include "project/run/run_directory.h"
#include "training/parameters/matrix_names.h"
#include "training/parameters/parameter_keys.h"
#include "training/parameters/stage_parameters.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace sparserl::cli {

namespace {

namespace fs = std::filesystem;

/// The name under which the project has a matrix; one that it does not have is imported.
Result<std::string> nameIn(const Context& context, Project& project, const NamedMatrix& named)
{
    ReadOptions reading = readingOf(context, named.word);
    reading.doubles = true; // A project keeps what was imported.
    const AddMatrixOptions adding = addingOf(reading);
    if (named.isGenerated) {
        for (const MatrixEntry& entry : project.matrices()) {
            if (entry.generator == named.word)
                return entry.name;
        }
        SPARSERL_TRY(const auto entry, project.addGenerated(named.word, adding));
        return entry.name;
    }
    SPARSERL_TRY(const auto matrix, named.load(reading));
    if (const MatrixEntry* entry = project.matrixByDigest(digest(matrix)))
        return entry->name;
    if (!named.isFile)
        return failAt(named.word, 0, "this matrix is not in the project",
                      "Import it first with `sparserl import`");
    SPARSERL_TRY(const auto entry, project.addMatrix(named.word, adding));
    return entry.name;
}

Result<std::vector<std::string>> namesIn(const Context& context, Project& project,
                                         const std::vector<std::string>& words)
{
    std::vector<std::string> names;
    const auto keep = [&names](const std::string& name) {
        if (std::find(names.begin(), names.end(), name) == names.end())
            names.push_back(name);
    };
    // All words first: a mistyped one adds nothing to the project.
    std::vector<std::pair<std::string, std::vector<NamedMatrix>>> all;
    std::vector<Error> wrong;
    for (const std::string& word : splitNames(words, [&](const std::string& whole) {
             return project.matrix(whole) != nullptr || glance(whole).exists;
         })) {
        auto listed = project.matrix(word) != nullptr ? std::vector<NamedMatrix>() : matricesOf(word);
        if (listed)
            all.emplace_back(word, std::move(*listed));
        else
            wrong.push_back(std::move(listed.error()));
    }
    if (!wrong.empty())
        return fail(allOf(wrong));
    for (const auto& [word, listed] : all) {
        if (listed.empty())
            keep(word);
        for (const NamedMatrix& named : listed) {
            SPARSERL_TRY(const auto name, nameIn(context, project, named));
            keep(name);
        }
    }
    for (const std::string& name : names) {
        if (name.find(';') != std::string::npos)
            return fail(fmt::format("the name of the matrix \"{}\" has a semicolon", name),
                        "Give it another name in project.toml");
    }
    return names;
}

Result<RunDirectory> newRun(const Context& context, const SearchRun& search)
{
    ParameterSet parameters(stageParameters(StageKind::Search));
    for (const std::string& assignment : search.assignments) {
        SPARSERL_CHECK(parameters.setAssignment(assignment));
    }
    SPARSERL_TRY(
        auto project,
        search.project.empty()
            ? Project::find(search.run.empty() ? fs::path(".") : fs::absolute(search.run).parent_path())
            : Project::open(search.project));
    SPARSERL_CHECK(requireTrust(project.path()));
    SPARSERL_TRY(const auto names, namesIn(context, project, search.matrices));
    context.endProgress();
    SPARSERL_CHECK(parameters.set(param::search::matrices.key, joinMatrixNames(names)));
    RunConfig config;
    config.stage = std::string(nameOf(StageKind::Search));
    config.title = names.size() == 1 ? names.front() : fmt::format("{} matrices", names.size());
    config.project = fs::absolute(project.path()).lexically_normal().string();
    config.parameters = runValues(parameters);
    if (!search.policy.empty()) {
        SPARSERL_TRY(config.parentCheckpoint, namedPolicy(project, search.policy, false));
    }
    if (search.run.empty())
        return makeRun(project, std::move(config));
    return RunDirectory::create(search.run, std::move(config));
}

} // namespace

int nothingToSearch(const Context& context)
{
    return context.wrongUsage({"there is nothing to search", {}, 0, "Name a matrix, or a run with --run"});
}

int keepSearch(const Context& context, const SearchRun& search)
{
    // Before anything is made.
    if (const auto there = checkTrainingProgram(siblingProgram(context, trainingProgram)); !there)
        return context.error(there.error());
    const bool exists = !search.run.empty() && glance(fs::path(search.run) / runFile).exists;
    if (exists && (!search.matrices.empty() || !search.policy.empty()))
        return context.error({"this run exists already, and it keeps its own matrices and parameters",
                              search.run, 0, "Give --run alone to continue it, or another folder"});
    if (!exists && search.matrices.empty())
        return nothingToSearch(context);
    std::string folder = search.run;
    if (!exists) {
        const auto run = newRun(context, search);
        if (!run)
            return context.failed(run.error());
        folder = run->path().string();
        context.keeps(shellCommand("sparserl train --run {}", {folder}) + " begins it again");
        if (!context.quiet)
            context.print(fmt::format("Run directory: {}", printableLine(folder)));
    }
    return context.becomeTraining({"worker", folder});
}

} // namespace sparserl::cli

// SPDX-License-Identifier: Apache-2.0
#include "project/files/project.h"
#include "app/cli/commands.h"
#include "app/cli/name_list.h"
#include "app/cli/open_index.h"
#include "app/cli/sft_set_command.h"
#include "app/cli/usage.h"
#include "base/allowed_links.h"
#include "base/beneath.h"
#include "base/format.h"
#include "base/lock.h"
#include "base/printable.h"
#include "base/shell.h"
#include "base/time.h"
#include "base/trust.h"
#include "base/trust_roots.h"
#include "project/files/sent_project.h"
#include "project/files/unlisted.h"
#include "project/index/index.h"
#include "project/queries/queries.h"
#include "project/run/run_directory.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

namespace sparserl::cli {
namespace {

/// The project that a folder is in. A folder that is not there is in none, although one above it may be.
Result<Project> projectAt(const std::string& folder)
{
    if (!glance(folder).exists)
        return failAt(folder, 0, "there is no such folder", "Give the folder of a project");
    return Project::find(folder);
}

struct ProjectArguments
{
    std::string folder = ".";
    std::string title;
    std::vector<std::string> train, heldOut;
};

/// Lists the project's matrices, after their splits were changed where that is asked for.
int listProject(const Context& context, const ProjectArguments& options)
{
    auto project = projectAt(options.folder);
    if (!project)
        return context.error(project.error());
    std::vector<std::string> names;
    for (const MatrixEntry& entry : project->matrices())
        names.push_back(entry.name);
    std::map<std::string, std::string> splits;
    std::vector<Error> wrong;
    const auto isMatrix = [&](const std::string& name) { return project->matrix(name) != nullptr; };
    for (const auto& [split, asked] :
         {std::pair(split::train, &options.train), std::pair(split::heldOut, &options.heldOut)}) {
        for (const std::string& name : splitNames(*asked, isMatrix)) {
            if (!isMatrix(name)) {
                wrong.push_back({fmt::format("the project has no matrix \"{}\"", name),
                                 (project->path() / "project.toml").string(), 0,
                                 nearRemedy(name, names, "`sparserl project matrices` lists them")});
                continue;
            }
            if (!splits.emplace(name, split).second)
                return context.wrongUsage({fmt::format("the matrix \"{}\" is named twice", name),
                                           {},
                                           0,
                                           "Name it after --train or after --held-out"});
        }
    }
    if (!wrong.empty())
        return context.error(allOf(wrong));
    if (!splits.empty()) {
        if (const auto set = project->setSplits(splits); !set)
            return context.error(set.error());
    }
    std::size_t width = 4;
    for (const std::string& name : names)
        width = std::max(width, name.size());
    // As in the window: the class that the user gave or, from the index, the one that the pattern shows.
    std::map<std::string, std::string> classes;
    if (auto index = openIndex(context, *project, IndexDepth::Lists))
        if (const auto rows = index->reader->matrices())
            for (const MatrixRow& row : *rows)
                classes[row.name] = row.matrixClass;
    const auto classOf = [&](const MatrixEntry& entry) {
        return entry.matrixClass.empty() ? classes[entry.name] : entry.matrixClass;
    };
    std::string table = fmt::format("{:<{}}  {:<9} {:<18} {}\n", "NAME", width, "SPLIT", "CLASS", "SOURCE");
    for (const MatrixEntry& entry : project->matrices()) {
        context.emit({{"name", entry.name},
                      {"split", entry.split},
                      {"class", classOf(entry)},
                      {"file", entry.file},
                      {"generator", entry.generator},
                      {"attribution", entry.attribution},
                      {"digest", entry.digest}});
        table += formatLine("{:<{}}  {:<9} {:<18} {}\n", entry.name, width, entry.split,
                            classOf(entry).empty() ? "-" : classOf(entry),
                            entry.file.empty() ? entry.generator : entry.file);
    }
    if (!context.json)
        context.print(names.empty() ? fmt::format("There are no matrices yet; add some with {}.",
                                                  shellCommand("sparserl import FILE... --project {}",
                                                               {options.folder}))
                                    : table);
    for (const std::filesystem::path& file : unlistedFiles(project->path(), project->matrices())) {
        context.emit({{"unlisted", file.string()}});
        context.print(fmt::format(
            "warning: {} is not in the list of matrices: an import was interrupted, or the "
            "matrix was removed from the list. Add it with {}, or remove the file",
            printableLine(file.string()),
            shellCommand("sparserl import {} --project {}", {file.string(), project->path().string()})));
    }
    return Done;
}

int makeProject(const Context& context, const ProjectArguments& options)
{
    const auto project = Project::create(options.folder, options.title);
    if (!project) {
        return context.error(project.error());
    }
    context.emit({{"project", project->path().string()}, {"title", project->title()}});
    if (!context.json) {
        context.print(fmt::format("Made the project \"{}\" in {}. Add matrices with {}.", project->title(),
                                  project->path().string(),
                                  shellCommand("sparserl import FILE... --project {}", {options.folder})));
    }
    return Done;
}

/// A window or a command holds the index: it rebuilds the index or releases it.
std::optional<int> letKeeperReindex(const Context& context, const Project& project)
{
    constexpr double patience = 30;
    if (!FileLock::isLocked(project.path() / "index.lock"))
        return std::nullopt;
    const auto taken = Indexer::askKeeper(project.path(), patience, context.cancel);
    if (!taken)
        return context.failed(taken.error());
    if (context.cancel.cancelled())
        return Interrupted;
    if (!*taken)
        return std::nullopt;
    context.emit({{"project", project.path().string()}, {"by", "the program that keeps the index"}});
    if (!context.json)
        context.print("Another program holds the index and is rebuilding it now.");
    return Done;
}

int reindex(const Context& context, const ProjectArguments& options)
{
    const auto project = projectAt(options.folder);
    if (!project) {
        return context.error(project.error());
    }
    if (const auto ended = letKeeperReindex(context, *project))
        return *ended;
    const double begin = monotonicSeconds();
    std::string integrity;
    const auto progress = [&](double fraction, std::string_view phase) {
        context.progress(fraction, std::string(phase));
    };
    const auto update = Indexer::reindex(project->path(), context.cancel, progress, &integrity);
    if (!update) {
        return context.failed(update.error());
    }
    context.endProgress();
    if (context.cancel.cancelled()) {
        context.keeps("the index is unchanged");
        return Interrupted;
    }
    for (const std::string& problem : update->problems) {
        context.print("warning: " + printableLine(problem));
    }
    const double seconds = monotonicSeconds() - begin;
    context.emit({{"project", project->path().string()},
                  {"runs", update->runs},
                  {"entries", update->entries},
                  {"problems", update->problems},
                  {"integrity", integrity},
                  {"seconds", seconds}});
    if (!context.json) {
        context.print(fmt::format("Rebuilt the index of {}: {}, {} in {}; integrity: {}.",
                                  project->path().string(), formatCounted(update->runs, "run"),
                                  formatCounted(update->entries, "journal entry", "journal entries"),
                                  formatDuration(seconds), integrity));
    }
    return integrity == "ok" ? Done : Failed;
}

int allow(const Context& context, const std::string& link)
{
    if (const auto allowed = allowLink(link); !allowed)
        return context.error(allowed.error());
    context.emit({{"link", link}});
    if (!context.json)
        context.print(
            fmt::format("{} will be followed from now on, as long as its target stays the same.", link));
    return Done;
}

/// A run that lies in no project: what it was made with stands in it.
int trustRun(const Context& context, const RunDirectory& run)
{
    if (const auto trusted = trustProject(run.path()); !trusted)
        return context.error(trusted.error());
    context.emit({{"trusted", run.path().string()}});
    if (!context.json)
        context.print(printableLine(fmt::format(
            "{} is now trusted: it may be worked on here{}.", run.path().string(),
            run.config().project.empty() ? "" : ", with the matrices of " + run.config().project)));
    return Done;
}

int trust(const Context& context, const std::string& folder)
{
    if (const auto roots = trustRootsAround(folder);
        !roots.empty() && std::ranges::all_of(roots, &TrustRoot::isRun)) {
        const auto run = RunDirectory::open(roots.front().folder);
        return run ? trustRun(context, *run) : context.error(run.error());
    }
    const auto project = projectAt(folder);
    if (!project)
        return context.error(project.error());
    if (const auto trusted = trustSentProject(project->path()); !trusted)
        return context.error(trusted.error());
    context.emit({{"trusted", project->path().string()}});
    if (!context.json)
        context.print(
            fmt::format("{} is now trusted: you can change it and start work in it here, follow its "
                        "runs on hosts that you have confirmed, and use matrices that it names in "
                        "other folders.",
                        project->path().string()));
    return Done;
}

} // namespace

Body add_project(CLI::App& app, Context& context)
{
    CLI::App* command = app.add_subcommand("project", "Create a project, list its matrices, choose programs "
                                                      "to train on, rebuild its index, or allow its use.");
    command->require_subcommand(1);
    auto options = std::make_shared<ProjectArguments>();
    CLI::App* make = command->add_subcommand("new", "Create an empty project in a folder.");
    make->add_option("DIR,--project", options->folder, "The project's folder; created if missing.")
        ->required();
    make->add_option("--title", options->title, "A name for people (default: the folder's).");
    CLI::App* again = command->add_subcommand("reindex", "Rebuild project.sqlite from the run directories.");
    again->add_option("DIR,--project", options->folder,
                      "The project (default: the one that holds the current folder).");
    CLI::App* matrices = command->add_subcommand(
        "matrices", "List the project's matrices, and change which are trained on and which are held out.");
    matrices->add_option("DIR,--project", options->folder,
                         "The project (default: the one that holds the current folder).");
    takesNames(matrices->add_option("--train", options->train,
                                    "Matrices to train on from now on, by name; also separated by commas."),
               "matrices");
    takesNames(matrices->add_option("--held-out", options->heldOut,
                                    "Matrices to hold out from now on, by name; also separated by commas."),
               "matrices");
    auto chosen = std::make_shared<SftSetOptions>();
    CLI::App* sftSet = command->add_subcommand(
        "sft-set", "List or change the programs that supervised fine-tuning uses in addition to the corpus.");
    sftSet->add_option("DIR,--project", chosen->folder,
                       "The project (default: the one that holds the current folder).");
    takesNames(sftSet->add_option("--from", chosen->from,
                                  "Add the fastest correct programs of these runs, by name."),
               "runs");
    sftSet->add_option("--best", chosen->best, "At most this many programs per run, matrix and task.")
        ->check(CLI::Range(1, 10000))
        ->capture_default_str();
    sftSet
        ->add_option("--within", chosen->within,
                     "Only those that take at most this many times as long as the fastest.")
        ->check(CLI::Range(1.0, 1e6))
        ->capture_default_str();
    sftSet->add_option("--program", chosen->programs,
                       "Add these programs, by their hash or its first digits, where they are correct.");
    takesNames(sftSet->add_option("--matrix", chosen->matrices,
                                  "Add only for these matrices of the project, by name."),
               "matrices");
    sftSet->add_option("--remove", chosen->remove, "Take these programs out, by hash or its first digits.");
    sftSet->add_flag("--clear", chosen->clear, "Take all programs out first.");
    CLI::App* link = command->add_subcommand(
        "allow-link", "Allow a link to a folder below a project, such as runs on a scratch disk.");
    link->add_option("LINK", options->folder, "The link.")->required();
    CLI::App* trusted = command->add_subcommand(
        "trust", "Trust somebody else's project: allow changes and work here; until then it is read-only.");
    trusted->add_option("DIR,--project", options->folder,
                        "The project (default: the one that holds the current folder).");
    return [options, chosen, make, matrices, sftSet, link, trusted, &context]() -> int {
        if (sftSet->parsed())
            return changeSftSet(context, *chosen);
        if (matrices->parsed())
            return listProject(context, *options);
        if (trusted->parsed())
            return trust(context, options->folder);
        if (link->parsed())
            return allow(context, options->folder);
        return make->parsed() ? makeProject(context, *options) : reindex(context, *options);
    };
}

} // namespace sparserl::cli

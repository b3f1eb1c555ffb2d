// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/number_checks.h"
#include "app/cli/usage.h"
#include "app/training/commands/job_output.h"
#include "base/files.h"
#include "base/format.h"
#include "base/new_place.h"
#include "project/files/project.h"
#include "training/evaluated/ablation.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

namespace {

struct AblateArguments
{
    std::string table;
    std::string project = ".";
    std::vector<std::int64_t> seeds{1};
    std::vector<std::string> assignments, out;
    bool list = false;
};

int listTables(const Context& context)
{
    const auto all = builtInAblations();
    if (!all)
        return context.error(all.error());
    for (const auto& one : *all) {
        context.emit({{"table", one.name},
                      {"title", one.title},
                      {"source", one.source},
                      {"cells", one.cells.size()},
                      {"stages", one.job.stages.size()}});
        if (!context.json)
            context.print(
                fmt::format("{:<12} {} ({}): {}, {}", one.name, one.title, one.source,
                            formatCounted(static_cast<std::int64_t>(one.cells.size()), "policy", "policies"),
                            formatCounted(static_cast<std::int64_t>(one.job.stages.size()), "run")));
    }
    return Done;
}

/// What the evaluations of all cells say.
Result<std::vector<std::vector<EvaluationResult>>> resultsOf(const Project& project, const Ablation& ablation,
                                                             const std::vector<std::int64_t>& seeds)
{
    std::vector<std::vector<EvaluationResult>> all;
    for (const auto& cell : ablation.cells) {
        auto& mine = all.emplace_back();
        for (const auto seed : seeds) {
            SPARSERL_TRY(auto result,
                         readEvaluationResult(project.runsPath() / ablationRun(ablation, cell, seed)));
            mine.push_back(std::move(result));
        }
    }
    return all;
}

Status writeTable(const TextTable& table, const std::string& note, const std::filesystem::path& file)
{
    const auto extension = file.extension().string();
    if (extension == ".csv")
        return writeFileAtomic(file, toCsv(table));
    if (extension == ".tex")
        return writeFileAtomic(file, toLatex(table));
    return writeFileAtomic(file, toMarkdown(table) + "\n" + note + "\n");
}

int ablate(Context& context, const AblateArguments& options)
{
    if (options.list || options.table.empty())
        return listTables(context);
    const auto ablation = findAblation(options.table);
    if (!ablation)
        return context.error(ablation.error());
    const auto job = ablationJob(*ablation, options.seeds, options.assignments);
    if (!job)
        return context.wrongUsage(job.error());
    for (const auto& file : options.out) {
        const auto extension = std::filesystem::path(file).extension();
        if (extension != ".md" && extension != ".csv" && extension != ".tex")
            return context.wrongUsage({"tables are not written in this format", file, 0,
                                       "Use a name that ends in .md, .csv or .tex"});
        if (auto free = checkNewFile(file); !free)
            return context.error(free.error());
    }
    auto project = Project::open(options.project);
    if (!project)
        return context.error(project.error());
    context.print(fmt::format("{} ({}): {} runs in {}", ablation->title, ablation->source, job->stages.size(),
                              project->path().string()));
    if (const int status = runShownJob(context, *project, *job); status != Done)
        return status;
    const auto results = resultsOf(*project, *ablation, options.seeds);
    if (!results)
        return context.error(results.error());
    const auto table = ablationTable(*ablation, *results);
    for (const auto& row : table.rows) {
        nlohmann::json line = nlohmann::json::object();
        for (std::size_t i = 0; i < row.size(); ++i)
            line[table.header[i]] = row[i];
        context.emit(line);
    }
    if (!context.json)
        context.print("\n" + toMarkdown(table) + "\n" + ablation->note);
    for (const auto& file : options.out) {
        if (const auto status = writeTable(table, ablation->note, file); !status)
            return context.error(status.error());
    }
    return Done;
}

} // namespace

Body add_ablate(CLI::App& app, Context& context)
{
    auto options = std::make_shared<AblateArguments>();
    CLI::App* command = addTrainingCommand(app, "ablate");
    suggests(
        command->add_option("TABLE", options->table, "Name of a table (--list), or a .toml file with one"),
        [] {
            std::vector<std::string> names;
            if (const auto all = builtInAblations())
                for (const Ablation& one : *all)
                    names.push_back(one.name);
            return names;
        });
    command
        ->add_option("--project", options->project,
                     "Project that provides the matrices and receives the runs")
        ->capture_default_str();
    command
        ->add_option("--seeds", options->seeds,
                     "Repeat everything for each of these seeds; the table has means")
        ->delimiter(',')
        ->check(nonNegativeNumber());
    takesNames(command->add_option("--set", options->assignments,
                                   "KEY=VALUE for every stage that has the parameter"),
               "parameters");
    command->add_option("--out", options->out, "Also write the table to this new file: .md, .csv or .tex");
    command->add_flag("--list", options->list, "List the tables");
    return [&context, options] {
        context.savesOnSignal = true;
        return ablate(context, *options);
    };
}

} // namespace sparserl::cli

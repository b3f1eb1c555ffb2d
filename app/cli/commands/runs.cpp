// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/open_index.h"
#include "app/cli/usage.h"
#include "base/beneath.h"
#include "base/files.h"
#include "base/format.h"
#include "base/json_number.h"
#include "base/lock.h"
#include "base/printable.h"
#include "base/time.h"
#include "base/trust.h"
#include "project/curves/curve_files.h"
#include "project/files/project.h"
#include "project/files/run_files.h"
#include "project/index/index.h"
#include "project/queries/queries.h"
#include "project/queries/run_filter.h"
#include "project/run/default_policy.h"
#include "project/run/run_directory.h"
#include "training/parameters/stage_parameters.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

namespace sparserl::cli {
namespace {

struct RunsArguments
{
    std::string project = ".";
    std::string run, filter, curves, out;
    bool all = false;
};

nlohmann::json jsonOf(const RunSummary& run)
{
    nlohmann::json json = {
        {"name", run.name},
        {"path", run.path.string()},
        {"title", run.title},
        {"stage", run.stage},
        {"preset", run.preset},
        {"algorithm", run.algorithm},
        {"parent_run", run.parentRun},
        {"parent_checkpoint", run.parentCheckpoint},
        {"status", nameOf(run.status)},
        {"reason", shortened(run.reason, 4096)},
        {"worker", run.hasWorker},
        {"created", run.created},
        {"updated", run.updated},
        {"step", run.step},
        {"total_steps", run.totalSteps},
        {"samples", run.samples},
        {"checkpoints", run.checkpoints},
        {"generation", run.generation},
        {"headline", run.headline},
        {"last_value", run.headline.empty() ? nlohmann::json() : jsonFromNumber(run.lastValue)},
        {"tags", run.notes.tags},
        {"starred", run.notes.starred},
        {"archived", run.notes.archived},
        {"note", run.notes.note}};
    if (run.remote) {
        json["host"] = shortened(run.remote->host);
    }
    if (run.heartbeat) {
        json["phase"] = shortened(run.heartbeat->phase);
        json["seconds_left"] = run.heartbeat->secondsLeft;
    }
    return json;
}

std::string stepsOf(const RunSummary& run)
{
    return run.totalSteps > 0 ? fmt::format("{}/{}", run.step, run.totalSteps) : fmt::format("{}", run.step);
}

/// The runs that an expression leaves, in the words of the window's filter. `all`: archived ones, too.
Result<std::vector<RunSummary>> chosenRuns(ProjectReader& reader, const std::string& expression, bool all)
{
    SPARSERL_TRY(auto runs, reader.runs());
    if (expression.empty()) { // no figure is asked for
        std::erase_if(runs, [&](const RunSummary& run) { return run.notes.archived && !all; });
        return runs;
    }
    RunNames names;
    names.declared = declaredParameters();
    SPARSERL_TRY(names.metrics, reader.metricsOfRuns());
    std::map<RunId, RunFigures> figures;
    for (const RunSummary& run : runs) {
        names.tags.insert(run.notes.tags.begin(), run.notes.tags.end());
        const auto parameters = readParameterTexts(reader, run.id);
        for (const auto& [key, value] : *parameters) {
            names.parameters.insert(key);
        }
        figures[run.id].parameters = parameters;
    }
    auto parsed = RunFilter::parse(expression, &names);
    if (!parsed)
        throw WrongValue{parsed.error()}; // words of the command line, whatever the project has
    const RunFilter filter = std::move(*parsed);
    for (const RunFigure& figure : filter.figures()) {
        if (figure.kind != RunFigure::Kind::Metric) {
            continue;
        }
        SPARSERL_TRY(const auto values, reader.latestOfRuns(figure.name));
        for (const RunMetric& value : values) {
            figures[value.run].metrics[figure.name][value.split] = value.value;
        }
    }
    std::erase_if(runs, [&](const RunSummary& run) {
        RunSummary seen = run;
        seen.notes.archived = seen.notes.archived && !all; // else they are not left out
        return !filter.matches(run, figures.at(run.id)) && !(all && filter.matches(seen, figures.at(run.id)));
    });
    return runs;
}

/// Writes the curves of runs as files of another program.
int exportRuns(const Context& context, const std::vector<RunSummary>& runs, CurveFormat format,
               const std::filesystem::path& out)
{
    std::vector<std::filesystem::path> folders;
    folders.reserve(runs.size());
    for (const RunSummary& run : runs) {
        folders.push_back(run.path);
    }
    const auto written =
        exportCurves(folders, format, out, context.cancel, [&](double fraction, std::string_view phase) {
            context.progress(fraction, std::string(phase));
        });
    context.endProgress();
    if (!written) {
        return context.error(written.error());
    }
    context.emit({{"folder", written->folder.string()},
                  {"runs", written->runs},
                  {"curves", written->curves},
                  {"points", written->points}});
    for (const std::string& problem : written->problems) {
        context.print("warning: " + printableLine(problem));
    }
    if (!context.json) {
        context.print(
            fmt::format("Wrote {} of {}, {}. Look at them with {}.", formatCounted(written->curves, "curve"),
                        formatCounted(written->runs, "run"), formatCounted(written->points, "point"),
                        curveViewer(format, written->folder)));
    }
    return Done;
}

int listRuns(const Context& context, ProjectReader& reader, const RunsArguments& options)
{
    const auto runs = chosenRuns(reader, options.filter, options.all);
    if (!runs) {
        return context.error(runs.error());
    }
    std::size_t nameWidth = 4;
    for (const RunSummary& run : *runs) {
        nameWidth = std::max(nameWidth, printableLine(run.name).size());
    }
    std::string table = fmt::format("{:<{}}  {:<10}{:<15}{:>11}{:>9}  {}\n", "RUN", nameWidth, "STATUS",
                                    "STAGE", "STEP", "SAMPLES", "LAST");
    std::size_t shown = 0;
    for (const RunSummary& run : *runs) {
        ++shown;
        context.emit(jsonOf(run));
        std::string last = run.headline.empty() ? "-" : fmt::format("{} {:.4g}", run.headline, run.lastValue);
        if (run.heartbeat) {
            last += "  " + run.heartbeat->phase;
        } else if (!run.reason.empty()) {
            last += "  " + run.reason;
        }
        if (run.remote) {
            last += fmt::format("  on {}", run.remote->host);
        }
        if (!run.title.empty()) { // The window's lists show titles.
            last += fmt::format("  \"{}\"", run.title);
        }
        // A row is one line, whatever stands in a run's files.
        table += fmt::format("{:<{}}  {:<10}{:<15}{:>11}{:>9}  {}\n", printableLine(run.name), nameWidth,
                             nameOf(run.status), printableLine(run.stage), stepsOf(run), run.samples,
                             printableLine(last));
    }
    if (!context.json) {
        context.print(shown > 0                ? table
                      : options.filter.empty() ? "There are no runs yet; start one with `sparserl train`."
                                               : "No run matches this filter.");
    }
    return Done;
}

int showRun(const Context& context, ProjectReader& reader, const std::string& name)
{
    const auto run = reader.runByName(name);
    if (!run) {
        return context.error(run.error());
    }
    const auto metrics = reader.latestMetrics(run->id);
    const auto checkpoints = reader.checkpoints(run->id);
    if (!metrics || !checkpoints) {
        return context.error(!metrics ? metrics.error() : checkpoints.error());
    }
    nlohmann::json json = jsonOf(*run);
    std::string text =
        fmt::format("{}: {} ({}), step {}, {}\n", printableLine(run->name), nameOf(run->status),
                    printableLine(run->stage), stepsOf(*run), formatCounted(run->samples, "sample"));
    if (!run->title.empty()) {
        text += fmt::format("  \"{}\"\n", printableLine(run->title));
    }
    if (!run->reason.empty()) {
        text += "  " + printableLine(run->reason) + "\n";
    }
    if (run->remote) {
        text += fmt::format("  on {}, in {}\n", printableLine(run->remote->host),
                            printableLine(run->remote->run));
    }
    if (!run->parentRun.empty()) {
        text += fmt::format("  from {} ({})\n", printableLine(run->parentRun),
                            printableLine(run->parentCheckpoint));
    } else if (run->parentCheckpoint == defaultPolicyName) {
        text += "  from the default policy\n";
    } else if (!run->parentCheckpoint.empty()) {
        text += fmt::format("  from the policy {}\n", printableLine(run->parentCheckpoint));
    }
    json["metrics"] = nlohmann::json::array();
    text += "Latest metrics:\n";
    for (const LatestMetric& metric : *metrics) {
        json["metrics"].push_back({{"name", metric.name},
                                   {"split", metric.split},
                                   {"step", metric.step},
                                   {"value", jsonFromNumber(metric.value)}});
        text += fmt::format("  {:<40}{:<10}{:>8}  {:.6g}\n", printableLine(metric.name),
                            printableLine(metric.split), metric.step, metric.value);
    }
    json["checkpoint_list"] = nlohmann::json::array();
    text += "Checkpoints:\n";
    if (const auto newest = newestCheckpoint(run->path); !newest) { // what is not listed may be there
        json["checkpoint_problem"] = newest.error().sentence();
        text += "  " + printableLine(newest.error().sentence()) + "\n";
    }
    for (const CheckpointRow& checkpoint : *checkpoints) {
        if (!checkpoint.present) {
            continue;
        }
        json["checkpoint_list"].push_back(
            {{"name", checkpoint.name}, {"step", checkpoint.step}, {"path", checkpoint.path.string()}});
        text += fmt::format("  {:<20}{}\n", printableLine(checkpoint.name),
                            printableLine(checkpoint.path.string()));
    }
    context.emit(json);
    if (!context.json) {
        context.print(text);
    }
    return Done;
}

} // namespace

Body add_runs(CLI::App& app, Context& context)
{
    CLI::App* command =
        app.add_subcommand("runs", "List the runs of a project, or show one with its checkpoints.");
    auto options = std::make_shared<RunsArguments>();
    takesNames(command->add_option("RUN", options->run,
                                   "Show this run, by name or folder: latest metrics and checkpoints."),
               "runs");
    command->add_option("--project", options->project,
                        "The project (default: the one that holds the current folder).");
    command->add_flag("--all", options->all, "List archived runs too.");
    command->add_option("--filter", options->filter,
                        "Only runs that match this filter, as in the window's list: \"correct_rate > 0.5 and "
                        "rl.lr < 1e-4\", \"status = done or tag = good\".");
    command
        ->add_option("--export", options->curves,
                     "Write the curves of the runs for another program: tensorboard (event files) or mlflow "
                     "(a file store, which MLflow 3.13 and later open only with "
                     "MLFLOW_ALLOW_FILE_STORE=true)")
        ->check(CLI::IsMember({"tensorboard", "mlflow"}));
    command->add_option("--out", options->out, "New folder for --export.");
    return [options, &context]() -> int {
        const auto format = curveFormatFromName(options->curves);
        if (!options->curves.empty() && !format) {
            return context.wrongUsage(format.error());
        }
        if (options->curves.empty() != options->out.empty()) {
            return context.wrongUsage({"--export and --out go together",
                                       {},
                                       0,
                                       "Write for example --export tensorboard --out curves"});
        }
        // A folder of a run says where its project is.
        std::error_code code;
        if (!options->run.empty() && glance(std::filesystem::path(options->run) / runFile).exists) {
            const auto folder = std::filesystem::canonical(options->run, code);
            if (options->project == ".")
                options->project = folder.string();
            options->run = folder.filename().string();
        }
        const auto project = Project::find(options->project);
        if (!project) {
            return context.error(project.error());
        }
        auto index = openIndex(context, *project, IndexDepth::Lists);
        if (!index) {
            return context.error(index.error());
        }
        const auto known = index->reader->runs();
        if (!index->fresh && known && known->empty()) {
            return context.error(index->fresh.error()); // there may be some
        }
        if (!index->fresh) {
            context.print("warning: runs are shown as they were when the index was last written: " +
                          index->fresh.error().sentence());
        }
        if (format) {
            auto runs = chosenRuns(*index->reader, options->filter, options->all || !options->run.empty());
            if (runs && !options->run.empty()) {
                const auto run = index->reader->runByName(options->run);
                runs = run ? Result<std::vector<RunSummary>>(std::vector<RunSummary>{*run})
                           : Result<std::vector<RunSummary>>(fail(run.error()));
            }
            return runs ? exportRuns(context, *runs, *format, options->out) : context.error(runs.error());
        }
        return options->run.empty() ? listRuns(context, *index->reader, *options)
                                    : showRun(context, *index->reader, options->run);
    };
}

} // namespace sparserl::cli

// SPDX-License-Identifier: Apache-2.0
#include "app/cli/matrix_words.h"
#include "app/cli/number_checks.h"
#include "app/cli/project_words.h"
#include "app/cli/signals.h"
#include "app/cli/usage.h"
#include "app/training/policy_options.h"
#include "app/training/stage_output.h"
#include "base/beneath.h"
#include "base/files.h"
#include "base/format.h"
#include "base/new_place.h"
#include "base/printable.h"
#include "base/secret.h"
#include "base/shell.h"
#include "project/files/leftovers.h"
#include "project/files/project.h"
#include "project/queries/queries.h"
#include "project/run/metrics.h"
#include "target/family_names.h"
#include "target/target_text.h"
#include "training/evaluated/evaluation_baselines.h"
#include "training/evaluated/evaluation_tables.h"
#include "training/parameters/matrix_names.h"
#include "training/parameters/parameter_keys.h"
#include "training/work/find_policy.h"
#include "training/work/run_targets.h"
#include "training/work/stage_setup.h"
#include "verdict/names.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

namespace sparserl::cli {

namespace {

struct EvaluateArguments
{
    std::string policy, endpoint;
    std::vector<std::string> matrices;
    double budget = 0;
    std::vector<std::int64_t> ks{1, 5, 10};
    bool wantsKs = false; ///< They were given.
    std::int64_t samples = 0;
    std::int64_t seed = 1;
    std::string run;
    std::vector<std::string> assignments;
    std::string device;
    std::vector<std::string> tables;
    std::vector<std::string> from;
};

/// Files, generator texts, or text files (.txt) that list them one a line.
Result<std::vector<std::string>> expandList(const std::vector<std::string>& arguments)
{
    std::vector<std::string> names;
    for (const auto& argument : matrixNames(arguments)) {
        if (argument.empty())
            continue;
        if (!argument.ends_with(".txt")) {
            names.push_back(argument);
            continue;
        }
        SPARSERL_TRY(const auto text, readFile(argument));
        std::string line;
        for (const char c : text + "\n") {
            if (c != '\n' && c != '\r') {
                line += c;
            } else if (auto entry = std::exchange(line, {}); !entry.empty() && entry[0] != '#') {
                const auto beside = std::filesystem::path(argument).parent_path() / entry;
                names.push_back(glance(beside).exists ? beside.string() : entry);
            }
        }
    }
    return names;
}

Result<StageTarget> loadMatrix(const Context& context, const NamedMatrix& source, ElementType type)
{
    StageTarget matrix;
    matrix.heldOut = true;
    ReadOptions reading = readingOf(context, source.word);
    reading.doubles = type != ElementType::F32;
    SPARSERL_TRY(auto csr, source.load(reading));
    matrix.target.id.name = source.name;
    matrix.target.matrix = std::make_shared<const Csr>(std::move(csr));
    matrix.target.id.contents = digest(*matrix.target.matrix);
    return matrix;
}

nlohmann::json passes(std::int64_t samples, std::int64_t correct, const std::vector<std::int64_t>& ks)
{
    nlohmann::json json = nlohmann::json::object();
    for (const auto k : ks) {
        if (k <= samples)
            json[std::to_string(k)] = passAtK(samples, correct, k);
    }
    return json;
}

nlohmann::json rowJson(const EvaluationEvent& row, const std::vector<std::int64_t>& ks)
{
    const double n = std::max<double>(1, static_cast<double>(row.samples));
    nlohmann::json line = {{"matrix", row.target.name},
                           {"digest", row.target.contents},
                           {"split", row.split},
                           {"nnz", row.nnz},
                           {"samples", row.samples},
                           {"compiled", row.compiled},
                           {"correct", row.correct},
                           {"compile_rate", static_cast<double>(row.compiled) / n},
                           {"correct_rate", static_cast<double>(row.correct) / n},
                           {"pass_at_k", passes(row.samples, row.correct, ks)},
                           {"faster", row.faster},
                           {"best_us", row.bestMicroseconds},
                           {"baseline_us", row.baselineMicroseconds},
                           {"speedup", row.bestSpeedup()},
                           {"references", row.references},
                           {"best_program", row.bestProgram},
                           {"families", row.families},
                           {"family_counts", row.familyCounts},
                           {"best_family", row.bestFamily},
                           {"mean_reward", row.meanReward}};
    line.update(variantJson(row.target));
    return line;
}

std::string rowText(const EvaluationEvent& row)
{
    const double n = std::max<double>(1, static_cast<double>(row.samples));
    const auto us = [](double t) { return t > 0 ? fmt::format("{:.2f}", t) : std::string("-"); };
    return formatLine(
        "{:<28} {:>9} {:>5} {:>7.0f} % {:>6.0f} % {:>9} {:>9} {:>8}  {}", labelOf(row.target), row.nnz,
        row.samples, 100 * static_cast<double>(row.compiled) / n, 100 * static_cast<double>(row.correct) / n,
        us(row.bestMicroseconds), us(row.baselineMicroseconds),
        row.bestSpeedup() > 0 ? fmt::format("{:.2f}x", row.bestSpeedup()) : "-", familiesText(row));
}

/// Some sentences about all matrices.
std::string totalsText(EvaluationResult& result)
{
    auto& m = result.metrics;
    const auto percent = [&](const std::string& name) { return fmt::format("{:.1f} %", 100 * m[name]); };
    std::string text =
        fmt::format("{}: compiled {}, correct {}",
                    formatCounted(static_cast<std::int64_t>(result.rows.size()), "matrix", "matrices"),
                    percent(metric::compileRate), percent(metric::correctRate));
    for (const auto k : result.ks) {
        if (const auto name = metric::passAt.part(fmt::format("@{}", k)); m.contains(name))
            text += fmt::format(", pass@{} {}", k, percent(name));
    }
    if (m.contains(metric::speedupGeomean))
        text += fmt::format(
            "\nspeed-up of correct programs: geometric mean {:.2f}, worst {:.2f}, median {:.2f}, "
            "90 % below {:.2f}, best {:.2f}; of each matrix's best {:.2f}",
            m[metric::speedupGeomean], m[metric::speedup.part("min")], m[metric::speedup.part("p50")],
            m[metric::speedup.part("p90")], m[metric::speedup.part("max")], m[metric::bestSpeedupGeomean]);
    for (const auto& name : referencesOf({&result, 1})) {
        if (const auto over = speedupFigures(result.rows, name))
            text += fmt::format(
                "\neach matrix's best over {}: geometric mean {:.2f}, worst {:.2f}, median {:.2f}, "
                "best {:.2f}; {:.1f} % of {} matrices faster",
                referenceLabel(name), over->geomean, over->worst, over->median, over->best,
                100 * over->faster, over->matrices);
    }
    std::map<std::string, std::string> families; // the table has only their ids
    for (const EvaluationEvent& row : result.rows)
        for (const auto& [id, count] : row.familyCounts)
            families.emplace(id, familyTitle(id));
    const char* between = "\nfamilies: ";
    for (const auto& [id, title] : families) {
        text += between + title;
        between = "; ";
    }
    if (m.contains(metric::distinctRate))
        text +=
            fmt::format("\nof the correct programs {} are different kernels, {} are not verbatim SFT texts",
                        percent(metric::distinctRate), percent(metric::novelRate));
    if (m.contains(metric::familyInformation))
        text += fmt::format("\nthe matrix decides {:.2f} nats of the family (95 %: {:.2f} to {:.2f})",
                            m[metric::familyInformation], m[metric::familyInformationInterval.part("low")],
                            m[metric::familyInformationInterval.part("high")]);
    if (m.contains(metric::programInformation))
        text +=
            fmt::format(" and {:.2f} nats of the program ({:.2f} to {:.2f}); a program ranks its own matrix "
                        "above {} of the others (chance 50 %)",
                        m[metric::programInformation], m[metric::programInformationInterval.part("low")],
                        m[metric::programInformationInterval.part("high")], percent(metric::ownRank));
    if (m.contains(metric::exchangeGain))
        text += fmt::format("\nexchanging matrices costs {:.3f} of the reward ({:.3f} to {:.3f})",
                            m[metric::exchangeGain], m[metric::exchangeGainInterval.part("low")],
                            m[metric::exchangeGainInterval.part("high")]);
    return text;
}

/// Results of evaluations that are done, side by side.
int compare(Context& context, const EvaluateArguments& options)
{
    std::vector<EvaluationResult> results, trainedOn;
    for (const auto& run : options.from) {
        auto ofRun = readEvaluationResults(run);
        if (!ofRun)
            return context.error(ofRun.error());
        for (EvaluationResult& result : *ofRun) {
            const std::string split = result.rows.front().split;
            context.emit({{"run", result.label},
                          {"split", split},
                          {"matrices", result.rows.size()},
                          {"metrics", result.metrics}});
            (split == split::train ? trainedOn : results).push_back(std::move(result));
        }
    }
    // Policies are compared with the first: with one on held-out matrices, where there is one.
    std::move(trainedOn.begin(), trainedOn.end(), std::back_inserter(results));
    if (!context.json)
        context.print(toMarkdown(policyTable(results)));
    for (const auto& table : options.tables) {
        if (const auto written = writeTables(results, table); !written)
            return context.error(written.error());
    }
    return Done;
}

/// The stage's parameters: what the options say, then what --set says.
Result<ParameterSet> parametersOf(const EvaluateArguments& options)
{
    ParameterSet parameters(stageParameters(StageKind::Evaluate));
    const auto largest = options.ks.empty() ? 1 : *std::max_element(options.ks.begin(), options.ks.end());
    std::vector<std::string> assignments{
        fmt::format("evaluate.samples={}",
                    options.samples > 0 ? options.samples : std::max<std::int64_t>(largest, 1)),
        fmt::format("evaluate.k={}", fmt::join(options.ks, ",")), fmt::format("seed={}", options.seed),
        // Statistics of speed cost judged programs for every new matrix and only shift the mean reward.
        "reward.stats_samples=0", "judge.in_turn=true", "judge.cold=true",
        // Those that the policy was trained on are evaluated as well, and told apart.
        "evaluate.split=all", fmt::format("evaluate.budget={}", options.budget)};
    if (!options.device.empty())
        assignments.push_back("judge.device=" + options.device);
    if (!options.endpoint.empty())
        assignments.push_back("evaluate.endpoint=" + options.endpoint);
    assignments.insert(assignments.end(), options.assignments.begin(), options.assignments.end());
    for (const auto& assignment : assignments) {
        SPARSERL_CHECK(parameters.setAssignment(assignment));
    }
    if (parameters[param::judge::seed] == 0) // For the judge, and for what is written of it.
        SPARSERL_CHECK(parameters.setAssignment(fmt::format("judge.seed={}", drawSecret())));
    return parameters;
}

/// Whether the project of a run has all these matrices, so that the run can be resumed.
bool isInProject(const RunDirectory& run, const std::set<std::string>& digests)
{
    const auto project = Project::find(run.path());
    return project && std::ranges::all_of(digests, [&](const std::string& digest) {
               return std::ranges::any_of(project->matrices(),
                                          [&](const MatrixEntry& entry) { return entry.digest == digest; });
           });
}

/// Of the matrices of one split.
void reportTotals(Context& context, const std::string& split, EvaluationResult& result)
{
    nlohmann::json totals{{"total", true}, {"split", split}, {"matrices", result.rows.size()}};
    nlohmann::json passes = nlohmann::json::object();
    for (const auto k : result.ks) {
        if (const auto found = result.metrics.find(metric::passAt.part(fmt::format("@{}", k)));
            found != result.metrics.end())
            passes[std::to_string(k)] = found->second;
    }
    totals["compile_rate"] = result.metrics[metric::compileRate];
    totals["correct_rate"] = result.metrics[metric::correctRate];
    totals["pass_at_k"] = passes;
    totals["metrics"] = result.metrics;
    for (const auto& name : referencesOf({&result, 1})) {
        if (const auto over = speedupFigures(result.rows, name))
            totals["over"][name] = {{"matrices", over->matrices}, {"faster", over->faster},
                                    {"geomean", over->geomean},   {"worst", over->worst},
                                    {"p25", over->lowerQuartile}, {"p50", over->median},
                                    {"p75", over->upperQuartile}, {"best", over->best}};
    }
    context.emit(totals);
    if (!context.json) {
        if (split == split::train)
            context.print("Matrices that the policy was trained on (this says nothing about others):");
        context.print(totalsText(result));
    }
}

int evaluate(Context& context, const EvaluateArguments& options)
{
    for (const auto& table : options.tables) {
        if (auto name = checkTableName(table); !name)
            return context.wrongUsage(name.error());
        if (auto free = checkNewFile(table); !free)
            return context.error(free.error());
    }
    const auto largest = std::max_element(options.ks.begin(), options.ks.end());
    if (options.wantsKs && options.samples > 0 && *largest > options.samples)
        return context.wrongUsage({fmt::format("-k {} needs -n of at least {}", *largest, *largest),
                                   {},
                                   0,
                                   "Sample more programs with -n, or give a smaller -k"});
    if (!options.from.empty())
        return compare(context, options);
    const bool nothing = (options.policy.empty() && options.endpoint.empty()) || options.matrices.empty();
    if (nothing && !options.run.empty() && glance(std::filesystem::path(options.run) / runFile).exists)
        return context.wrongUsage({"this evaluation has begun already", options.run, 0,
                                   shellCommand("sparserl train --run {}", {options.run}) + " resumes it"});
    if (nothing)
        return context.wrongUsage({"there is nothing to evaluate",
                                   {},
                                   0,
                                   "Give --matrix with --policy or --endpoint, or --from with runs of the "
                                   "stage evaluate"});
    const auto names = expandList(options.matrices);
    if (!names)
        return context.error(names.error());
    const auto parameters = parametersOf(options);
    if (!parameters)
        return context.wrongUsage(parameters.error());
    int status = Done;
    StageEnvironment environment;
    std::set<std::string> digests;
    const auto named = matricesOf(*names);
    if (!named)
        return context.error(named.error());
    const auto read = [&](const NamedMatrix& source) {
        context.progress(0, "reading " + source.word);
        return loadMatrix(context, source, elementTypeOf(*parameters));
    };
    const auto keep = [&](const NamedMatrix&, StageTarget&& matrix) {
        if (digests.insert(matrix.target.id.contents).second)
            environment.matrices.push_back(std::move(matrix));
        return true;
    };
    if (!readEach(context, *named, status, read, keep))
        return status;
    if (context.cancel.cancelled())
        return Interrupted;
    if (environment.matrices.empty())
        return status == Done
                   ? context.wrongUsage({"no matrices were given", {}, 0, "Name files after --matrix"})
                   : status;

    auto judge = makeStageJudge(*parameters);
    if (!judge)
        return context.error(judge.error());
    const std::string scratchName = "sparserl-evaluate";
    auto scratch = TempDir::create(scratchName);
    if (!scratch)
        return context.error(scratch.error());
    // One that was killed could not tidy up.
    removeScratchRuns(scratch->path().parent_path(), scratchName, std::chrono::minutes(1));
    const std::filesystem::path path =
        options.run.empty() ? scratch->path() / "run" : std::filesystem::path(options.run);
    // What a resume evaluates.
    const std::vector<std::string> chosen(digests.begin(), digests.end());
    ParameterSet complete = *parameters;
    if (const auto set = complete.set(param::evaluate::matrices.key, joinMatrixNames(chosen)); !set)
        return context.error(set.error());
    RunConfig config = stageRunConfig(StageKind::Evaluate, complete);
    if (!options.policy.empty()) { // One that is not there leaves no run.
        const auto policy = findPolicy(options.policy);
        if (!policy)
            return context.error(policy.error());
        config.parentCheckpoint = std::filesystem::absolute(*policy).string();
    }
    auto run = RunDirectory::create(path, std::move(config));
    if (!run)
        return context.error(run.error());

    std::map<std::string, EvaluationResult> results; // by split, as the totals are
    std::string baseline;
    std::int64_t rows = 0;
    const auto matrices = static_cast<std::int64_t>(environment.matrices.size());
    const std::string kept =
        options.run.empty() ? "; --run keeps an evaluation" : " and in " + printableLine(options.run);
    context.keeps(fmt::format("0 of {} evaluated", formatCounted(matrices, "matrix", "matrices")));
    if (!context.json)
        context.print(fmt::format("{:<28} {:>9} {:>5} {:>9} {:>8} {:>9} {:>9} {:>8}  {}", "matrix", "nnz",
                                  "n", "compiled", "correct", "best us", "base us", "speed-up", "families"));
    environment.judge = judge->get();
    environment.parent = options.policy;
    environment.cancel = context.cancel;
    if (!options.run.empty()) // any other run is removed at the end
        environment.onLock = [](const FileLock* lock) { noteLock(lock); };
    environment.progress = [&](double fraction, std::string_view phase) {
        context.progress(fraction, std::string(phase));
    };
    environment.onEvent = [&](std::int64_t, const Event& event) {
        if (const auto* verdict = std::get_if<VerdictEvent>(&event); verdict != nullptr && baseline.empty())
            baseline = verdict->record.baselineName;
        if (const auto* log = std::get_if<LogEvent>(&event); log != nullptr && log->level == "warning")
            context.note("warning: " + log->text);
        if (const auto* totals = std::get_if<MetricEvent>(&event);
            totals != nullptr && totals->split != systemSplit)
            results[totals->split].metrics = totals->values;
        if (const auto* row = std::get_if<EvaluationEvent>(&event)) {
            results[row->split].rows.push_back(*row);
            context.keeps(fmt::format("{} of {} are above{}", ++rows,
                                      formatCounted(matrices, "matrix", "matrices"), kept));
            context.emit(rowJson(*row, options.ks));
            if (!context.json)
                context.print(rowText(*row));
        }
    };
    const auto outcome = runStage(*run, environment);
    context.endProgress();
    if (!outcome)
        return context.failed(outcome.error());
    if (outcome->end != StageOutcome::End::Done) {
        if (!options.run.empty())
            context.keeps(fmt::format(
                "{} of {} evaluated; {} resumes it{}", rows, formatCounted(matrices, "matrix", "matrices"),
                shellCommand("sparserl train --run {}", {options.run}),
                isInProject(*run, digests)
                    ? ""
                    : " after an import of those matrices that its project does not have"));
        return Interrupted;
    }

    std::vector<EvaluationResult> told;
    for (auto& [split, result] : results) {
        if (result.rows.empty())
            continue;
        result.ks = options.ks;
        result.baseline = baseline;
        result.label = result.rows.front().policy + (split == split::train ? trainedOnMark : "");
        reportTotals(context, split, result);
        told.push_back(std::move(result));
    }
    for (const auto& table : options.tables) {
        if (const auto written = writeTables(told, table); !written)
            status = context.error(written.error());
    }
    return status;
}

} // namespace

Body add_evaluate(CLI::App& app, Context& context)
{
    auto options = std::make_shared<EvaluateArguments>();
    CLI::App* command = addTrainingCommand(app, "evaluate");
    auto* policy = addPolicy(*command, options->policy);
    auto* endpoint = command
                         ->add_option("--endpoint", options->endpoint,
                                      "Evaluate the model of this endpoint (`sparserl endpoint list`)")
                         ->excludes(policy);
    takesNames(command->add_option(
                   "MATRIX,--matrix,--matrices", options->matrices,
                   "Matrix files, packs, PACK#NAME, generators, or .txt files that list one per line; also "
                   "separated by commas."),
               "matrices");
    CLI::Option* ks = command->add_option("-k", options->ks, "Values of k in pass@k.");
    ks->delimiter(',')->check(CLI::Range(1, 100000));
    command->add_option("-n,--samples", options->samples, "Programs per matrix; default: the largest k.")
        ->check(CLI::Range(1, 100000));
    command
        ->add_option("--budget", options->budget,
                     "Time limit per matrix for sampling and judging, in seconds; 0: no limit.")
        ->check(nonNegativeNumber());
    command->add_option("--seed", options->seed, "Seed of the draws.");
    takesRun(command->add_option("--run", options->run, "Keep the evaluation as a run directory."),
             RunWord::New);
    command->add_option("--device", options->device, "Where programs are judged; default: the parameter's.")
        ->check(CLI::IsMember({"sim", "cuda", "auto"}));
    takesNames(
        command->add_option("--set", options->assignments, "KEY=VALUE: a parameter of the evaluate stage."),
        "parameters");
    takesRun(command->add_option(
                 "--from", options->from,
                 "Instead of evaluating: results of these runs of the evaluate stage, side by side."))
        ->excludes(policy)
        ->excludes(endpoint);
    command->add_option(
        "--table", options->tables,
        "Write the results to this new file: .csv (a line per matrix), .md or .tex (pass@k, compilation "
        "rate, "
        "GFLOPS, speed-ups over every known baseline; by size; differences with intervals; by matrix).");
    return [&context, options, ks] {
        options->wantsKs = ks->count() > 0;
        return evaluate(context, *options);
    };
}

} // namespace sparserl::cli

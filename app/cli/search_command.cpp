// SPDX-License-Identifier: Apache-2.0
// For each matrix a search for faster programs than those of the corpus (docs/search.md).
#include "app/cli/search_command.h"

#include "app/cli/bench_choice.h"
#include "app/cli/bench_winners.h"
#include "app/cli/columns_option.h"
#include "app/cli/device_choice.h"
#include "app/cli/family_words.h"
#include "app/cli/judge_seed.h"
#include "app/cli/matrix_words.h"
#include "app/cli/project_words.h"
#include "app/cli/require_sandbox.h"
#include "app/cli/search_report.h"
#include "app/cli/search_run.h"
#include "app/cli/usage.h"
#include "base/files.h"
#include "base/interruption.h"
#include "base/new_place.h"
#include "base/printable.h"
#include "base/secret.h"
#include "corpus/corpus.h"
#include "corpus/family_list.h"
#include "evaluation/judge/make_judge.h"
#include "machine/device_model.h"
#include "matrix/make_target.h"
#include "search/search_csv.h"
#include "search/shares.h"
#include "training/parameters/temperatures.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

namespace sparserl::cli {

namespace {

struct SearchArguments
{
    std::vector<std::string> matrices;
    std::string task = "spmv", type = "f32", device = "auto", model = "h200", gpus = "0";
    std::string csv, out, bundles, families, shares, run, project, policy, endpoint, temperatures;
    std::int64_t columns = 8;
    double seconds = 60;
    std::size_t candidates = 0, generation = 0, bench = 32;
    std::uint64_t seed = 0, judgeSeed = 0;
    int runners = 0, samples = 15, rounds = 0;
    SandboxLevel requiredSandbox = SandboxLevel::None;
};

JudgeOptions judging(const Context& context, const SearchArguments& arguments)
{
    JudgeOptions options;
    options.runnerPath = siblingProgram(context, "sparserl-runner");
    options.deviceModel = arguments.model;
    options.simRunners = arguments.runners;
    options.secretSeed = secretOf(arguments.judgeSeed);
    options.requiredSandbox = arguments.requiredSandbox;
    // A judge is made for each ranking: what it says of the machine is said once.
    options.log = [&context, said = std::make_shared<std::set<std::string>>()](std::string_view sentence) {
        if (context.quiet || !said->insert(std::string(sentence)).second)
            return;
        context.endProgress();
        context.note(sentence);
    };
    return options;
}

class SearchCommand
{
public:
    SearchCommand(const Context& context, const SearchArguments& arguments, const LoadPolicy& load)
        : m_context(context)
        , m_arguments(arguments)
        , m_load(load)
        , m_winners(arguments.out, arguments.bundles)
    {
    }
    int run();

private:
    int search(const ListedMatrix& listed, std::size_t index);
    Result<SearchedMatrix> searched(const ListedMatrix& listed, Csr&& csr);
    SearchOptions options(const std::string& name);

    const Context& m_context;
    const SearchArguments& m_arguments;
    const LoadPolicy& m_load;
    AddPolicySources m_addPolicy; ///< Empty: the search has no policy.
    TargetVariant m_variant;
    DeviceModel m_model;
    std::map<std::string, double> m_shares;
    std::vector<std::string> m_families;
    std::unique_ptr<Judge> m_judge;
    MakeJudge m_fresh; ///< For figures that count.
    BenchWinners m_winners;
    std::vector<SearchedMatrix> m_done;
    std::optional<Error> m_unwritten;
    std::uint64_t m_seed = 0;
    bool m_gpu = false;
};

SearchOptions SearchCommand::options(const std::string& name)
{
    SearchOptions options;
    options.seconds = m_arguments.seconds;
    options.candidates = m_arguments.candidates;
    options.generation = m_arguments.generation > 0 ? m_arguments.generation : m_gpu ? 96 : 24;
    options.benchPrograms = m_arguments.bench;
    options.families = m_families;
    options.seed = m_seed;
    options.model = m_model;
    if (!m_shares.empty())
        options.firstShares = m_shares;
    options.cancel = m_context.cancel;
    options.progress = [this](double fraction, const std::string& phase) {
        m_context.progress(fraction, phase);
    };
    options.warned = [this](const std::string& sentence) {
        m_context.endProgress();
        m_context.note("warning: " + sentence + ". Raise --candidates or lower --bench-programs");
    };
    options.judged = [this, name, best = 0.0](const SearchedProgram& program, const VerdictRecord&) mutable {
        if (program.correct() && (best == 0 || program.microseconds < best))
            best = program.microseconds;
        if (m_arguments.csv.empty() || m_unwritten)
            return;
        if (auto ok = appendFile(m_arguments.csv, searchCsvLine(name, program, best)); !ok)
            m_unwritten = ok.error();
    };
    return options;
}

Result<SearchedMatrix> SearchCommand::searched(const ListedMatrix& listed, Csr&& csr)
{
    const auto matrix = std::make_shared<const Csr>(std::move(csr));
    const Target target = makeTarget(listed.name, matrix, m_variant);
    SearchedMatrix done;
    done.name = listed.name;
    done.nnz = matrix->nnz();
    const MatrixFeatures features = computeFeatures(*matrix, m_variant.columns);
    auto proposers = makeProposers(features, m_variant, m_model, m_families);
    if (m_addPolicy)
        m_addPolicy(proposers, target);
    SPARSERL_TRY(done.search,
                 searchTarget(*m_judge, target, features, std::move(proposers), options(listed.name)));
    if (m_unwritten)
        return fail(*m_unwritten);
    if (done.search.interrupted)
        return done;
    RankingOptions ranking;
    if (m_gpu) { // A clock is noisy: the fastest of thousands may have been lucky.
        ranking.finalists = 12;
        ranking.benchFinalists = 5;
    }
    ranking.rankingRounds = m_gpu ? 2 : 1; // A model gives one time.
    ranking.confirmingRounds = m_arguments.rounds > 0 ? m_arguments.rounds : m_gpu ? 3 : 1;
    ranking.seed = m_seed + 1;
    ranking.cancel = m_context.cancel;
    ranking.progress = [&](const std::string& phase) { m_context.progress(1, listed.name + ": " + phase); };
    auto ranked = rankSearch(done.search.archive, target, m_fresh, ranking);
    if (ranked)
        done.ranking = std::move(*ranked);
    else if (isInterruption(ranked.error()))
        done.search.interrupted = true; // What was found stays, as after an interruption of the search.
    else
        return fail(ranked.error());
    return done;
}

int SearchCommand::search(const ListedMatrix& listed, std::size_t index)
{
    ReadOptions reading = readingOf(m_context, listed.name);
    reading.doubles = m_variant.type != ElementType::F32;
    auto csr = listed.load(reading);
    m_context.endProgress();
    if (!csr)
        return m_context.failed(csr.error());
    if (csr->nnz() == 0)
        return m_context.error({"the matrix is empty: there is nothing to search", listed.name, 0, {}});
    auto done = searched(listed, std::move(*csr));
    m_context.endProgress();
    if (!done)
        return m_context.failed(done.error());
    if (const SearchedProgram* record = done->record()) {
        auto file =
            m_winners.keep(listed.name, identifyFamily(record->text).value_or("other"), record->text, index);
        if (!file)
            return m_context.error(file.error());
        done->file = std::move(*file);
    }
    showSearch(m_context, *done);
    const bool written = !m_arguments.out.empty() && done->record() != nullptr;
    m_context.keeps(fmt::format("what was found until then is above{}{}", written ? " and in " : "",
                                written ? printableLine(m_arguments.out) : std::string()));
    const bool found = done->record() != nullptr;
    const bool interrupted = done->search.interrupted;
    m_done.push_back(std::move(*done));
    return interrupted ? Interrupted : found ? Done : Failed;
}

int SearchCommand::run()
{
    const auto task = taskFromName(m_arguments.task);
    m_variant = TargetVariant::of(*task, m_arguments.columns,
                                  elementTypeFromName(m_arguments.type).value_or(ElementType::F32));
    const bool asksEndpoint = !m_arguments.endpoint.empty();
    const std::string& policy = asksEndpoint ? m_arguments.endpoint : m_arguments.policy;
    auto shares = parseShares(m_arguments.shares, !policy.empty());
    if (!shares)
        return m_context.wrongUsage(shares.error());
    auto families = parseFamilies(m_arguments.families, {*task});
    if (!families)
        return m_context.wrongUsage(families.error());
    const auto temperatures = parseTemperatures("--temperatures", m_arguments.temperatures);
    if (!temperatures)
        return m_context.wrongUsage(temperatures.error());
    m_shares = std::move(*shares);
    m_families = std::move(*families);
    const auto gpus = gpuNumbers(m_arguments.gpus);
    if (!gpus)
        return m_context.wrongUsage(gpus.error());
    auto free = checkNewFiles({m_arguments.csv});
    if (free)
        free = checkNewFolders({m_arguments.out, m_arguments.bundles});
    if (!free)
        return m_context.error(free.error());
    auto model = loadDeviceModel(m_arguments.model);
    if (!model)
        return m_context.error(model.error());
    m_model = std::move(*model);
    m_seed = m_arguments.seed > 0 ? m_arguments.seed : drawSecret();
    m_gpu = wantsGpu(m_arguments.device);
    if (!policy.empty()) {
        auto loaded = m_load(m_context, {policy, asksEndpoint, *temperatures, m_seed, m_shares});
        if (!loaded)
            return m_context.error(loaded.error());
        m_addPolicy = std::move(*loaded);
    }

    int status = Done;
    auto listed = listMatricesHere(m_arguments.matrices);
    if (!listed)
        return m_context.error(listed.error());
    std::vector<ListedMatrix> matrices = std::move(*listed);
    if (matrices.empty())
        return status;
    JudgeOptions quick = judging(m_context, m_arguments), full = quick;
    quick.gpus = full.gpus = *gpus;
    quick.everyKind = false; // As in training: what is fast is judged by all rules in the end.
    quick.gpuCold = false;
    quick.gpuSamples = m_arguments.samples;
    full.gpuInTurn = true;
    m_fresh = [full, device = m_arguments.device] { return makeJudge(device, full); };
    auto judge = makeJudge(m_arguments.device, quick);
    if (!judge)
        return m_context.error(judge.error());
    m_judge = std::move(*judge);
    if (!m_arguments.csv.empty()) {
        if (auto ok = writeFileAtomic(m_arguments.csv, searchCsvHeader()); !ok)
            return m_context.error(ok.error());
    }
    for (std::size_t i = 0; i < matrices.size(); ++i) {
        // One bad file does not stop the others; the user's wish does.
        if (const int one = search(matrices[i], i); one != Done)
            status = one;
        if (m_context.cancel.cancelled())
            return Interrupted;
    }
    showSearchSummary(m_context, m_done);
    const std::string place = m_arguments.out.empty() ? "" : " and in " + printableLine(m_arguments.out);
    const int exported =
        m_winners.exportAll(m_context, matrices, m_variant, "what was found is above" + place);
    return status != Done ? status : exported;
}

/// The same as a run of a project, which can be left and gone on with.
int keep(const Context& context, const SearchArguments& arguments)
{
    const bool asks = !arguments.policy.empty() || !arguments.endpoint.empty();
    const auto shares = parseShares(arguments.shares, asks);
    if (!shares)
        return context.wrongUsage(shares.error());
    if (const auto families =
            parseFamilies(arguments.families, {taskFromName(arguments.task).value_or(Task::SpMV)});
        !families)
        return context.wrongUsage(families.error());
    SearchRun search{arguments.run, arguments.project, arguments.policy, arguments.matrices, {}};
    const std::uint64_t seed = arguments.seed > 0 ? arguments.seed : drawSecret();
    const auto set = [&search](std::string_view key, const auto& value) {
        search.assignments.push_back(fmt::format("{}={}", key, value));
    };
    set("seed", seed);
    set("judge.seed", arguments.judgeSeed);
    set("judge.device", arguments.device);
    set("judge.gpus", arguments.gpus);
    set("judge.model", arguments.model);
    set("judge.sandbox", nameOf(arguments.requiredSandbox));
    set("task", arguments.task);
    set("dense_columns", arguments.columns);
    set("element_type", arguments.type);
    set("search.seconds", arguments.seconds);
    set("search.candidates", arguments.candidates);
    set("search.generation", arguments.generation);
    set("search.bench_programs", arguments.bench);
    if (!arguments.families.empty())
        set("search.families", arguments.families);
    if (!arguments.shares.empty())
        set("search.shares", arguments.shares);
    if (!arguments.temperatures.empty())
        set("search.temperatures", arguments.temperatures);
    if (!arguments.endpoint.empty())
        set("search.endpoint", arguments.endpoint);
    set("search.samples", arguments.samples);
    set("search.rounds", arguments.rounds);
    return keepSearch(context, search);
}

} // namespace

Body addSearch(CLI::App& app, Context& context, LoadPolicy load)
{
    auto arguments = std::make_shared<SearchArguments>();
    CLI::App* command = app.add_subcommand(
        "search", "Search for programs that are faster than those of the corpus, for each matrix.");
    takesNames(command->add_option("MATRIX,--matrix", arguments->matrices, matrixHelp), "matrices");
    command
        ->add_option("--seconds", arguments->seconds,
                     "Seconds for each matrix, not counting the final ranking")
        ->check(CLI::Range(1.0, 1e6))
        ->capture_default_str();
    command
        ->add_option("--candidates", arguments->candidates,
                     "Programs to judge for each matrix in place of --seconds; 0: as time allows")
        ->capture_default_str();
    command->add_option("--task", arguments->task, "What the programs compute")
        ->check(CLI::IsMember({"spmv", "spmm"}))
        ->capture_default_str();
    command->add_option("--type", arguments->type, "Element type")
        ->check(CLI::IsMember({"f32", "f64"}))
        ->capture_default_str();
    const CLI::Option* columns = addColumns(*command, arguments->columns);
    addDevice(*command, arguments->device);
    addModel(*command, arguments->model);
    command->add_option("--gpus", arguments->gpus, "Indices of GPUs, separated by commas (0 is the first)")
        ->capture_default_str();
    auto* run = takesRun(command->add_option("--run", arguments->run,
                                             "Keep the search as this run; an existing run is continued"),
                         RunWord::New);
    auto* project = command->add_option("--project", arguments->project,
                                        "Keep the search as the next run of this project");
    for (CLI::Option* one :
         {command->add_option("--out", arguments->out, "New folder for the record of each matrix"),
          command->add_option("--export", arguments->bundles,
                              "Folder for a bundle of each record (see `sparserl export`)"),
          command->add_option("--csv", arguments->csv,
                              "Write a line for every judged program to this new file")})
        one->excludes(run)->excludes(project);
    auto* policy =
        takesNames(command->add_option("--policy", arguments->policy,
                                       "Also take proposals from this policy: a checkpoint, a run directory, "
                                       "\"default\" or, with --project or --run, the name of a run"),
                   "policies");
    command
        ->add_option("--endpoint", arguments->endpoint,
                     "Also take proposals from the model of this endpoint (`sparserl endpoint list`)")
        ->excludes(policy);
    command->add_option(
        "--temperatures", arguments->temperatures,
        "Sampling temperatures of the policy, used in turn, such as 0.5,0.8; default: the policy's own");
    takesFamilies(command->add_option("--families,--family", arguments->families,
                                      "Family ids such as S1,S6: only their programs are tried first and "
                                      "enumerated; edits may turn them into others"));
    command->add_option(
        "--share", arguments->shares,
        "Initial shares of the sources, for example grid=0.3,edits=0.7; they adapt during the "
        "search");
    command
        ->add_option("--bench-programs", arguments->bench,
                     "Number of bench's programs to try first; the gain is measured against the best of "
                     "them")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command
        ->add_option("--generation", arguments->generation,
                     "Programs proposed per generation; 0: 24, or 96 on a GPU")
        ->check(CLI::Range(0, 10000))
        ->capture_default_str();
    command->add_option("--samples", arguments->samples, "On a GPU: samples of each time during the search")
        ->check(CLI::Range(3, 1000))
        ->capture_default_str();
    command
        ->add_option("--rounds", arguments->rounds,
                     "Confirming rounds between the record and bench's best program; 0: 1, or 3 on a GPU")
        ->check(CLI::Range(0, 100))
        ->capture_default_str();
    command->add_option("--seed", arguments->seed, "Seed of proposals and inputs; 0: an unpredictable one")
        ->capture_default_str();
    addJudgeSeed(*command, arguments->judgeSeed);
    addRequireSandbox(*command, arguments->requiredSandbox);
    command->add_option("--runners", arguments->runners, "Simulator processes; 0: one per core")
        ->check(CLI::Range(0, 1024))
        ->capture_default_str();
    return [arguments, columns, &context, load = std::move(load)] {
        noteUnusedColumns(context, columns->count() > 0, arguments->task == "spmm");
        if (!arguments->run.empty() || !arguments->project.empty())
            return keep(context, *arguments);
        if (arguments->matrices.empty())
            return nothingToSearch(context);
        const bool asks = !arguments->policy.empty() || !arguments->endpoint.empty();
        if (!asks && !arguments->temperatures.empty())
            return context.wrongUsage(
                {"--temperatures needs a policy", {}, 0, "Give --policy or --endpoint"});
        if (asks && !load)
            return context.goOnInTraining();
        return SearchCommand(context, *arguments, load).run();
    };
}

} // namespace sparserl::cli

// SPDX-License-Identifier: Apache-2.0
#include "training/work/specialise.h"
#include "app/cli/commands.h"
#include "app/cli/matrix_words.h"
#include "app/cli/number_checks.h"
#include "app/cli/project_words.h"
#include "app/cli/signals.h"
#include "app/cli/usage.h"
#include "app/training/policy_options.h"
#include "base/beneath.h"
#include "base/files.h"
#include "base/interruption.h"
#include "base/new_folders.h"
#include "base/time.h"
#include "export/run_export.h"
#include "matrix/write.h"
#include "project/files/project.h"
#include "project/files/run_files.h"
#include "project/files/verifications.h"
#include "project/run/default_policy.h"
#include "remote/sent_policy.h"
#include "target/family_names.h"
#include "target/target_text.h"
#include "training/parameters/stage_parameters.h"
#include "training/stages/job_runner.h"
#include "training/work/policy_task.h"
#include "training/work/run_stage.h"
#include "training/work/run_targets.h"
#include "training/work/stage_setup.h"
#include "verdict/names.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>

namespace sparserl::cli {

namespace {

/// In JSON, a line with how far it is comes so often at most.
constexpr double progressSeconds = 0.5;

struct SpecialiseArguments
{
    std::string policy, out;
    std::string type; ///< Empty: that of the policy.
    std::vector<std::string> matrices;
    SpecialiseOptions training;
    std::size_t top = 3;
    bool bundles = false;
};

/// "cage8" for ".../cage8.mtx.gz", in letters that every file system takes.
std::string fileName(const std::string& matrix)
{
    std::string name = std::filesystem::path(matrix).filename().string();
    for (char& c : name) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '.')
            c = '_';
    }
    return name.empty() || name.front() == '.' ? "matrix" + name : name;
}

/// Adds a matrix unless the project has it.
Status addMatrix(const Context& context, Project& project, const NamedMatrix& named)
{
    auto reading = readingOf(context, named.word);
    reading.doubles = true; // A project keeps what was imported.
    const AddMatrixOptions adding = addingOf(reading);
    if (named.isGenerated) {
        const auto& known = project.matrices();
        if (std::any_of(known.begin(), known.end(), [&](const auto& m) { return m.generator == named.word; }))
            return {};
        SPARSERL_TRY(const auto entry, project.addGenerated(named.word, adding));
        return {};
    }
    SPARSERL_TRY(const auto matrix, named.load(reading));
    if (project.matrixByDigest(digest(matrix)) != nullptr)
        return {};
    if (named.isFile) {
        SPARSERL_TRY(const auto entry, project.addMatrix(named.word, adding));
        return {};
    }
    SPARSERL_TRY(const auto scratch, TempDir::create("sparserl-specialise"));
    const auto file = scratch.path() / (fileName(named.name) + ".mtx");
    SPARSERL_CHECK(writeMatrixMarket(file, matrix));
    SPARSERL_TRY(const auto entry, project.addMatrix(file, adding));
    return {};
}

/// The stages train on all that the folder's project has, so it must hold the selected matrices and no
/// others.
Status checkSelected(const Context& context, Project& project, const std::vector<NamedMatrix>& named)
{
    std::set<std::string> asked;
    for (const NamedMatrix& matrix : named) {
        SPARSERL_TRY(const auto csr, matrix.load(readingOf(context, matrix.word)));
        asked.insert(digest(csr));
    }
    const std::string place = project.path().string();
    std::set<std::string> known;
    for (const MatrixEntry& entry : std::vector<MatrixEntry>(project.matrices())) { // load() changes them
        SPARSERL_TRY(const auto loaded, project.load(entry, context.cancel));
        known.insert(loaded.digest);
        if (!asked.contains(loaded.digest))
            return failAt(
                place, 0,
                fmt::format("this project also holds the matrix \"{}\", which is not among those that "
                            "--matrix names and would be trained on",
                            entry.name),
                "Give a folder of its own with --out, or name that matrix as well");
        if (entry.split != split::train)
            return failAt(
                place, 0,
                fmt::format("the matrix \"{}\" is held out in this project and would not be trained on",
                            entry.name),
                "Give a folder of its own with --out, or change its split");
    }
    if (known != asked && glance(project.runsPath() / "rl" / runFile).exists)
        return failAt(place, 0,
                      "this folder's specialisation was started with fewer matrices than --matrix names",
                      "Give another folder with --out, or name the same matrices");
    return {};
}

/// Opens or makes the project of the selected matrices; those that it has already stay as they are.
Result<Project> prepareProject(const Context& context, const SpecialiseArguments& options)
{
    SPARSERL_TRY(const auto named, matricesOf(options.matrices)); // a mistyped one leaves no folder behind
    if (named.empty())
        return fail("no matrix is selected", "Name matrices with --matrix");
    const bool exists = glance(std::filesystem::path(options.out) / "project.toml").exists;
    const bool isNew = !glance(options.out).exists;
    NewFolders folders;
    SPARSERL_CHECK(folders.make(options.out));
    SPARSERL_TRY(auto project,
                 exists ? Project::open(options.out) : Project::create(options.out, "Specialisation"));
    if (exists) {
        SPARSERL_CHECK(checkSelected(context, project, named));
    }
    for (const auto& matrix : named) {
        auto added = addMatrix(context, project, matrix);
        if (added)
            continue;
        std::error_code ignored;
        if (isNew && !isInterruption(added.error()))
            removeTree(project.path(), ignored); // a matrix that cannot be read leaves no folder either
        return fail(std::move(added).error());
    }
    context.endProgress();
    return project;
}

/// A folder goes on with the policy that it began with.
Status checkParent(const Project& project, const std::string& policy)
{
    const auto path = project.runsPath() / "rl";
    if (!glance(path / runFile).exists)
        return {};
    SPARSERL_TRY(const auto run, RunDirectory::open(path));
    if (keptPolicy(run.config().parentCheckpoint) != keptPolicy(policy))
        return failAt(path.string(), 0,
                      "this folder holds a specialisation of the policy " + run.config().parentCheckpoint,
                      "Give another folder with --out");
    return {};
}

nlohmann::json toJson(const VerifiedProgram& program, std::size_t rank, const std::string& file)
{
    const auto& record = program.record;
    const auto calls = callsToBreakEven(record);
    nlohmann::json line = {{"matrix", record.target.name},
                           {"digest", record.target.contents},
                           {"rank", rank},
                           {"program", record.programHash},
                           {"family", program.found.family},
                           {"verdict", nameOf(record.verdict)},
                           {"warm_us", record.warm ? nlohmann::json(record.warm->median) : nlohmann::json()},
                           {"baseline", record.baselineName},
                           {"baseline_us", record.baselineMicroseconds},
                           {"speedup", record.speedup()},
                           {"setup_us", record.setupMicroseconds},
                           {"break_even_calls", calls ? nlohmann::json(*calls) : nlohmann::json()},
                           {"device", record.device},
                           {"file", file}};
    line.update(variantJson(record.target));
    return line;
}

std::string toText(const VerifiedProgram& program, std::size_t rank, const std::string& file)
{
    const auto& record = program.record;
    if (!record.correct())
        return fmt::format("  {}. {}: {} when judged again: {}", rank, record.programHash.substr(0, 12),
                           nameOf(record.verdict), record.message);
    const auto calls = callsToBreakEven(record);
    const std::string pays = !calls        ? "not faster than that"
                             : *calls == 0 ? "needs no set-up"
                                           : fmt::format("pays for its set-up after {:.0f} calls", *calls);
    return fmt::format("  {}. {} {:>9.2f} us, {:.2f} times as fast as the {} ({:.2f} us), {}: {}", rank,
                       familyTitle(program.found.family), record.warm ? record.warm->median : 0,
                       record.speedup(), record.baselineName, record.baselineMicroseconds, pays, file);
}

/// The ranked kernels of one target: verified, told, written into the folder, exported.
Status finishTarget(const Context& context, const SpecialiseArguments& options, const Project& project,
                    Judge& judge, const StageTarget& matrix, const std::vector<FoundProgram>& programs)
{
    const TargetId& id = matrix.target.id;
    // Other inputs than those of training.
    const auto seed = static_cast<std::uint64_t>(options.training.seed) + 0x5bec1a115eULL;
    const auto verified = verifyPrograms(
        judge, matrix, programs, seed, context.cancel,
        [&](double fraction, std::string_view phase) { context.progress(fraction, std::string(phase)); });
    context.endProgress();
    if (!verified)
        return fail(verified.error());
    context.print(fmt::format("{}:", labelOf(id)));
    if (verified->empty())
        context.print("  No program was correct: raise --iterations, or start from a better policy.");
    std::size_t rank = 0;
    for (const auto& program : *verified) {
        ++rank;
        const auto file =
            project.path() / "kernels" / fmt::format("{}{}-{}.cu", fileName(id.name), fileSuffixOf(id), rank);
        const bool correct = program.record.correct();
        if (correct) {
            SPARSERL_CHECK(writeFileAtomic(file, program.found.text));
        }
        SPARSERL_TRY(
            const auto id,
            addVerification(project.path(),
                            {{}, 0, std::string(nameOf(program.found.record.verdict)), program.record}));
        const std::string shown = correct ? file.string() : std::string();
        context.emit(toJson(program, rank, shown));
        if (!context.json)
            context.print(toText(program, rank, shown));
    }
    if (!options.bundles || verified->empty() || !verified->front().record.correct())
        return {};
    ExportRequest request;
    request.run = verified->front().found.run;
    request.program = verified->front().record.programHash;
    request.matrix = id.contents;
    request.columns = id.variant.columns;
    request.runner = siblingProgram(context, "sparserl-runner");
    SPARSERL_TRY(const auto bundle, exportFromRun(request));
    nlohmann::json line{{"matrix", id.name}, {"exported", bundle.directory.string()}};
    line.update(variantJson(id));
    context.emit(line);
    if (!context.json)
        context.print("  Exported to " + bundle.directory.string());
    return {};
}

int interrupted(const Context& context)
{
    context.print("Interrupted. The same command resumes it.");
    return Interrupted;
}

/// What ends the command: an interruption, or an error, also one that a signal came with.
int ended(const Context& context, const Error& error)
{
    context.endProgress();
    return isInterruption(error) ? interrupted(context) : context.error(error);
}

int finish(const Context& context, const SpecialiseArguments& options, Project& project)
{
    const auto found =
        fastestPrograms({project.runsPath() / "rl", project.runsPath() / "kernels"}, options.top);
    if (!found)
        return context.error(found.error());
    const auto run = RunDirectory::open(project.runsPath() / "kernels");
    if (!run)
        return context.error(run.error());
    auto stage = stageOf(*run);
    // Figures that count: each program in turn with the baseline.
    const auto inTurn = stage ? stage->parameters.setAssignment("judge.in_turn=true") : Status();
    if (!stage || !inTurn)
        return context.error(stage ? inTurn.error() : stage.error());
    auto judge = makeStageJudge(stage->parameters);
    if (!judge)
        return context.error(judge.error());
    auto matrices =
        loadStageTargets(project, context.cancel, {}, elementTypeOf(stage->parameters) != ElementType::F32);
    if (!matrices)
        return ended(context, matrices.error());
    const auto variants = targetsOfRun(stage->parameters, *matrices);
    if (!variants)
        return context.error(variants.error());
    const std::vector<StageTarget>& targets = *variants;
    std::size_t without = 0;
    for (const auto& matrix : targets) {
        const auto programs = found->find(matrix.target.id.key());
        without += programs == found->end();
        const auto status =
            finishTarget(context, options, project, **judge, matrix,
                         programs == found->end() ? std::vector<FoundProgram>() : programs->second);
        if (!status)
            return ended(context, status.error());
        if (context.cancel.cancelled())
            return interrupted(context);
    }
    if (without < targets.size())
        return Done;
    return context.error(Error{"no program was correct for any of the matrices", project.path().string(), 0,
                               "Raise --iterations, or start from a better policy"});
}

int specialise(Context& context, const SpecialiseArguments& given)
{
    SpecialiseArguments options = given;
    const auto policy = findPolicy(options.policy);
    if (!policy)
        return context.error(policy.error());
    options.training.type = elementTypeFromName(options.type).value_or(elementTypeOfPolicy(*policy));
    options.training.policy = *policy == defaultPolicyFolder()
                                  ? *policy
                                  : std::filesystem::absolute(options.policy).lexically_normal();
    static_cast<void>(recordNamedPolicy(options.training.policy)); // for runs that go on from it elsewhere
    // A mistyped value must not leave a folder behind.
    if (const auto job = specialiseJob(options.training); !job)
        return findPreset(options.training.preset) ? context.wrongUsage(job.error())
                                                   : context.error(job.error());
    auto project = prepareProject(context, options);
    if (!project)
        return ended(context, project.error());
    if (context.cancel.cancelled())
        return interrupted(context);
    if (const auto status = checkParent(*project, options.training.policy.string()); !status)
        return context.error(status.error());
    options.training.matrices = static_cast<std::int64_t>(project->matrices().size());
    const auto job = specialiseJob(options.training);
    if (!job)
        return context.error(job.error());

    JobEnvironment environment;
    environment.cancel = context.cancel;
    environment.progress = [&context, said = 0.0](double fraction, std::string_view phase) mutable {
        context.progress(fraction, std::string(phase));
        if (context.json && monotonicSeconds() - said > progressSeconds) {
            said = monotonicSeconds();
            context.emit({{"progress", fraction}, {"phase", phase}});
        }
    };
    environment.onSaving = [](bool saving) { noteSaving(saving); };
    environment.onLock = [](const FileLock* lock) { noteLock(lock); };
    environment.onStage = [&](std::size_t index, JobEnvironment::Begin begin) {
        context.print(fmt::format("{}{}", job->stages[index].title,
                                  begin == JobEnvironment::Begin::Skip ? ": done already"
                                  : begin == JobEnvironment::Begin::Resume
                                      ? ": resumes from its last checkpoint"
                                      : ""));
    };
    environment.onOtherParameters = [&context](std::size_t, const std::string& sentence) {
        context.note("warning: " + sentence);
    };
    environment.onEntry = [&context](const std::string& run, const JournalEntry& entry) {
        if (const auto* log = std::get_if<LogEvent>(&entry.event); log && log->level != "info")
            context.note(fmt::format("{}: {}: {}", run, log->level, log->text));
    };
    const auto end = runJob(*project, *job, environment);
    context.endProgress();
    if (!end)
        return ended(context, end.error());
    if (*end != StageOutcome::End::Done)
        return interrupted(context);
    return finish(context, options, *project);
}

} // namespace

Body add_specialise(CLI::App& app, Context& context)
{
    auto options = std::make_shared<SpecialiseArguments>();
    CLI::App* command = addTrainingCommand(app, "specialise");
    addPolicy(*command, options->policy)->required();
    takesNames(command->add_option("MATRIX,--matrix", options->matrices, matrixHelp), "matrices")->required();
    command
        ->add_option("--out", options->out,
                     "Project folder for runs and kernels; an unfinished one is resumed")
        ->required();
    command
        ->add_option("--columns", options->training.columns,
                     "Learn C = A B with this many dense columns instead of y = A x")
        ->check(CLI::Range(2, 1024));
    command->add_option("--type", options->type, "Element type of the programs (default: the policy's)")
        ->check(CLI::IsMember({"f32", "f64"}));
    suggests(command->add_option("--preset", options->training.preset, "Recipe of the rl stage"), [] {
        return presetNames(StageKind::Rl);
    })->capture_default_str();
    command->add_option("--iterations", options->training.iterations, "Iterations of reinforcement learning")
        ->check(CLI::Range(1, 1000000))
        ->capture_default_str();
    command
        ->add_option("--samples", options->training.samples,
                     "Programs per matrix, in each iteration and at the end")
        ->check(CLI::Range(2, 65536))
        ->capture_default_str();
    command->add_option("--top", options->top, "Kernels to verify and rank per matrix")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command->add_option("--device", options->training.device, "Where programs run")
        ->check(CLI::IsMember({"sim", "cuda", "auto"}))
        ->capture_default_str();
    command->add_option("--seed", options->training.seed, "Seed from which everything random derives")
        ->check(nonNegativeNumber())
        ->capture_default_str();
    takesNames(command->add_option("--set", options->training.assignments,
                                   "KEY=VALUE for the stages that have the parameter"),
               "parameters");
    command->add_flag("--export", options->bundles, "Also export the best kernel of each matrix");
    return [&context, options] {
        context.savesOnSignal = true;
        return specialise(context, *options);
    };
}

} // namespace sparserl::cli

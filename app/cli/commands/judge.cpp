// SPDX-License-Identifier: Apache-2.0
#include "app/cli/columns_option.h"
#include "app/cli/commands.h"
#include "app/cli/device_choice.h"
#include "app/cli/judge_seed.h"
#include "app/cli/matrix_words.h"
#include "app/cli/require_sandbox.h"
#include "app/cli/usage.h"
#include "base/beneath.h"
#include "base/files.h"
#include "base/format.h"
#include "base/printable.h"
#include "corpus/corpus.h"
#include "evaluation/cases/operator_target.h"
#include "evaluation/judge/make_judge.h"
#include "kernel/plan.h"
#include "matrix/file_names.h"
#include "matrix/matrix_list.h"
#include "operator/import/operator_task.h"
#include "target/family_names.h"
#include "target/target_text.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace sparserl::cli {

namespace {

struct JudgeArguments
{
    std::vector<std::string> programs, matrices, operators;
    std::string task, type, device = "auto", model = "h200", gpus = "0", timing = "standard";
    std::int64_t columns = 8;
    std::uint64_t seed = 0, judgeSeed = 0;
    SandboxLevel requiredSandbox = SandboxLevel::None;
    int runners = 0;
    bool lines = false, ptxLines = false;
    bool families = false;
    bool columnsGiven = false;
    bool fail = false;
};

struct Program
{
    std::string file, text;
    Task task = Task::SpMV;
    ElementType type = ElementType::F32;
    bool assumed = false; ///< Neither the plan nor the command says the task.
};

/// The task that was asked for, else that of the program's plan, and in the same way the element type. A plan
/// that cannot be read gets its verdict for any, and the record says that the task is assumed. A
/// program for an operator is judged for SpMV on a matrix: its verdict is that it is for another task.
Program readAs(const std::string& file, std::string text, const JudgeArguments& asked)
{
    const auto program = parseProgram(text);
    const Task planned = program ? program->plan.task : Task::SpMV;
    const Task task = planned == Task::Operator ? Task::SpMV : planned;
    const ElementType type = program ? program->plan.type : ElementType::F32;
    return {file, std::move(text), taskFromName(asked.task).value_or(task),
            elementTypeFromName(asked.type).value_or(type), !program && asked.task.empty()};
}

/// Whether a word names a program rather than a matrix, whatever else it may be.
bool isProgramFile(const std::string& word)
{
    const auto look = glance(word);
    return std::filesystem::path(word).extension() == ".cu" && (look.regular || !look.exists);
}

/// Whether a word among the programs names a matrix: programs may have any name, so the word must be what
/// nothing but a matrix is.
bool isMatrixWord(const std::string& word)
{
    if (isProgramFile(word))
        return false;
    switch (matrixWord(word)) {
    case MatrixWord::File:
        return isMatrixFileName(word);
    case MatrixWord::InPack:
    case MatrixWord::Generator:
        return true;
    case MatrixWord::Kind:
    case MatrixWord::Other:
        return listMatricesHere(word).has_value(); // the name of a matrix of the project
    }
    return false;
}

/// `judge A.mtx k.cu` and `judge --matrix A.mtx k.cu` mean what they say: the option takes all words behind
/// it, and a program's file is no matrix.
JudgeArguments sorted(JudgeArguments given)
{
    std::vector<std::string> programs, matrices;
    for (std::string& word : given.programs)
        (isMatrixWord(word) ? matrices : programs).push_back(std::move(word));
    for (std::string& word : given.matrices)
        (isProgramFile(word) ? programs : matrices).push_back(std::move(word));
    given.programs = std::move(programs);
    given.matrices = std::move(matrices);
    return given;
}

/// What people see of one record. `family`: empty where it was not asked for or is not known.
void printRecord(const Context& context, const std::string& program, const std::string& family,
                 const VerdictRecord& record)
{
    std::string text =
        formatLine("{:<32} {:<20} {:<15}", program, labelOf(record.target), nameOf(record.verdict));
    const bool launched = record.warm && record.warm->median > 0;
    if (record.warm && !launched) {
        text += " nothing to compute: no kernel is launched";
    } else if (record.warm) {
        text += fmt::format(" {:>10.2f} us warm", record.warm->median);
        if (record.cold)
            text += fmt::format(" {:>10.2f} us cold", record.cold->median);
        if (record.speedup() > 0)
            text += fmt::format("  {:.{}f}x {}", record.speedup(), record.speedup() < 10 ? 3 : 1,
                                record.baselineName);
        text += fmt::format("  {:.0f} % of the limit", 100 * record.shareOfLimit);
    }
    if (!family.empty())
        text += "  family " + familyTitle(family);
    for (const auto& flag : record.flags)
        text += "  [" + flag + "]";
    text += '\n';
    if (!record.message.empty()) {
        std::string where;
        if (record.line)
            where = fmt::format("line {}: ", record.line);
        if (record.block && record.thread)
            where += fmt::format("block ({}, {}, {}), thread ({}, {}, {}): ", (*record.block)[0],
                                 (*record.block)[1], (*record.block)[2], (*record.thread)[0],
                                 (*record.thread)[1], (*record.thread)[2]);
        text += "    " + where + record.message + '\n';
    }
    if (launched)
        text += fmt::format(
            "    {} registers, {} shared, occupancy {:.0f} % ({}), set-up {:.1f} us on the {}\n",
            record.registers, formatBytes(static_cast<double>(record.staticShared + record.dynamicShared)),
            100 * record.occupancy, record.occupancyLimiter, record.setupMicroseconds, record.device);
    context.print(text);
}

/// Why the arguments make no sense together.
std::optional<Error> problemOf(const JudgeArguments& options)
{
    if (!options.operators.empty()) {
        if (!options.matrices.empty())
            return Error{
                "--operator and --matrix cannot be used together", {}, 0, "Judge them one after the other"};
        if (!options.task.empty() || !options.type.empty() || options.columnsGiven)
            return Error{"--task, --type and --columns are about matrices, and there is none", {}, 0, {}};
        if (options.device == "cuda")
            return Error{"programs for operators are judged on the simulated device only, so far",
                         {},
                         0,
                         "Leave --device out, or use --device sim"};
    }
    for (const auto& [missing, name] : {std::pair(options.programs.empty(), "PROGRAM"),
                                        {options.matrices.empty() && options.operators.empty(), "--matrix"}})
        if (missing)
            return Error{fmt::format("{} is required", name),
                         {},
                         0,
                         "Name both, as in `sparserl judge k.cu --matrix A.mtx`"};
    return std::nullopt;
}

int runJudge(const Context& context, const JudgeArguments& given)
{
    const JudgeArguments options = sorted(given);
    if (const auto problem = problemOf(options))
        return context.wrongUsage(*problem);
    if (!context.json && (options.lines || options.ptxLines))
        return context.wrongUsage({fmt::format("{} needs --json", options.lines ? "--lines" : "--ptx-lines"),
                                   {},
                                   0,
                                   "Counters per line are printed as JSON only"});
    int status = Done;
    std::vector<JudgeRequest> requests;
    std::vector<std::string> programFiles, matrixFiles;
    std::vector<bool> assumed;
    std::vector<Program> programs;
    for (const auto& file : options.programs) {
        // A larger program is refused by the grammar, with a verdict; this only keeps gigabytes out.
        auto text = readFile(file, 16u << 20);
        if (!text) {
            status = context.error(text.error());
            continue;
        }
        programs.push_back(readAs(file, std::move(*text), options));
    }
    const bool spmm = std::any_of(programs.begin(), programs.end(),
                                  [](const Program& program) { return program.task == Task::SpMM; });
    noteUnusedColumns(context, options.columnsGiven, spmm);
    for (const std::string& word : options.operators) {
        auto task = readOperatorTask(word);
        const auto target = task ? operatorTarget(std::make_shared<const OperatorTask>(std::move(*task)))
                                 : Result<Target>(fail(task.error()));
        if (!target) {
            const Error& error = target.error();
            status = context.error(error.file.empty() ? Error{error.what, word, 0, error.remedy, error.kind}
                                                      : error);
            continue;
        }
        for (const Program& program : programs) {
            JudgeRequest request;
            request.program = program.text;
            request.target = *target;
            request.seed = options.seed;
            request.lineCounters = options.lines || options.ptxLines;
            requests.push_back(std::move(request));
            programFiles.push_back(program.file);
            assumed.push_back(false);
            matrixFiles.push_back(word);
        }
    }
    const auto named = options.operators.empty()
                           ? matricesOf(options.matrices)
                           : Result<std::vector<NamedMatrix>>(std::vector<NamedMatrix>());
    if (!named)
        return context.error(named.error());
    const bool doubles = std::any_of(programs.begin(), programs.end(),
                                     [](const Program& program) { return program.type != ElementType::F32; });
    const auto read = [&](const NamedMatrix& source) {
        ReadOptions reading = readingOf(context, source.word);
        reading.doubles = doubles;
        return source.load(reading);
    };
    const auto ask = [&](const NamedMatrix& source, Csr&& csr) {
        const auto matrix = std::make_shared<const Csr>(std::move(csr));
        const std::string contents = digest(*matrix), values = doublesDigest(*matrix);
        for (const auto& [programFile, text, task, type, isAssumed] : programs) {
            JudgeRequest request;
            request.program = text;
            request.target = {{.contents = contents,
                               .name = source.name,
                               .variant = TargetVariant::of(task, options.columns, type),
                               .values = type == ElementType::F32 ? std::string() : values},
                              matrix};
            request.seed = options.seed;
            request.lineCounters = options.lines || options.ptxLines;
            requests.push_back(std::move(request));
            programFiles.push_back(programFile);
            assumed.push_back(isAssumed);
            matrixFiles.push_back(source.word);
        }
        return true;
    };
    if (!readEach(context, *named, status, read, ask))
        return status;
    if (requests.empty())
        return Failed;

    JudgeOptions judgeOptions;
    judgeOptions.runnerPath = siblingProgram(context, "sparserl-runner");
    judgeOptions.deviceModel = options.model;
    judgeOptions.simRunners = options.runners;
    judgeOptions.log = [&](std::string_view sentence) {
        if (!context.quiet) {
            context.endProgress();
            context.note(sentence);
        }
    };
    judgeOptions.timing = options.timing;
    judgeOptions.secretSeed = secretOf(options.judgeSeed);
    judgeOptions.requiredSandbox = options.requiredSandbox;
    judgeOptions.gpuInTurn = true;
    const auto gpus = gpuNumbers(options.gpus);
    if (!gpus)
        return context.wrongUsage(gpus.error());
    judgeOptions.gpus = *gpus;
    auto judge = makeJudge(options.operators.empty() ? options.device : "sim", judgeOptions);
    if (!judge)
        return context.error(judge.error());
    const auto print = [&](std::size_t index, const VerdictRecord& record) {
        std::string family;
        if (options.families)
            family = identifyFamily(requests[index].program.text()).value_or(std::string());
        nlohmann::json json = toJson(record);
        if (!options.ptxLines) // several times as long
            json.erase("ptx_lines");
        if (!options.lines)
            json.erase("lines");
        json["file"] = programFiles[index];
        json[options.operators.empty() ? "matrix_file" : "operator_file"] = matrixFiles[index];
        if (options.families)
            json["family"] = family;
        if (assumed[index])
            json["task_assumed"] = true;
        context.emit(json);
        if (!context.json)
            printRecord(context, programFiles[index], family, record);
    };
    // In the order in which programs and matrices were named.
    std::map<std::size_t, VerdictRecord> early;
    std::size_t printed = 0, finished = 0;
    const auto records =
        (*judge)->judge(requests, context.cancel, [&](std::size_t index, const VerdictRecord& record) {
            if (record.verdict == Verdict::MachineError || (options.fail && !record.correct()))
                status = Failed;
            context.endProgress();
            early.emplace(index, record);
            for (; !early.empty() && early.begin()->first == printed; ++printed) {
                print(printed, early.begin()->second);
                early.erase(early.begin());
            }
            context.progress(static_cast<double>(++finished) / static_cast<double>(requests.size()),
                             "judging");
        });
    for (const auto& [index, record] : early) // Where the command was interrupted.
        print(index, record);
    context.endProgress();
    context.keeps(fmt::format("{} of {} are above", finished,
                              formatCounted(static_cast<std::int64_t>(requests.size()), "verdict")));
    if (!records)
        return context.failed(records.error());
    if (context.cancel.cancelled())
        return Interrupted;
    return status;
}

} // namespace

Body add_judge(CLI::App& app, Context& context)
{
    auto options = std::make_shared<JudgeArguments>();
    CLI::App* command = app.add_subcommand("judge", "Compile, check and time kernel programs on matrices.");
    command->add_option("PROGRAM", options->programs,
                        "Kernel programs (plan lines, then CUDA C++); matrices may stand among them");
    takesNames(command->add_option("--matrix", options->matrices, matrixHelp), "matrices");
    command
        ->add_option(
            "--operator", options->operators,
            "In place of matrices: the folder of an operator task, or one of its graphs; may be repeated")
        ->allow_extra_args(false);
    command
        ->add_option("--task", options->task,
                     "What the programs must compute (default: the task of each program's plan)")
        ->check(CLI::IsMember({"spmv", "spmm"}));
    command
        ->add_option("--type", options->type,
                     "Element type of the programs (default: the type of each program's plan)")
        ->check(CLI::IsMember({"f32", "f64"}));
    const CLI::Option* columns = addColumns(*command, options->columns);
    addDevice(*command, options->device);
    addModel(*command, options->model);
    command
        ->add_option("--timing", options->timing,
                     "On a GPU: standard, or paper (mean of 1,000 calls against cuSPARSE's default)")
        ->check(CLI::IsMember({"standard", "paper"}))
        ->capture_default_str();
    command->add_option("--gpus", options->gpus, "Indices of GPUs, separated by commas (0 is the first)")
        ->capture_default_str();
    command->add_option("--seed", options->seed, "Seed of inputs and schedule")->capture_default_str();
    addJudgeSeed(*command, options->judgeSeed);
    addRequireSandbox(*command, options->requiredSandbox);
    command->add_option("--runners", options->runners, "Simulator processes; 0: one per core")
        ->check(CLI::Range(0, 1024))
        ->capture_default_str();
    command->add_flag("--fail", options->fail, "End with status 1 unless every verdict is correct");
    command->add_flag("--families", options->families,
                      "Name the kernel family of each program, if it belongs to one");
    command->add_flag("--lines", options->lines, "Keep counters per source line (with --json)");
    command->add_flag("--ptx-lines", options->ptxLines, "Keep counters per line of the PTX (with --json)");
    return [options, columns, &context] {
        options->columnsGiven = columns->count() > 0;
        return runJudge(context, *options);
    };
}

} // namespace sparserl::cli

// SPDX-License-Identifier: Apache-2.0
#include "corpus/corpus.h"
#include "app/cli/columns_option.h"
#include "app/cli/commands.h"
#include "app/cli/commands/corpus_check.h"
#include "app/cli/commands/corpus_recommend.h"
#include "app/cli/commands/corpus_scan.h"
#include "app/cli/family_words.h"
#include "app/cli/judge_seed.h"
#include "app/cli/matrix_words.h"
#include "app/cli/number_checks.h"
#include "app/cli/require_sandbox.h"
#include "app/cli/usage.h"
#include "base/files.h"
#include "base/format.h"
#include "base/new_folders.h"
#include "base/new_place.h"
#include "base/printable.h"
#include "base/rng.h"
#include "machine/device_model.h"
#include "target/family_names.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

namespace {

struct CorpusArguments
{
    std::string task = "spmv", type = "f32";
    std::vector<std::string> families;
    int count = 10;
    double variety = 0.3;
    std::uint64_t seed = 1;
    std::string out;
};

int sample(const CorpusArguments& options, const Context& context)
{
    const auto task = taskFromName(options.task);
    if (auto free = checkNewFolder(options.out); !free)
        return context.error(free.error());
    NewFolders folders;
    if (auto made = folders.make(options.out); !made)
        return context.error(made.error());
    SampleOptions sampling;
    sampling.families = options.families;
    sampling.type = elementTypeFromName(options.type).value_or(ElementType::F32);
    sampling.variety = options.variety;
    const Rng root(options.seed);
    for (int i = 0; i < options.count && !context.cancel.cancelled(); ++i) {
        Rng rng = root.derive(static_cast<std::uint64_t>(i)); // The n-th program does not depend on how many.
        const auto program = sampleProgram(*task, sampling, rng);
        if (!program)
            return context.error(program.error());
        const auto path = std::filesystem::path(options.out) / fmt::format("{}-{:05}.cu", program->family, i);
        if (auto written = writeFileAtomic(path, program->text); !written)
            return context.error(written.error());
        if (context.json)
            context.emit(
                {{"file", path.string()}, {"family", program->family}, {"parameters", program->parameters}});
        else
            context.print(fmt::format("{}  {}  {}", path.string(), familyTitle(program->family),
                                      parametersJson(program->parameters)));
        context.keeps(fmt::format("{} of {} are in {}", i + 1, formatCounted(options.count, "program"),
                                  printableLine(options.out)));
    }
    return context.cancel.cancelled() ? Interrupted : Done;
}

} // namespace

Body add_corpus(CLI::App& app, Context& context)
{
    auto options = std::make_shared<CorpusArguments>();
    CLI::App* command = app.add_subcommand("corpus", "Kernel programs from the grammar of families");
    command->require_subcommand(1);
    CLI::App* sampling = command->add_subcommand("sample", "Write sampled programs, one file each");
    sampling->add_option("--task", options->task, "What the programs compute")
        ->check(CLI::IsMember({"spmv", "spmm"}))
        ->capture_default_str();
    sampling->add_option("--type", options->type, "Element type of the programs")
        ->check(CLI::IsMember({"f32", "f64"}))
        ->capture_default_str();
    takesFamilies(sampling
                      ->add_option("--family,--families", options->families,
                                   "Family ids such as S3, separated by commas")
                      ->delimiter(','));
    sampling->add_option("-n", options->count, "How many")->capture_default_str()->check(positiveNumber());
    sampling->add_option("--variety", options->variety, "Variety of style")
        ->capture_default_str()
        ->check(CLI::Range(0.0, 1.0));
    sampling->add_option("--seed", options->seed, "Seed of the draws")->capture_default_str();
    sampling->add_option("--out", options->out, "New folder for the programs")->required();

    auto checking = std::make_shared<CorpusCheckOptions>();
    CLI::App* check = command->add_subcommand("check", "Judge sampled programs; fails if one is wrong");
    check->add_option("--task", checking->task, "What the programs compute")
        ->check(CLI::IsMember({"spmv", "spmm"}))
        ->capture_default_str();
    check->add_option("--type", checking->type, "Element type of the programs")
        ->check(CLI::IsMember({"f32", "f64"}))
        ->capture_default_str();
    takesFamilies(check
                      ->add_option("--family,--families", checking->families,
                                   "Family ids such as S3, separated by commas")
                      ->delimiter(','));
    check->add_option("-n", checking->count, "How many")->capture_default_str()->check(positiveNumber());
    check->add_option("--inputs", checking->inputs, "Number of input seeds per program")
        ->capture_default_str()
        ->check(positiveNumber());
    takesNames(check->add_option("--matrix", checking->matrices,
                                 "Matrix files, packs, generators or names of the project's matrices, in "
                                 "turn; default: four small ones"),
               "matrices");
    check
        ->add_option(
            "--full-check", checking->fullCheck,
            "Non-zeros times columns up to which the simulated device fully checks the matrix itself")
        ->check(nonNegativeNumber());
    check->add_option("--columns", checking->columns, "Dense columns of SpMM; 0: 8 and 32 in turn")
        ->capture_default_str()
        ->check(CLI::Range(0, 1024));
    check->add_option("--variety", checking->variety, "Variety of style")
        ->capture_default_str()
        ->check(CLI::Range(0.0, 1.0));
    check->add_option("--seed", checking->seed, "Seed of the draws")->capture_default_str();
    addJudgeSeed(*check, checking->judgeSeed);
    addRequireSandbox(*check, checking->requiredSandbox);
    check->add_option("--runners", checking->runners, "Simulator processes; 0: one per core")
        ->capture_default_str()
        ->check(CLI::Range(0, 1024));
    check->add_option("--device", checking->device, "Where programs run, in addition to the battery")
        ->check(CLI::IsMember({"sim", "cuda", "auto"}))
        ->capture_default_str();
    check->add_option("--keep", checking->keep, "New folder for the programs that fail");

    auto recommending = std::make_shared<CorpusRecommendOptions>();
    CLI::App* recommend =
        command->add_subcommand("recommend", "List the families that suit matrices, best first");
    takesNames(recommend->add_option("MATRIX,--matrix", recommending->matrices, matrixHelp), "matrices")
        ->required();
    recommend->add_option("--task", recommending->task, "What the programs compute")
        ->check(CLI::IsMember({"spmv", "spmm"}))
        ->capture_default_str();
    recommend->add_option("--type", recommending->type, "Element type of the programs")
        ->check(CLI::IsMember({"f32", "f64"}))
        ->capture_default_str();
    addColumns(*recommend, recommending->columns);
    suggests(
        recommend->add_option("--model", recommending->model,
                              "Device to choose for: h200, generic or a file of `sparserl device calibrate`"),
        deviceModelNames)
        ->capture_default_str();
    recommend->add_option("-n", recommending->count, "How many to list")
        ->capture_default_str()
        ->check(positiveNumber());
    recommend->add_option("--out", recommending->out, "New folder for the programs");

    auto scanning = std::make_shared<CorpusScanOptions>();
    CLI::App* scan = command->add_subcommand(
        "scan", "Collect CUDA sources below a folder, by licence and without duplicates, for pretraining");
    scan->add_option("DIR", scanning->folder, "Folder with sources; nothing in it is compiled or run")
        ->required();
    scan->add_option("--out", scanning->out, "New file for the texts (JSON Lines), see pretrain.corpus")
        ->required();
    scan->add_option("--licence", scanning->scan.licences,
                     "Allowed SPDX identifier; may be given several times")
        ->capture_default_str();
    scan->add_option("--refused", scanning->refused,
                     "New file for a table of the refused files with reasons");
    scan->add_option("--max-bytes", scanning->scan.maxBytes, "Largest source")
        ->capture_default_str()
        ->check(positiveNumber());
    scan->add_option("--max-total", scanning->scan.maxTotal, "Maximum bytes of all texts together")
        ->capture_default_str()
        ->check(positiveNumber());
    scan->add_option("--alike", scanning->scan.alike,
                     "Share of equal token sequences above which two texts count as duplicates")
        ->capture_default_str()
        ->check(CLI::Range(0.1, 1.0));
    return [options, checking, check, recommending, recommend, scanning, scan, &context] {
        if (scan->parsed())
            return scanCorpus(*scanning, context);
        if (check->parsed())
            return checkCorpus(*checking, context);
        return recommend->parsed() ? recommendPrograms(*recommending, context) : sample(*options, context);
    };
}

} // namespace sparserl::cli

// SPDX-License-Identifier: Apache-2.0
#include "evaluation/bench/bench.h"
#include "app/cli/bench_choice.h"
#include "app/cli/bench_winners.h"
#include "app/cli/columns_option.h"
#include "app/cli/commands.h"
#include "app/cli/family_words.h"
#include "app/cli/matrix_words.h"
#include "app/cli/number_checks.h"
#include "app/cli/usage.h"
#include "base/beneath.h"
#include "base/files.h"
#include "base/format.h"
#include "base/interruption.h"
#include "base/new_place.h"
#include "base/printable.h"
#include "base/secret.h"
#include "corpus/family_list.h"
#include "machine/device_model.h"
#include "target/family_names.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace sparserl::cli {

namespace {

struct BenchArguments
{
    std::vector<std::string> matrices, packs, generators;
    std::string task = "spmv", type = "f32", device = "auto", model = "h200", csv;
    std::string families, out, bundles;
    std::int64_t columns = 8;
    bool columnsGiven = false;
    std::size_t limit = 32, first = 0, count = 0;
    std::int64_t leastNnz = 0, mostNnz = 0;
    int samples = 30, threads = 0, ordinal = 0;
    bool allFormats = false, noCold = false;
    std::uint64_t seed = 0;
};

Result<std::vector<ListedMatrix>> listAll(const BenchArguments& options)
{
    std::vector<ListedMatrix> all;
    std::vector<std::string> words;
    for (const auto* some : {&options.matrices, &options.packs, &options.generators})
        words.insert(words.end(), some->begin(), some->end());
    SPARSERL_TRY(auto listed, listMatricesHere(words));
    for (ListedMatrix& matrix : listed) {
        if (matrix.nnz >= 0 &&
            (matrix.nnz < options.leastNnz || (options.mostNnz > 0 && matrix.nnz > options.mostNnz)))
            continue;
        all.push_back(std::move(matrix));
    }
    if (options.first > 0)
        all.erase(all.begin(),
                  all.begin() + static_cast<std::ptrdiff_t>(std::min(options.first, all.size())));
    if (options.count > 0 && all.size() > options.count)
        all.resize(options.count);
    if (all.empty())
        return fail("there is no matrix to time",
                    "Name matrix files, packs, generators or the project's matrices");
    return all;
}

Result<std::unique_ptr<BenchDevice>> open(const BenchArguments& options)
{
    return wantsGpu(options.device) ? openCudaBench(options.ordinal) : openSimulatedBench(options.model);
}

void show(const Context& context, const BenchMatrix& matrix, const std::string& file)
{
    const BenchRow *program = matrix.bestProgram(), *baseline = matrix.bestBaseline();
    nlohmann::json json{{"matrix", matrix.name},     {"class", matrix.structure},
                        {"rows", matrix.sizes.rows}, {"cols", matrix.sizes.cols},
                        {"nnz", matrix.sizes.nnz},   {"seconds", matrix.seconds}};
    std::string text = formatLine("{:<36} {:>9} non-zeros", matrix.name, matrix.sizes.nnz);
    if (program && baseline) {
        const double speedup = matrix.speedup();
        json["speedup"] = speedup;
        json["program"] = {{"family", program->family},       {"name", familyTitle(program->family)},
                           {"parameters", program->variant},  {"why", whyItWon(matrix)},
                           {"warm_us", program->warm.median}, {"floor_us", program->floorMicroseconds}};
        json["baseline"] = {{"name", baseline->family + " " + baseline->variant},
                            {"warm_us", baseline->warm.median}};
        text += fmt::format(
            "  {:6.3f}x  {:>9.2f} us {} {}  against {:.2f} us {}  ({:.0f} % of the limit, {:.2f} s)", speedup,
            program->warm.median, familyTitle(program->family), program->variant, baseline->warm.median,
            baseline->variant, 100 * program->floorMicroseconds / program->warm.median, matrix.seconds);
        text += "\n    why: " + whyItWon(matrix);
        if (!file.empty()) {
            json["file"] = file;
            text += "\n    program: " + file;
        }
    }
    for (const MatrixWarning& warning : matrix.warnings)
        warn(context, matrix.name, warning);
    json["warnings"] = toJson(matrix.warnings);
    if (!matrix.problem.empty()) {
        json["problem"] = matrix.problem;
        text += "  " + matrix.problem;
    }
    context.emit(json);
    if (!context.json)
        context.print(text);
}

/// What an interruption leaves, of `all` matrices of which `timed` have times.
std::string keptTimes(const BenchArguments& options, std::size_t timed, std::size_t all)
{
    std::vector<std::string> places;
    if (!options.csv.empty())
        places.push_back("their times are in " + printableLine(options.csv));
    if (!options.out.empty())
        places.push_back("their fastest programs are in " + printableLine(options.out));
    return fmt::format("{} of {} timed{}{}", timed,
                       formatCounted(static_cast<std::int64_t>(all), "matrix", "matrices"),
                       timed > 0 && !places.empty() ? "; " : "",
                       timed > 0 ? fmt::format("{}", fmt::join(places, ", ")) : "");
}

int runBench(const Context& context, const BenchArguments& options)
{
    const auto task = taskFromName(options.task);
    const bool spmm = task == Task::SpMM;
    noteUnusedColumns(context, options.columnsGiven, spmm);
    BenchOptions bench;
    bench.variant = TargetVariant::of(*task, options.columns,
                                      elementTypeFromName(options.type).value_or(ElementType::F32));
    bench.choice.limit = options.limit;
    auto chosen = parseFamilies(options.families, {*task});
    if (!chosen)
        return context.wrongUsage(chosen.error());
    bench.choice.families = std::move(*chosen);
    bench.baselines = options.allFormats ? BaselineSet::AllFormats : BaselineSet::Csr;
    bench.samples = options.samples;
    bench.cold = !options.noCold;
    bench.threads = options.threads;
    bench.seed = options.seed > 0 ? options.seed : drawSecret();
    bench.cancel = context.cancel;
    bench.progress = [&](double fraction, const std::string& phase) { context.progress(fraction, phase); };
    bench.log = [&](const std::string& sentence) {
        if (!context.quiet) {
            context.endProgress();
            context.note(sentence);
        }
    };
    auto free = checkNewFiles({options.csv});
    if (free)
        free = checkNewFolders({options.out, options.bundles});
    if (!free)
        return context.error(free.error());
    const auto matrices = listAll(options);
    if (!matrices)
        return options.matrices.empty() && options.packs.empty() && options.generators.empty()
                   ? context.wrongUsage(matrices.error())
                   : context.error(matrices.error());
    auto model = loadDeviceModel(options.model);
    if (!model)
        return context.error(model.error());
    bench.choice.model = std::move(*model);
    auto device = open(options);
    if (!device)
        return context.error(device.error());
    context.print(fmt::format(
        "{} on {}", formatCounted(static_cast<std::int64_t>(matrices->size()), "matrix", "matrices"),
        (*device)->name()));
    if (!options.csv.empty()) {
        if (auto ok = writeFileAtomic(options.csv, benchCsvHeader(bench.variant)); !ok)
            return context.error(ok.error());
    }
    std::vector<BenchMatrix> done;
    BenchWinners winners(options.out, options.bundles);
    const auto ok = runBench(**device, *matrices, bench, [&](const BenchMatrix& matrix) -> Status {
        const auto file = winners.keep(matrix, done.size());
        done.push_back(matrix);
        if (!matrix.unread) // The times are shown, even where the program could not be written.
            show(context, matrix, file.value_or(std::string()));
        else
            context.failed(*matrix.unread);
        if (!file)
            return fail(file.error());
        if (options.csv.empty())
            return {};
        return appendFile(options.csv, benchCsv(matrix, bench, (*device)->name()));
    });
    context.endProgress();
    const auto timed = [](const BenchMatrix& matrix) {
        return matrix.bestProgram() && matrix.bestBaseline();
    };
    const auto withTimes = static_cast<std::size_t>(std::count_if(done.begin(), done.end(), timed));
    if ((ok && !context.cancel.cancelled()) || withTimes > 0)
        context.print(benchSummary(done, bench));
    const std::string kept = keptTimes(options, withTimes, matrices->size());
    context.keeps(kept);
    if (done.empty() && !options.csv.empty()) { // its head alone would only be in the way of the next call
        std::error_code ignored;
        removeEntry(options.csv, ignored);
    }
    if (!ok && !isInterruption(ok.error())) {
        context.error(ok.error());
        std::fflush(nullptr);
        _exit(Failed); // a poisoned context may keep the driver's exit handlers from ending
    }
    if (context.cancel.cancelled())
        return Interrupted;
    // As everywhere: one bad file does not stop the others, but the status tells.
    const auto problem = [](const auto& matrix) { return !matrix.problem.empty(); };
    const auto unread = [](const auto& matrix) { return matrix.unread.has_value(); };
    const bool failed =
        std::all_of(done.begin(), done.end(), problem) || std::any_of(done.begin(), done.end(), unread);
    const int exported = winners.exportAll(context, *matrices, bench.variant, kept);
    return failed ? Failed : exported;
}

} // namespace

Body add_bench(CLI::App& app, Context& context)
{
    auto options = std::make_shared<BenchArguments>();
    CLI::App* command =
        app.add_subcommand("bench", "Time corpus programs against the libraries on many matrices.");
    takesNames(command->add_option("MATRIX,--matrix", options->matrices, matrixHelp), "matrices");
    command->add_option("--pack", options->packs, "Pattern packs (as MATRIX)");
    command->add_option("--generate", options->generators, "Generated matrices: \"lp(rows=20000,long=4)\"");
    command->add_option("--task", options->task, "What the programs compute")
        ->check(CLI::IsMember({"spmv", "spmm"}))
        ->capture_default_str();
    command->add_option("--type", options->type, "Element type")
        ->check(CLI::IsMember({"f32", "f64"}))
        ->capture_default_str();
    const CLI::Option* columns = addColumns(*command, options->columns);
    command->add_option("--csv", options->csv,
                        "Write all times as a table (one row per program and baseline) to this new file");
    command->add_option("--out", options->out, "New folder for the fastest program of each matrix");
    command->add_option("--export", options->bundles,
                        "New folder for a bundle of each fastest program (see `sparserl export`)");
    command->add_option("--device", options->device, "Where programs run; auto: the GPU if there is one")
        ->check(CLI::IsMember({"sim", "cuda", "auto"}))
        ->capture_default_str();
    command->add_option("--ordinal", options->ordinal, "Which GPU")
        ->check(nonNegativeNumber())
        ->capture_default_str();
    suggests(command->add_option(
                 "--model", options->model,
                 "Device to simulate and to choose programs for: h200, generic or a file of `sparserl "
                 "device calibrate`"),
             deviceModelNames)
        ->capture_default_str();
    takesFamilies(command->add_option("--families,--family", options->families,
                                      "Family ids such as S1,S6: only these"));
    command->add_option("--limit-per-matrix", options->limit, "Programs for each matrix")
        ->check(CLI::Range(1, 1000))
        ->capture_default_str();
    command->add_option("--first", options->first, "Index of the first matrix to use, counting from 0");
    command->add_option("--count", options->count, "At most this many matrices; 0: all");
    command->add_option("--min-nnz", options->leastNnz, "Skip smaller matrices, if a pack has their sizes")
        ->check(nonNegativeNumber());
    command
        ->add_option("--max-nnz", options->mostNnz,
                     "Skip larger matrices, if a pack has their sizes; 0: none")
        ->check(nonNegativeNumber());
    command->add_option("--samples", options->samples, "Samples of each reported time")
        ->check(CLI::Range(3, 1000))
        ->capture_default_str();
    command
        ->add_option("--threads", options->threads,
                     "Threads for reading, compiling and converting; 0: one per core")
        ->check(CLI::Range(0, 1024))
        ->capture_default_str();
    command->add_flag("--all-formats", options->allFormats,
                      "Also time DEFAULT, COO, SELL, BSR and, if half is non-zero, cuBLAS.");
    command->add_flag("--no-cold", options->noCold, "Do not time with empty caches.");
    command->add_option("--seed", options->seed, "Seed of inputs and orders; 0: an unpredictable one")
        ->capture_default_str();
    return [options, columns, &context] {
        options->columnsGiven = columns->count() > 0;
        return runBench(context, *options);
    };
}

} // namespace sparserl::cli

// SPDX-License-Identifier: Apache-2.0
#include "app/cli/device_commands.h"
#include "app/cli/matrix_words.h"
#include "app/cli/number_checks.h"
#include "app/cli/usage.h"
#include "base/beneath.h"
#include "base/files.h"
#include "base/format.h"
#include "base/json.h"
#include "base/new_place.h"
#include "base/printable.h"
#include "base/rng.h"
#include "base/time.h"
#include "compile/program_compiler.h"
#include "corpus/corpus.h"
#include "device/calibration/fit.h"
#include "device/calibration/quality.h"
#include "device/calibration/source.h"
#include "device/device_limits.h"
#include "machine/device_model.h"
#include "matrix/matrix_list.h"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

namespace {

struct DeviceCalibrateArguments
{
    std::vector<std::string> matrices;
    std::string pack, from, data, csv, out, name, model = "h200", device;
    std::string type = "f32";
    std::vector<std::int64_t> columns{1};
    std::vector<std::string> keep;
    std::size_t programs = 20, recommended = 4;
    int ordinal = 0, threads = 0, rounds = 60, folds = 5, samples = 20;
    double minutes = 6;
    std::uint64_t seed = 1;
    bool resimulate = false, noSimulation = false, noFit = false;
};

ElementType typeOf(const DeviceCalibrateArguments& options)
{
    return elementTypeFromName(options.type).value_or(ElementType::F32);
}

CollectOptions collectOptions(const Context& context, const DeviceCalibrateArguments& options,
                              const DeviceModel& model)
{
    CollectOptions collect;
    collect.model = model;
    collect.variant.type = typeOf(options);
    collect.programs = options.programs;
    collect.recommended = options.recommended;
    collect.seed = options.seed;
    collect.threads = options.threads;
    collect.cancel = context.cancel;
    collect.progress = [&context](double fraction, const std::string& phase) {
        context.progress(fraction, phase);
    };
    collect.log = [&context](const std::string& sentence) {
        context.endProgress();
        context.print(sentence + "\n");
    };
    return collect;
}

/// Matrices of the command line, in an order that makes any beginning of it a fair sample.
Result<std::vector<CalibrationMatrix>> listed(const Context& context, const DeviceCalibrateArguments& options)
{
    std::vector<std::string> words = options.matrices;
    if (!options.pack.empty())
        words.push_back(options.pack);
    std::vector<CalibrationMatrix> matrices;
    SPARSERL_TRY(auto listed, listMatricesHere(words));
    for (ListedMatrix& one : listed) {
        ReadOptions reading = readingOf(context, one.name);
        reading.progress = {};
        reading.doubles = typeOf(options) == ElementType::F64;
        matrices.push_back({one.name, [load = std::move(one.load), reading] { return load(reading); }});
    }
    Rng(options.seed).shuffle(matrices);
    return matrices;
}

nlohmann::json toJson(const ModelQuality& q)
{
    return {{"rows", q.rows},
            {"matrices", q.matrices},
            {"pairs", q.pairs},
            {"ordered", q.ordered},
            {"regret", q.regret},
            {"median_error", q.medianError},
            {"median_cold_error", q.medianColdError}};
}

Status fit(const Context& context, const DeviceCalibrateArguments& options, const DeviceModel& start,
           const std::vector<CalibrationRow>& rows)
{
    FitOptions settings;
    settings.rounds = options.rounds;
    settings.folds = options.folds;
    settings.threads = options.threads;
    settings.seed = options.seed;
    settings.keep = options.keep;
    settings.cancel = context.cancel;
    settings.progress = [&](double fraction, const std::string& phase) { context.progress(fraction, phase); };
    auto fitted = fitModel(start, rows, settings);
    context.endProgress();
    if (!fitted)
        return tl::unexpected(fitted.error());
    DeviceModel& model = fitted->model;
    if (!options.name.empty())
        model.name = options.name;
    const ModelledTimes before = modelledTimes(start, rows), after = modelledTimes(model, rows);
    context.print(fmt::format("Model {} as it was:\n\n{}\nFitted:\n\n{}", start.name,
                              qualityTable(before.warm, before.cold, rows),
                              qualityTable(after.warm, after.cold, rows)));
    if (!fitted->heldOut.warm.empty())
        context.print(fmt::format("\nEach matrix by a model fitted without it ({} folds):\n\n{}",
                                  options.folds,
                                  qualityTable(fitted->heldOut.warm, fitted->heldOut.cold, rows)));
    context.print(
        fmt::format("\nLoss {:.4f} -> {:.4f}. Parameters:\n", fitted->lossBefore, fitted->lossAfter));
    for (const CostParameter& parameter : costParameters())
        context.print(fmt::format("  {:<28}{:>12.4g} -> {:<12.4g}\n", parameter.name, start.*parameter.member,
                                  model.*parameter.member));
    context.emit({{"before", toJson(modelQuality(start, rows))},
                  {"fitted", toJson(modelQuality(model, rows))},
                  {"loss", fitted->lossAfter}});
    if (!options.csv.empty()) {
        SPARSERL_CHECK(writeFileAtomic(options.csv, timesCsv(rows, before, after, fitted->heldOut)));
    }
    if (options.out.empty())
        return {};
    SPARSERL_CHECK(writeFileAtomic(options.out, toToml(model)));
    context.print(fmt::format("Wrote {}: pass it wherever a device model is named.\n", options.out));
    return {};
}

/// Rows are JSON Lines; a table beside them may be all that was named.
void nameFiles(DeviceCalibrateArguments& options)
{
    const auto rowsBeside = [](const std::string& table) {
        const std::filesystem::path path(table);
        return path.extension() == ".csv" ? std::filesystem::path(path).replace_extension(".jsonl").string()
                                          : table;
    };
    if (!options.from.empty())
        options.from = rowsBeside(options.from);
    if (options.data.empty())
        options.data = !options.from.empty()  ? options.from
                       : !options.csv.empty() ? rowsBeside(options.csv)
                                              : "calibration.jsonl";
    if (options.csv == options.data)
        options.csv.clear();
}

Status calibrate(const Context& context, DeviceCalibrateArguments options)
{
    SPARSERL_TRY(auto model, loadDeviceModel(options.model));
    SPARSERL_TRY(auto matrices, listed(context, options));
    nameFiles(options);
    SPARSERL_CHECK(checkNewFiles({options.csv, options.out}));
    std::vector<CalibrationRow> rows;
    const std::string source = options.from.empty() ? options.data : options.from;
    if (!options.from.empty() || glance(source).exists) {
        SPARSERL_TRY(auto known, readCalibrationRows(source));
        rows = std::move(known);
    }
    const bool measuring = options.from.empty();
    if (measuring && options.device.empty())
        return fail("rows are measured on a GPU", "Give --device cuda, or --from FILE to fit without a GPU");
    if (measuring && matrices.empty())
        return fail("there are no matrices to measure", "Name files, packs or generators");
    std::optional<ProgramCompiler> compiler;
    if (measuring || options.resimulate || !matrices.empty()) {
        SPARSERL_TRY(auto made, ProgramCompiler::create());
        compiler.emplace(std::move(made));
    }
    if (measuring) {
        // A last line that was cut off would spoil the next one.
        if (!rows.empty()) {
            SPARSERL_CHECK(writeCalibrationRows(options.data, rows));
        }
        SPARSERL_TRY(const auto device, options.device == "cuda"
                                            ? gpuSource(options.ordinal, options.samples, model)
                                            : Result<MeasuringSource>(simulatorSource(model)));
        model = device.model;
        context.keeps("what was measured is in " + printableLine(options.data) +
                      ", and the same command goes on");
        const double started = unixSeconds();
        SPARSERL_TRY(const auto taken, measureRows(device, collectOptions(context, options, model),
                                                   {options.columns, options.minutes, options.data}, matrices,
                                                   *compiler, rows));
        context.endProgress();
        context.print(fmt::format("{} from {} in {:.0f} s\n",
                                  formatCounted(static_cast<std::int64_t>(taken), "row"), device.device,
                                  unixSeconds() - started));
    }
    if (compiler && !options.noSimulation) {
        const double started = unixSeconds();
        CollectOptions settings = collectOptions(context, options, model);
        settings.limits = limitsOf(model);
        // A GPU that was lent for a while is not for simulating: `--from` goes on anywhere.
        if (measuring && options.device == "cuda")
            settings.enough = [&] { return unixSeconds() - started > 180; };
        auto ok = simulateProfiles(rows, matrices, *compiler, settings, options.resimulate);
        context.endProgress();
        if (!ok)
            return ok;
        context.print(fmt::format("simulated in {:.0f} s\n", unixSeconds() - started));
        if (ok = writeCalibrationRows(options.data, rows); !ok)
            return ok;
    }
    if (options.noFit || options.noSimulation)
        return {};
    return fit(context, options, model, rows);
}

int runDeviceCalibrate(const Context& context, const DeviceCalibrateArguments& options)
{
    if (auto ok = calibrate(context, options); !ok) {
        context.endProgress();
        return context.failed(ok.error());
    }
    return Done;
}

} // namespace

Body add_device_calibrate(CLI::App& device, Context& context)
{
    auto options = std::make_shared<DeviceCalibrateArguments>();
    CLI::App* command =
        device.add_subcommand("calibrate", "Fit a device model to measurements: measure corpus programs on a "
                                           "GPU, simulate them, and search the model's rates and latencies.");
    takesNames(command->add_option("MATRIX,--matrix", options->matrices, matrixHelp), "matrices");
    command->add_option("--pack", options->pack, "A pack of patterns (sparserl pack)");
    command
        ->add_option("--device", options->device,
                     "cuda: measure on a GPU; sim: simulate measurements, with --model")
        ->check(CLI::IsMember({"cuda", "sim"}));
    command->add_option("--gpu", options->ordinal, "Index of the GPU (0 is the first)")
        ->capture_default_str()
        ->check(nonNegativeNumber());
    command->add_option("--data", options->data,
                        "Rows of measurements and profiles (JSON Lines; default: next to --csv, else "
                        "calibration.jsonl); existing rows are not measured again");
    command->add_option("--from", options->from, "Fit to the rows of this file, without a GPU");
    command->add_flag("--resimulate", options->resimulate, "Recompute all profiles (needs the matrices)");
    command->add_flag("--no-simulation", options->noSimulation, "Only measure");
    command->add_flag("--no-fit", options->noFit, "Only measure and simulate");
    command->add_option("--programs", options->programs, "Programs for each matrix")
        ->capture_default_str()
        ->check(CLI::Range(2, 200));
    command
        ->add_option("--recommended", options->recommended,
                     "How many of these programs are recommended for the device; the others are drawn")
        ->capture_default_str()
        ->check(CLI::Range(0, 200));
    command->add_option("--columns", options->columns, "Dense columns: 1 is SpMV, others SpMM")
        ->delimiter(',')
        ->check(CLI::Range(1, 1024));
    command->add_option("--type", options->type, "Element type of the programs")
        ->capture_default_str()
        ->check(CLI::IsMember({"f32", "f64"}));
    command->add_option("--samples", options->samples, "Timed samples for each program")
        ->capture_default_str()
        ->check(CLI::Range(3, 1000));
    command
        ->add_option("--minutes", options->minutes,
                     "Stop measuring further matrices after this time; 0: no limit")
        ->capture_default_str()
        ->check(nonNegativeNumber());
    command
        ->add_option("--threads", options->threads, "Threads for compiling and simulating; 0: one per core")
        ->check(CLI::Range(0, 1024));
    command->add_option("--rounds", options->rounds, "Rounds of the search")
        ->capture_default_str()
        ->check(CLI::Range(1, 10000));
    command->add_option("--folds", options->folds, "Folds of the cross-validation by matrix; 0: none")
        ->capture_default_str()
        ->check(CLI::Range(0, 100));
    command->add_option("--seed", options->seed, "Seed of the choice of programs and the order of matrices")
        ->capture_default_str();
    suggests(command->add_option("--model", options->model,
                                 "Model from which the search starts: a name or a file"),
             deviceModelNames)
        ->capture_default_str();
    std::vector<std::string> names;
    for (const CostParameter& parameter : costParameters())
        names.emplace_back(parameter.name);
    command
        ->add_option("--keep", options->keep,
                     "Parameters that are not searched, because they were measured: l2_gbps,dram_gbps")
        ->delimiter(',')
        ->check(CLI::IsMember(names));
    command->add_option("--name", options->name, "Name of the fitted model");
    command->add_option("--out", options->out, "Write the fitted model (TOML) to this new file");
    command->add_option("--csv", options->csv,
                        "Write measured and modelled times as a table to this new file");
    return [options, &context] { return runDeviceCalibrate(context, *options); };
}

} // namespace sparserl::cli

// SPDX-License-Identifier: Apache-2.0
#include "evaluation/audit/device_diff.h"
#include "app/cli/device_commands.h"
#include "app/cli/family_words.h"
#include "app/cli/number_checks.h"
#include "app/cli/usage.h"
#include "base/files.h"
#include "base/format.h"
#include "base/new_place.h"
#include "evaluation/audit/opcode_run.h"
#include "machine/device_model.h"
#include "target/family_names.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

namespace {

struct DeviceDiffArguments
{
    std::size_t pairs = 500;
    std::uint64_t seed = 1;
    std::string model = "h200", out, type = "f32";
    int gpu = 0;
    std::vector<std::string> families;
    bool opcodes = false, onlyOpcodes = false;
};

int compareOpcodes(const Context& context, const DeviceDiffArguments& options)
{
    const auto report = runOpcodeCases(options.gpu, context.cancel);
    if (!report)
        return context.error(report.error());
    context.emit({{"opcodes", report->cases}, {"forms", report->forms}, {"wrong", report->wrong}});
    if (!context.json)
        for (const auto& sentence : report->wrong)
            context.print("  " + sentence);
    context.print(fmt::format(
        "{} with {} on the {}: {}", formatCounted(static_cast<std::int64_t>(report->cases), "case"),
        formatCounted(static_cast<std::int64_t>(report->forms), "opcode form"), report->device,
        report->wrong.empty() ? std::string("all match independent computations")
                              : fmt::format("{} are wrong", report->wrong.size())));
    return report->wrong.empty() ? Done : Failed;
}

int comparePrograms(const Context& context, const DeviceDiffArguments& options)
{
    if (auto free = checkNewFolder(options.out); !free)
        return context.error(free.error());
    DiffOptions diff;
    diff.runnerPath = siblingProgram(context, "sparserl-runner");
    diff.pairs = options.pairs;
    diff.seed = options.seed;
    diff.model = options.model;
    diff.gpu = options.gpu;
    diff.families = options.families;
    diff.type = elementTypeFromName(options.type).value_or(ElementType::F32);
    diff.cancel = context.cancel;
    diff.progress = [&](double fraction) { context.progress(fraction, "comparing"); };
    diff.log = [&](std::string_view sentence) {
        if (!context.quiet) {
            context.endProgress();
            context.note(sentence);
        }
    };
    const auto report = deviceDiff(diff);
    context.endProgress();
    if (!report)
        return context.failed(report.error());
    if (context.cancel.cancelled())
        return Interrupted;
    int number = 0;
    for (const auto& m : report->mismatches) {
        nlohmann::json json = {{"family", m.family},   {"parameters", m.parameters}, {"matrix", m.matrix},
                               {"columns", m.columns}, {"what", m.sentence},         {"program", m.text}};
        if (!options.out.empty()) {
            const auto path = std::filesystem::path(options.out) / fmt::format("mismatch-{:03}.cu", number++);
            if (auto written = writeFileAtomic(path, m.text); !written)
                return context.error(written.error());
            json["file"] = path.string();
        }
        context.emit(json);
        if (!context.json)
            context.print(fmt::format("{} {} on {}, {} columns: {}", familyTitle(m.family), m.parameters,
                                      m.matrix, m.columns, m.sentence));
    }
    nlohmann::json summary = {{"device", report->gpu},
                              {"programs", report->programs},
                              {"compared", report->compared()},
                              {"exact", report->exact},
                              {"within", report->within},
                              {"not_applicable", report->notApplicable},
                              {"mismatches", report->mismatches.size()},
                              {"seconds", report->seconds}};
    std::string families;
    for (const auto& [family, count] : report->byFamily) {
        summary["families"][family] = count;
        families += fmt::format("{}{} {}", families.empty() ? "" : ", ", family, count);
    }
    context.emit(summary);
    context.print(fmt::format(
        "{}, {} on the {} and the simulator: {} equal bit by bit, {} within the "
        "row bound where the order of summation is free, {}; {} not applicable; {:.1f} s",
        formatCounted(static_cast<std::int64_t>(report->programs), "program"),
        formatCounted(static_cast<std::int64_t>(report->compared()), "pair"), report->gpu, report->exact,
        report->within,
        formatCounted(static_cast<std::int64_t>(report->mismatches.size()), "mismatch", "mismatches"),
        report->notApplicable, report->seconds));
    context.print("pairs by family: " + families);
    if (report->compared() < options.pairs)
        return context.error(
            {fmt::format("only {} could be compared",
                         formatCounted(static_cast<std::int64_t>(report->compared()), "pair")),
             {},
             0,
             "name more families, or ask for fewer pairs"});
    return report->mismatches.empty() ? Done : Failed;
}

int runDeviceDiff(const Context& context, const DeviceDiffArguments& options)
{
    int status = Done;
    if (!options.onlyOpcodes)
        status = comparePrograms(context, options);
    if ((options.opcodes || options.onlyOpcodes) && status != Interrupted)
        status = std::max(status, compareOpcodes(context, options));
    return status;
}

} // namespace

Body add_device_diff(CLI::App& device, Context& context)
{
    auto options = std::make_shared<DeviceDiffArguments>();
    auto* command =
        device.add_subcommand("diff", "Run the same programs on the GPU and on the simulator, and compare.");
    command->add_option("--pairs", options->pairs, "Programs on matrices")
        ->capture_default_str()
        ->check(positiveNumber());
    command->add_option("--seed", options->seed, "Seed of programs and inputs")->capture_default_str();
    takesFamilies(command->add_option("--family", options->families, "Only these kernel families"));
    command->add_option("--type", options->type, "Element type of programs and matrices")
        ->check(CLI::IsMember({"f32", "f64"}))
        ->capture_default_str();
    suggests(command->add_option("--model", options->model, "Simulated device whose limits apply"),
             deviceModelNames)
        ->capture_default_str();
    command->add_option("--gpu", options->gpu, "Index of the GPU (0 is the first)")
        ->capture_default_str()
        ->check(nonNegativeNumber());
    command->add_option("--out", options->out, "New folder for programs that differ");
    command->add_flag("--opcodes", options->opcodes,
                      "Also every opcode form against values computed independently");
    command->add_flag("--only-opcodes", options->onlyOpcodes, "Only the opcode forms");
    return [options, &context] { return runDeviceDiff(context, *options); };
}

} // namespace sparserl::cli

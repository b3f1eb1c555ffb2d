// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "base/beneath.h"
#include "base/file_error.h"
#include "base/file_kind.h"
#include "base/files.h"
#include "base/format.h"
#include "base/json.h"
#include "base/printable.h"
#include "evaluation/runners/find_runner.h"
#include "evaluation/runners/oracle_process.h"
#include "operator/graph/graph_digest.h"
#include "operator/graph/graph_facts.h"
#include "operator/graph/graph_file.h"
#include "operator/import/task_import.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

namespace sparserl::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t largestTensors = std::uint64_t(4) << 30, largestTask = 1u << 20;

struct OperatorArguments
{
    std::string path, out = "operators", mode = "train";
    double seconds = 60;
    std::int64_t memoryMiB = 4096;
    std::optional<std::uint64_t> seed;
};

/// The tensors that are stored next to a graph, as bytes; none if there is no such file.
Result<std::string> storedNextTo(const fs::path& graph)
{
    fs::path file = graph;
    file.replace_extension(".safetensors");
    SPARSERL_TRY(const auto entry, lookAt(file));
    if (!entry.exists)
        return std::string();
    return readFile(file, largestTensors);
}

nlohmann::json describe(const OperatorGraph& graph, const GraphFacts& facts)
{
    nlohmann::json tensors = nlohmann::json::array();
    const auto add = [&](const std::string& name, std::string_view kind, int value) {
        const TensorType& type = graph.values[static_cast<std::size_t>(value)];
        tensors.push_back(
            {{"name", name}, {"kind", kind}, {"type", nameOf(type.element)}, {"shape", type.shape}});
    };
    for (const GraphInput& input : graph.inputs)
        add(input.name, "input", input.value);
    for (const GraphWeight& weight : graph.weights)
        add(weight.name, nameOf(weight.kind), weight.value);
    for (const GraphOutput& output : graph.outputs)
        add(output.name, "output", output.value);
    nlohmann::json depends = nlohmann::json::object();
    for (const OutputDependence& output : facts.outputs)
        depends[output.output] = output.on;
    return {{"name", graph.name},
            {"size", graph.size},
            {"mode", graph.mode},
            {"recorder", graph.recorder},
            {"depends_on_values", graph.dependsOnValues},
            {"digest", graphDigest(graph)},
            {"structure", graphStructure(graph)},
            {"nodes", graph.nodes.size()},
            {"computing", facts.computing},
            {"dead", facts.dead},
            {"level", facts.level},
            {"flops", facts.flops},
            {"counted_roughly", facts.countedRoughly},
            {"compulsory_bytes", facts.compulsoryBytes},
            {"operators", facts.operators},
            {"tensors", tensors},
            {"depends", depends},
            {"unused", facts.unused}};
}

int show(const Context& context, const OperatorArguments& options)
{
    const auto graph = readGraph(options.path);
    if (!graph)
        return context.error(graph.error());
    const auto facts = graphFacts(*graph);
    const nlohmann::json all = describe(*graph, facts);
    context.emit(all);
    if (context.json)
        return Done;
    std::string text =
        formatLine("{} ({}): {} of {} compute, level {}\n", graph->name.empty() ? "graph" : graph->name,
                   graph->size.empty() ? "one size" : graph->size, facts.computing,
                   formatCounted(static_cast<std::int64_t>(graph->nodes.size()), "call"), facts.level);
    text += fmt::format("{} operations{}, {} to move at least\n", formatCount(facts.flops),
                        facts.countedRoughly.empty() ? "" : " (roughly)", formatBytes(facts.compulsoryBytes));
    for (const auto& tensor : all["tensors"])
        text +=
            formatLine("{:<10} {} {}\n", tensor["kind"].get<std::string>(), tensor["name"].get<std::string>(),
                       tensor["type"].get<std::string>() + " " + tensor["shape"].dump());
    for (const std::string& name : facts.unused)
        text += formatLine("No output depends on {}.\n", name);
    for (const auto& [name, times] : facts.operators)
        text += formatLine("{:>10} {}\n", times, name);
    if (graph->dependsOnValues)
        text +=
            "The calls depend on the contents of the inputs: the graph holds for those that were recorded.\n";
    text += "digest " + all["digest"].get<std::string>() + "\n";
    context.print(text);
    return Done;
}

OracleOptions oracleOptions(const Context& context, const OperatorArguments& options)
{
    OracleOptions oracle;
    oracle.runner = siblingProgram(context, "sparserl-runner");
    oracle.seconds = options.seconds;
    oracle.jobSeconds = 10 * options.seconds + 10;
    oracle.memoryBytes = static_cast<std::uint64_t>(options.memoryMiB) << 20;
    oracle.cancel = context.cancel;
    return oracle;
}

/// What programs for a task could get away with, one sentence a line.
std::string flagsOf(const OracleReport& report, std::string_view indent = {})
{
    std::string text;
    for (const OutputSummary& output : report.outputs)
        if (output.oneValue)
            text += formatLine("{}All elements of {} are equal: a constant would pass.\n",
                               std::string(indent), output.name);
    for (const std::string& name : report.deaf)
        text += formatLine("{}No output reacts to the values of {}: a program that ignores it would pass.\n",
                           std::string(indent), name);
    return text;
}

std::string reportText(const OracleReport& report)
{
    std::string text;
    for (const OutputSummary& output : report.outputs) {
        text += formatLine("{} {}: {} to {}, mean {}", output.name, output.type, formatNumber(output.least),
                           formatNumber(output.most), formatNumber(output.mean));
        if (output.notFinite > 0)
            text += fmt::format(", {} not finite", output.notFinite);
        text += fmt::format("; fp32 differs from fp64 by {:.2g} of the largest\n", output.noise);
    }
    text += flagsOf(report);
    text += fmt::format("fp64 took {}, fp32 {}, at most {} of memory\n", formatDuration(report.seconds64),
                        formatDuration(report.seconds32), formatBytes(static_cast<double>(report.peakBytes)));
    return text;
}

int run(const Context& context, const OperatorArguments& options)
{
    const auto text = readFile(options.path, GraphLimits::fileBytes);
    if (!text)
        return context.error(text.error());
    // Here too, so that what is wrong is said with the file's name.
    if (const auto graph = parseGraph(*text, options.path); !graph)
        return context.error(graph.error());
    const auto tensors = storedNextTo(options.path);
    if (!tensors)
        return context.error(tensors.error());
    OracleProcess oracle(oracleOptions(context, options));
    const auto report = oracle.examine(*text, *tensors, options.seed);
    if (!report)
        return context.failed(
            Error{report.error().what, options.path, 0, report.error().remedy, report.error().kind});
    context.emit(fieldToJson(*report));
    if (!context.json)
        context.print(reportText(*report));
    return Done;
}

/// Makes room for a task. What an earlier import wrote goes; anything else is left alone and refused.
Status clearTask(const fs::path& folder)
{
    if (behindLink(folder) != folder || behindLink(folder.parent_path()) != folder.parent_path())
        return failAt(folder.string(), 0, "graphs are not written through a link", "Choose another --out");
    if (!glance(folder).exists)
        return {};
    SPARSERL_TRY(const auto files, listDirectory(folder));
    const auto isOurs = [](const fs::path& file) {
        return file.filename() == "task.py" || file.extension() == ".json" ||
               file.extension() == ".safetensors";
    };
    if (!files.empty() &&
        (!glance(folder / "task.py").exists || !std::all_of(files.begin(), files.end(), isOurs)))
        return failAt(folder.string(), 0, "this folder is no earlier import", "Choose another --out");
    for (const fs::path& file : files)
        if (std::error_code code; !removeEntry(file, code) && code)
            return fail(fileError("cannot remove an earlier graph", file, code.value()));
    return {};
}

/// The name of a task's folder: its path below the folder that is imported, so that no two are the same.
std::string folderName(const fs::path& file, const fs::path& imported)
{
    fs::path below = glance(imported).folder ? file.lexically_relative(imported) : file.filename();
    below.replace_extension();
    std::string name;
    for (const fs::path& part : below)
        name += (name.empty() ? "" : "__") + part.string();
    return fileNameFor(name);
}

/// Writes a task's sizes below `folder`.
Status writeTask(const fs::path& folder, const ImportedTask& task, const std::string& text)
{
    SPARSERL_CHECK(clearTask(folder));
    SPARSERL_CHECK(writeFileAtomic(folder / "task.py", text));
    for (const ImportedSize& size : task.sizes) {
        const std::string name = fileNameFor(size.graph.size);
        SPARSERL_CHECK(writeFileAtomic(folder / (name + ".json"), dumpJson(toJson(size.graph)) + "\n"));
        SPARSERL_CHECK(writeFileAtomic(folder / (name + ".safetensors"), formatTensors(size.tensors)));
    }
    return {};
}

/// By how much the result that a task returned may differ from fp64: the error of the same calls in the same
/// types, four times, and some roundings.
double allowedDifference(const TensorType& type, double noise)
{
    constexpr double noises = 4, roundings = 8;
    return noises * noise + roundings * unitRoundoff(type.element);
}

/// Runs a graph and compares its outputs with what the task's own Python returned.
Result<OracleReport> examineSize(OracleProcess& oracle, const ImportedSize& size)
{
    const auto isStored = [&](const auto& one) { return size.tensors.contains(one.name); };
    // PyTorch drew the tensors that are not stored with its own generator.
    const bool comparable =
        std::ranges::all_of(size.graph.inputs, isStored) && std::ranges::all_of(size.graph.weights, isStored);
    SPARSERL_TRY(auto report, oracle.examine(dumpJson(toJson(size.graph)), formatTensors(size.tensors), {},
                                             comparable ? formatTensors(size.expected) : std::string()));
    for (std::size_t i = 0; comparable && i < report.outputs.size() && i < size.graph.outputs.size(); ++i) {
        const OutputSummary& output = report.outputs[i];
        const auto value = static_cast<std::size_t>(size.graph.outputs[i].value);
        if (!output.recorded)
            return fail(formatLine("the task returned no {} (size {})", output.name, size.graph.size));
        if (!(*output.recorded <= allowedDifference(size.graph.values[value], output.noise)))
            return fail(
                formatLine("the recorded graph does not compute what the task returned: {} differs by "
                           "{:.2g} of its largest magnitude (size {})",
                           output.name, *output.recorded, size.graph.size));
    }
    return report;
}

Status importOne(const Context& context, const ImportPython& python, const ImportOptions& options,
                 OracleProcess& oracle, const fs::path& file, const fs::path& folder)
{
    SPARSERL_TRY(const auto text, readFile(file, largestTask));
    const std::string name = file.stem().string();
    SPARSERL_TRY(const auto task, importTask(python, text, name, options));
    nlohmann::json sizes = nlohmann::json::array(), examined = nlohmann::json::array();
    std::string flags;
    for (const ImportedSize& size : task.sizes) {
        sizes.push_back(size.graph.size);
        SPARSERL_TRY(const auto report, examineSize(oracle, size));
        examined.push_back(fieldToJson(report));
        if (flags.empty()) // Of the base size, or of the first that has any.
            flags = flagsOf(report, "  ");
    }
    SPARSERL_CHECK(writeTask(folder, task, text));
    const auto& base = task.sizes.front().graph;
    const auto facts = graphFacts(base);
    context.emit({{"task", file.string()},
                  {"folder", folder.string()},
                  {"sizes", sizes},
                  {"examined", examined},
                  {"nodes", base.nodes.size()},
                  {"level", facts.level},
                  {"digest", graphDigest(base)},
                  {"depends_on_values", base.dependsOnValues}});
    if (!context.json)
        context.print(formatLine("{}: {}, {}, level {}, in {}\n", file.string(),
                                 formatCounted(static_cast<std::int64_t>(task.sizes.size()), "size"),
                                 formatCounted(static_cast<std::int64_t>(base.nodes.size()), "call"),
                                 facts.level, folder.string()) +
                      flags);
    return {};
}

int importTasks(const Context& context, const OperatorArguments& options)
{
    std::vector<fs::path> files{options.path};
    if (glance(options.path).folder) {
        auto all = listTree(options.path);
        if (!all)
            return context.error(all.error());
        std::erase_if(*all, [](const fs::path& file) { return file.extension() != ".py"; });
        files = std::move(*all);
    }
    if (files.empty())
        return context.error({"there is no task (*.py) in this folder", options.path, 0, {}});
    const auto python = findImportPython();
    if (!python)
        return context.error(python.error());
    const auto runner = findRunner(siblingProgram(context, "sparserl-runner"));
    if (!runner)
        return context.error(runner.error());
    ImportOptions importing;
    importing.runner = *runner;
    importing.mode = options.mode;
    importing.cancel = context.cancel;
    OracleProcess oracle(oracleOptions(context, options));
    int refused = 0;
    for (std::size_t i = 0; i < files.size(); ++i) {
        context.keeps(fmt::format("{} of {} are in {}", i - static_cast<std::size_t>(refused),
                                  formatCounted(static_cast<std::int64_t>(files.size()), "task"),
                                  printableLine(options.out)));
        context.progress(static_cast<double>(i) / static_cast<double>(files.size()), "importing tasks");
        const auto done = importOne(context, *python, importing, oracle, files[i],
                                    fs::path(options.out) / folderName(files[i], options.path));
        context.endProgress();
        if (done)
            continue;
        if (context.cancel.cancelled() || files.size() == 1)
            return context.failed(
                Error{done.error().what, files[i].string(), 0, done.error().remedy, done.error().kind});
        ++refused;
        context.emit(
            {{"task", files[i].string()}, {"refused", done.error().what}, {"remedy", done.error().remedy}});
        if (!context.json)
            context.print(formatLine("{}: {}\n", files[i].string(), done.error().what));
    }
    if (refused > 0 && !context.json)
        context.print(fmt::format("{} of {} could not be imported.\n", refused,
                                  formatCounted(static_cast<std::int64_t>(files.size()), "task")));
    return refused == static_cast<int>(files.size()) ? Failed : Done;
}

} // namespace

Body add_operator(CLI::App& app, Context& context)
{
    CLI::App* command = app.add_subcommand("operator", "Operator tasks: PyTorch modules as graphs of calls.");
    command->require_subcommand(1);
    auto chosen = std::make_shared<Body>();
    auto options = std::make_shared<OperatorArguments>();
    const auto add = [&](const char* name, const char* help, const char* argument, const char* meaning,
                         Body body) {
        CLI::App* sub = command->add_subcommand(name, help);
        sub->add_option(argument, options->path, meaning)->required();
        sub->callback([chosen, body = std::move(body)] { *chosen = body; });
        return sub;
    };
    const auto addLimits = [options](CLI::App* to) {
        constexpr double aDay = 86400;
        to->add_option("--seconds", options->seconds, "Time limit of one run of a graph")
            ->check(CLI::Range(0.001, aDay))
            ->capture_default_str();
        to->add_option("--memory", options->memoryMiB, "Limit of memory for tensors, in MiB")
            ->check(CLI::Range(1, 1 << 20))
            ->capture_default_str();
    };
    CLI::App* import =
        add("import", "Record a task's Python once, in a locked process, as graphs of several sizes.", "FILE",
            "A task in KernelBench's form (Model, get_inputs, get_init_inputs), or a folder of such files",
            [&context, options] { return importTasks(context, *options); });
    import->add_option("--out", options->out, "Folder for the graphs, one folder for each task")
        ->capture_default_str();
    addLimits(import);
    import->add_option("--mode", options->mode, "How the module runs while it is recorded")
        ->check(CLI::IsMember({"train", "eval"}))
        ->capture_default_str();
    add("show", "Show what follows from a graph: arguments, operations, bytes, level.", "GRAPH",
        "A graph as JSON, with its tensors in a .safetensors of the same name",
        [&context, options] { return show(context, *options); });
    CLI::App* running =
        add("run", "Run a graph in fp64 and fp32 in a locked process, and say what that shows.", "GRAPH",
            "A graph as JSON, with its tensors in a .safetensors of the same name",
            [&context, options] { return run(context, *options); });
    running->add_option("--seed", options->seed, "Draw every tensor that has a fill with this seed");
    addLimits(running);
    return [chosen] { return (*chosen)(); };
}

} // namespace sparserl::cli

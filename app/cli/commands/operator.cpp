// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "app/cli/commands/operator_import.h"
#include "app/cli/commands/operator_synthesize.h"
#include "app/cli/number_checks.h"
#include "base/beneath.h"
#include "base/files.h"
#include "base/format.h"
#include "base/json.h"
#include "base/printable.h"
#include "evaluation/runners/oracle_process.h"
#include "operator/graph/graph_digest.h"
#include "operator/graph/graph_facts.h"
#include "operator/graph/graph_file.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace sparserl::cli {

namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t largestTensors = std::uint64_t(4) << 30;

struct OperatorArguments
{
    std::string path, out = "operators", mode = "train";
    double seconds = 60;
    std::int64_t memoryMiB = 4096;
    std::optional<std::uint64_t> seed;
    std::vector<int> levels;
    // synthesize
    std::int64_t count = 100;
    std::vector<double> mixture{defaultMixture.begin(), defaultMixture.end()};
    std::vector<std::string> heldOut;
    double similarity = 0.9, leastMs = 1, mostMs = 100, gigabytes = 3350, teraflops = 67;
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
    for (const std::string& flag : flagsOf(report))
        text += flag + "\n";
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

int synthesizeFrom(const Context& context, const OperatorArguments& options)
{
    if (options.leastMs > options.mostMs)
        return context.wrongUsage({"--least-ms is more than --most-ms"});
    double shares = 0;
    for (const double share : options.mixture)
        shares += share;
    if (!(shares > 0))
        return context.wrongUsage({"--mixture has no share above 0"});
    OperatorSynthesisOptions made{options.path, options.heldOut, {}, oracleOptions(context, options)};
    constexpr double milli = 1e-3, giga = 1e9, tera = 1e12;
    SynthesisOptions& synthesis = made.synthesis;
    synthesis.count = static_cast<std::size_t>(options.count);
    synthesis.seed = options.seed.value_or(1);
    std::ranges::copy(options.mixture, synthesis.mixture.begin());
    synthesis.mostSimilar = options.similarity;
    synthesis.leastSeconds = options.leastMs * milli;
    synthesis.mostSeconds = options.mostMs * milli;
    synthesis.bytesPerSecond = options.gigabytes * giga;
    synthesis.flopsPerSecond = options.teraflops * tera;
    return synthesizeTasks(context, std::move(made));
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
            "A task in KernelBench's form (Model, get_inputs, get_init_inputs), a folder of such files, or a "
            "checkout of KernelBench",
            [&context, options] {
                return importTasks(context, {options->path, options->out, options->mode, options->levels,
                                             oracleOptions(context, *options)});
            });
    import->add_option("--out", options->out, "Folder for the graphs, one folder for each task")
        ->capture_default_str();
    addLimits(import);
    import->add_option("--mode", options->mode, "How the module runs while it is recorded")
        ->check(CLI::IsMember({"train", "eval"}))
        ->capture_default_str();
    import->add_option("--level", options->levels, "Levels of a checkout of KernelBench (default: all)")
        ->check(CLI::Range(1, 9))
        ->delimiter(',');
    add("show", "Show what follows from a graph: arguments, operations, bytes, level.", "GRAPH",
        "A graph as JSON, with its tensors in a .safetensors of the same name",
        [&context, options] { return show(context, *options); });
    CLI::App* running =
        add("run", "Run a graph in fp64 and fp32 in a locked process, and say what that shows.", "GRAPH",
            "A graph as JSON, with its tensors in a .safetensors of the same name",
            [&context, options] { return run(context, *options); });
    running->add_option("--seed", options->seed, "Draw every tensor that has a fill with this seed");
    addLimits(running);
    CLI::App* making = add("synthesize", "Make tasks: stacks of operators that fit, and pass filters.",
                           "FOLDER", "Folder for the tasks, one folder for each",
                           [&context, options] { return synthesizeFrom(context, *options); });
    making->add_option("-n,--count", options->count, "Number of tasks to keep")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str();
    making->add_option("--seed", options->seed, "Seed of the draws (default: 1)");
    making->add_option("--mixture", options->mixture, "Shares of tasks with 1 to 5 classes of operators")
        ->delimiter(',')
        ->expected(mostStacked)
        ->check(nonNegativeNumber())
        ->capture_default_str();
    making
        ->add_option(
            "--held-out", options->heldOut,
            "NAME=FOLDER with imported tasks that no made one may be too similar to; may be repeated")
        ->allow_extra_args(false);
    making->add_option("--similarity", options->similarity, "Largest similarity to a held-out task, 0 to 1")
        ->check(CLI::Range(0.0, 1.0))
        ->capture_default_str();
    constexpr double most = 1e9;
    making->add_option("--least-ms", options->leastMs, "Least milliseconds at the full size, by the model")
        ->check(CLI::Range(0.0, most))
        ->capture_default_str();
    making->add_option("--most-ms", options->mostMs, "Most milliseconds at the full size, by the model")
        ->check(CLI::Range(0.0, most))
        ->capture_default_str();
    making->add_option("--gigabytes", options->gigabytes, "GB/s of the modelled GPU's memory")
        ->check(CLI::Range(1.0, most))
        ->capture_default_str();
    making->add_option("--teraflops", options->teraflops, "Teraflops of the modelled GPU in fp32")
        ->check(CLI::Range(0.001, most))
        ->capture_default_str();
    addLimits(making);
    return [chosen] { return (*chosen)(); };
}

} // namespace sparserl::cli

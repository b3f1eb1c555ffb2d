// SPDX-License-Identifier: Apache-2.0
// Two programs on one matrix, measure by measure: which is faster, and what each spends its time on.
#include "app/cli/columns_option.h"
#include "app/cli/commands.h"
#include "app/cli/device_choice.h"
#include "app/cli/findings_text.h"
#include "app/cli/judge_seed.h"
#include "app/cli/matrix_words.h"
#include "app/cli/require_sandbox.h"
#include "app/cli/usage.h"
#include "base/files.h"
#include "base/format.h"
#include "base/printable.h"
#include "evaluation/judge/make_judge.h"
#include "kernel/plan.h"

#include <CLI/CLI.hpp>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace sparserl::cli {

namespace {

struct CompareArguments
{
    std::array<std::string, 2> programs;
    std::string matrix, device = "auto", model = "h200";
    std::int64_t columns = 8;
    std::uint64_t seed = 0, judgeSeed = 0;
    SandboxLevel requiredSandbox = SandboxLevel::None;
    bool columnsGiven = false;
};

using Records = std::array<VerdictRecord, 2>;

/// One line of the table; a measure that a program does not have is nothing.
struct Measure
{
    const char* name;
    const char* unit;
    std::optional<double> (*of)(const VerdictRecord&);
};

/// Of a program that is correct: the counters of any other are those of the case that it failed on.
template <std::int64_t LineCounters::*Member>
std::optional<double> sumOf(const VerdictRecord& record)
{
    if (record.lines.empty() || !record.correct())
        return std::nullopt;
    double sum = 0;
    for (const LineCounters& line : record.lines)
        sum += static_cast<double>(line.*Member);
    return sum;
}

/// Without the counters of the PTX, which nothing here compares.
nlohmann::json recordJson(const VerdictRecord& record)
{
    auto json = toJson(record);
    json.erase("ptx_lines");
    return json;
}

std::optional<double> ifKnown(double value)
{
    return value > 0 ? std::optional(value) : std::nullopt;
}

constexpr Measure measures[] = {
    {"time, warm", "us",
     [](const VerdictRecord& r) { return r.warm ? std::optional(r.warm->median) : std::nullopt; }},
    {"time, cold", "us",
     [](const VerdictRecord& r) { return r.cold ? std::optional(r.cold->median) : std::nullopt; }},
    {"speed-up over the baseline", "x", [](const VerdictRecord& r) { return ifKnown(r.speedup()); }},
    {"share of the limit", "%", [](const VerdictRecord& r) { return ifKnown(100 * r.shareOfLimit); }},
    {"set-up", "us",
     [](const VerdictRecord& r) { return r.warm ? std::optional(r.setupMicroseconds) : std::nullopt; }},
    {"registers", "", [](const VerdictRecord& r) { return ifKnown(r.registers); }},
    {"shared memory", "B",
     [](const VerdictRecord& r) {
         return r.warm ? std::optional(static_cast<double>(r.staticShared + r.dynamicShared)) : std::nullopt;
     }},
    {"occupancy", "%",
     [](const VerdictRecord& r) { return r.correct() ? ifKnown(100 * r.occupancy) : std::nullopt; }},
    {"warp instructions", "", sumOf<&LineCounters::warpInstructions>},
    {"thread instructions", "", sumOf<&LineCounters::threadInstructions>},
    {"sectors asked for", "", sumOf<&LineCounters::globalSectors>},
    {"of those in L1", "", sumOf<&LineCounters::l1Hits>},
    {"of those in L2", "", sumOf<&LineCounters::l2Hits>},
    {"DRAM sectors", "", sumOf<&LineCounters::dramSectors>},
    {"bank conflicts", "", sumOf<&LineCounters::bankConflicts>},
    {"atomics", "", sumOf<&LineCounters::atomics>},
    {"divergent branches", "", sumOf<&LineCounters::divergentBranches>},
};

std::string textOf(const std::optional<double>& value, const char* unit)
{
    if (!value)
        return "-";
    const std::string_view of = unit;
    if (of.empty() || of == "B") // counts
        return formatGrouped(std::llround(*value)) + (of.empty() ? "" : " B");
    const int digits = of == "x" ? (*value < 10 ? 3 : 1) : of == "%" ? 1 : 2;
    return fmt::format("{:.{}f} {}", *value, digits, unit);
}

/// How the second program stands to the first.
std::string ratioOf(const std::optional<double>& first, const std::optional<double>& second)
{
    return first && second && *first > 0 ? fmt::format("{:.2f}", *second / *first) : "-";
}

nlohmann::json findingsJson(const VerdictRecord& record)
{
    nlohmann::json list = nlohmann::json::array();
    const DeviceModel* model = deviceModelOf(record);
    if (model == nullptr || !record.warm)
        return list;
    for (const Finding& finding : findingsOf(record, *model))
        list.push_back({{"kind", nameOf(finding.kind)},
                        {"line", finding.line},
                        {"value", finding.value},
                        {"sentence", findingSentence(finding, record)}});
    return list;
}

/// The text for a program without findings.
std::string withoutFindings(const VerdictRecord& record)
{
    if (!record.correct())
        return fmt::format("not measured, as it is not correct ({})", sparserl::nameOf(record.verdict));
    return deviceModelOf(record) == nullptr || !record.warm ? "not profiled" : "no findings";
}

void show(const Context& context, const CompareArguments& options, const Records& records)
{
    nlohmann::json all{{"programs", options.programs},
                       {"matrix", records[0].target.name},
                       {"records", {recordJson(records[0]), recordJson(records[1])}},
                       {"findings", {findingsJson(records[0]), findingsJson(records[1])}},
                       {"measures", nlohmann::json::array()}};
    std::string table = formatLine("{} on the {}\n", records[0].target.name, records[0].device);
    for (int i = 0; i < 2; ++i)
        table += fmt::format("  {}: {}, {}{}{}\n", i == 0 ? 'A' : 'B', options.programs[i],
                             sparserl::nameOf(records[i].verdict), records[i].message.empty() ? "" : ": ",
                             records[i].message);
    table += fmt::format("{:<28}{:>16}{:>16}{:>9}\n", "", "A", "B", "B / A");
    for (const Measure& measure : measures) {
        const auto a = measure.of(records[0]), b = measure.of(records[1]);
        if (!a && !b)
            continue;
        const auto number = [](const auto& value) {
            return value ? nlohmann::json(*value) : nlohmann::json();
        };
        all["measures"].push_back(
            {{"name", measure.name}, {"unit", measure.unit}, {"a", number(a)}, {"b", number(b)}});
        table += fmt::format("{:<28}{:>16}{:>16}{:>9}\n", measure.name, textOf(a, measure.unit),
                             textOf(b, measure.unit), ratioOf(a, b));
    }
    for (int i = 0; i < 2; ++i) {
        const auto& found = all["findings"][i];
        table +=
            fmt::format("{}: {}\n", i == 0 ? 'A' : 'B', found.empty() ? withoutFindings(records[i]) : "");
        for (const auto& finding : found)
            table += "  " + finding["sentence"].get<std::string>() + "\n";
    }
    if (records[0].warm && records[1].warm) {
        const double ratio = records[0].warm->median / records[1].warm->median;
        table += ratio >= 1 ? fmt::format("B is {:.2f} times as fast as A.\n", ratio)
                            : fmt::format("A is {:.2f} times as fast as B.\n", 1 / ratio);
    }
    context.emit(all);
    if (!context.json)
        context.print(table);
}

int runCompare(const Context& context, const CompareArguments& options)
{
    std::array<std::string, 2> texts;
    std::array<Task, 2> tasks{};
    std::array<ElementType, 2> types{};
    for (int i = 0; i < 2; ++i) {
        auto text = readFile(options.programs[i], 16u << 20);
        if (!text)
            return context.error(text.error());
        const auto program = parseProgram(*text);
        if (!program)
            return context.error({program.error().reason, options.programs[i], program.error().line, {}});
        tasks[i] = program->plan.task;
        types[i] = program->plan.type;
        texts[i] = std::move(*text);
    }
    if (tasks[0] != tasks[1])
        return context.error(
            {fmt::format("the programs compute different tasks: the plan of the first says {}, "
                         "that of the second {}",
                         sparserl::nameOf(tasks[0]), sparserl::nameOf(tasks[1])),
             options.programs[1], 0, "Give two programs of one task"});
    if (types[0] != types[1])
        return context.error(
            {fmt::format("the programs use different element types: the plan of the first says {}, "
                         "that of the second {}",
                         sparserl::nameOf(types[0]), sparserl::nameOf(types[1])),
             options.programs[1], 0, "Give two programs of one element type"});
    if (tasks[0] == Task::Operator)
        return context.error({"programs for operators cannot be compared on a matrix", options.programs[0], 0,
                              "Judge them with `sparserl judge --operator`"});
    noteUnusedColumns(context, options.columnsGiven, tasks[0] == Task::SpMM);
    const auto source = matrixOf(options.matrix);
    auto read = source ? source->load(readingOf(context, options.matrix)) : Result<Csr>(fail(source.error()));
    context.endProgress();
    if (!read)
        return context.failed(read.error());
    const auto matrix = std::make_shared<const Csr>(std::move(*read));
    const std::string contents = digest(*matrix);
    std::vector<JudgeRequest> requests;
    for (int i = 0; i < 2; ++i) {
        JudgeRequest request;
        request.program = texts[i];
        request.target = {{.contents = contents,
                           .name = source->name,
                           .variant = TargetVariant::of(tasks[i], options.columns, types[i])},
                          matrix};
        request.seed = options.seed;
        request.lineCounters = true;
        requests.push_back(std::move(request));
    }
    JudgeOptions judging;
    judging.runnerPath = siblingProgram(context, "sparserl-runner");
    judging.deviceModel = options.model;
    judging.secretSeed = secretOf(options.judgeSeed);
    judging.requiredSandbox = options.requiredSandbox;
    judging.gpuInTurn = true;
    judging.log = [&](std::string_view sentence) {
        if (!context.quiet)
            context.note(sentence);
    };
    auto judge = makeJudge(options.device, judging);
    if (!judge)
        return context.error(judge.error());
    const auto records = (*judge)->judge(requests, context.cancel, {});
    if (!records)
        return context.failed(records.error());
    if (context.cancel.cancelled())
        return Interrupted;
    show(context, options, {records->at(0), records->at(1)});
    for (const VerdictRecord& record : *records)
        if (record.verdict == Verdict::MachineError)
            return Failed;
    return Done;
}

} // namespace

Body add_compare(CLI::App& app, Context& context)
{
    auto options = std::make_shared<CompareArguments>();
    CLI::App* command = app.add_subcommand(
        "compare", "Judge two kernel programs on a matrix: their profiles side by side, and findings.");
    command->add_option("A", options->programs[0], "The first program")->required();
    command->add_option("B", options->programs[1], "The second program")->required();
    takesNames(command->add_option("MATRIX,--matrix", options->matrix, oneMatrixHelp), "matrices")
        ->required();
    const CLI::Option* columns = addColumns(*command, options->columns);
    addDevice(*command, options->device);
    addModel(*command, options->model);
    command->add_option("--seed", options->seed, "Seed of inputs and schedule")->capture_default_str();
    addJudgeSeed(*command, options->judgeSeed);
    addRequireSandbox(*command, options->requiredSandbox);
    return [options, columns, &context] {
        options->columnsGiven = columns->count() > 0;
        return runCompare(context, *options);
    };
}

} // namespace sparserl::cli

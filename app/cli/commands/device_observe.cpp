// SPDX-License-Identifier: Apache-2.0
#include "app/cli/device_commands.h"
#include "app/cli/matrix_words.h"
#include "app/cli/number_checks.h"
#include "base/format.h"
#include "evaluation/audit/judge_observations.h"
#include "evaluation/audit/observations.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

namespace sparserl::cli {

namespace {

struct DeviceObserveArguments
{
    std::string device = "cuda", control = "none", only;
    int ordinal = 0, runs = 24, samples = 10;
    std::uint64_t seed = 1;
};

/// A row of either table: what was observed, how many of each group, and how far they lie apart.
nlohmann::json differenceJson(const auto& row, const char* first, const char* second)
{
    const GroupDifference& d = row.difference;
    return {{"observable", row.observable.name},
            {"help", row.observable.help},
            {first, d.first},
            {second, d.second},
            {"feature", d.feature},
            {"distance", d.distance},
            {"half_width", d.halfWidth},
            {"excess", d.excess},
            {"p", d.p},
            {"smallest", d.smallest},
            {"in_tests", row.covered}};
}

std::string differenceHead(const char* first, const char* second, int width)
{
    return fmt::format("{:<28} {:>{}} {:>{}}  {:<7} {:>20} {:>7} {:>9} {:>9} {:>8}", "what a program reads",
                       first, width, second, width, "feature", "distance, 95 %", "excess", "p", "smallest",
                       "in tests");
}

std::string differenceLine(const auto& row, int width, std::string_view remark)
{
    const GroupDifference& d = row.difference;
    return fmt::format(
        "{:<28} {:>{}} {:>{}}  {:<7} {:>+8.4f} +- {:<8.4f} {:>+7.2f} {:>9.2g} {:>9.4f} {:>7.1f} %{}",
        row.observable.name, d.first, width, d.second, width, d.feature.empty() ? "none" : d.feature,
        d.distance, d.halfWidth, d.excess, d.p, d.smallest, 100 * row.covered, remark);
}

/// Nothing where so many runs can show a difference among the observables that are asked for.
template <typename Observables>
std::optional<Error> tooFewRuns(const DeviceObserveArguments& arguments, const Observables& observables,
                                double level)
{
    const auto asked = std::count_if(observables.begin(), observables.end(), [&](const auto& one) {
        return one.name.find(arguments.only) != std::string_view::npos;
    });
    const int fewest = fewestRuns(static_cast<std::size_t>(asked), level);
    if (asked == 0 || arguments.runs >= fewest)
        return std::nullopt;
    return Error{fmt::format("{} cannot show any difference at {:g} among {}",
                             formatCounted(arguments.runs, "run"), level, formatCounted(asked, "observable")),
                 {},
                 0,
                 fmt::format("use --runs {} or more", fewest)};
}

/// Tests against target, on the simulated device.
int runJudgeObserve(const Context& context, const DeviceObserveArguments& arguments)
{
    using Control = JudgeObservationOptions::Control;
    JudgeObservationOptions options;
    options.judges = arguments.runs;
    options.seed = arguments.seed;
    options.only = arguments.only;
    options.control = arguments.control == "signs"   ? Control::Signs
                      : arguments.control == "marks" ? Control::Mark
                                                     : Control::None;
    if (const auto problem = tooFewRuns(arguments, judgeObservables(), options.level))
        return context.error(*problem);
    options.runnerPath = siblingProgram(context, "sparserl-runner");
    options.cancel = context.cancel;
    options.progress = [&](double share) { context.progress(share, "observing"); };
    const auto found = observeJudges(options);
    context.endProgress();
    if (!found)
        return context.failed(found.error());
    if (found->rows.empty())
        return context.error(
            Error{"no observable has '" + arguments.only + "' in its name", {}, 0, "leave --only out"});
    std::size_t standing = 0, compared = 0;
    constexpr int width = 7;
    context.print(differenceHead("tests", "target", width));
    for (const JudgeObservationRow& row : found->rows) {
        const bool stood = stands(row, options.level);
        standing += stood ? 1 : 0;
        compared += row.verdict.empty() ? 1 : 0;
        nlohmann::json line = differenceJson(row, "tests", "target");
        line["allowed"] = row.observable.allowed;
        line["verdict"] = row.verdict;
        context.emit(line);
        if (!row.verdict.empty())
            context.print(fmt::format("{:<28} no program reads it: {}{}", row.observable.name, row.verdict,
                                      stood ? "  UNEXPECTED" : ""));
        else
            context.print(differenceLine(row, width,
                                         row.observable.allowed           ? "  the contract's"
                                         : !stood                         ? ""
                                         : row.observable.refusal.empty() ? "  DIFFERS"
                                                                          : "  UNEXPECTED"));
    }
    for (const JudgeDesign& design : found->designs) {
        context.emit({{"design", design.name}, {"tests", design.tests}, {"target", design.target}});
        standing += stands(design) ? 1 : 0;
        context.print(fmt::format("{:<72} {:>5.1f} % of tests {:>5.1f} % of the target's calls{}",
                                  design.name, 100 * design.tests, 100 * design.target,
                                  stands(design) ? "  NO TEST" : ""));
    }
    context.print(fmt::format("tests against the target, within designs that both have, on the simulated "
                              "device with {} judges{}: {} of {} are significant at {:g}",
                              options.judges,
                              options.control == Control::None ? "" : ", control: " + arguments.control,
                              standing, compared, options.level));
    return (standing > 0) == (options.control != Control::None) ? Done : Failed;
}

int runDeviceObserve(const Context& context, const DeviceObserveArguments& arguments)
{
    if (arguments.device == "sim")
        return runJudgeObserve(context, arguments);
    ObservationOptions options;
    if (const auto problem = tooFewRuns(arguments, observables(), options.level))
        return context.error(*problem);
    auto device = CudaDevice::create(arguments.ordinal);
    if (!device)
        return context.error(device.error());
    options.runs = arguments.runs;
    options.samples = arguments.samples;
    options.seed = arguments.seed;
    options.only = arguments.only;
    options.control = arguments.control == "signs"   ? ObserveRequest::Control::Signs
                      : arguments.control == "marks" ? ObserveRequest::Control::Marks
                                                     : ObserveRequest::Control::None;
    options.cancel = context.cancel;
    options.progress = [&](double share) { context.progress(share, "observing"); };
    const auto rows = observeTimedCalls(**device, options);
    context.endProgress();
    if (!rows)
        return context.failed(rows.error());
    if (rows->empty())
        return context.error(
            Error{"no observable has '" + arguments.only + "' in its name", {}, 0, "leave --only out"});
    int significant = 0;
    constexpr int width = 8;
    context.print(differenceHead("compared", "others", width));
    for (const ObservationRow& row : *rows) {
        const bool differs = row.difference.p < options.level;
        significant += differs ? 1 : 0;
        context.emit(differenceJson(row, "compared", "others"));
        context.print(differenceLine(row, width, differs ? "  DIFFERS" : ""));
    }
    context.print(fmt::format("{} on the {}: {} of {} differ at {:g}, corrected for {} features; smallest: a "
                              "difference that is found "
                              "with a probability of 0.8; in tests: of the values that at least 5 % of the "
                              "timed calls have, the one "
                              "that is rarest in tests, as a share of the test calls",
                              arguments.control == "none" ? "compared calls and other timed calls"
                                                          : "control: " + arguments.control,
                              (*device)->name(), significant, rows->size(), options.level,
                              rows->size() * (observedFeatures + 1)));
    return (significant > 0) == (arguments.control != "none") ? Done : Failed;
}

} // namespace

Body add_device_observe(CLI::App& device, Context& context)
{
    auto arguments = std::make_shared<DeviceObserveArguments>();
    auto* command = device.add_subcommand(
        "observe",
        "Test whether a program can tell compared calls from other calls (on a GPU), or tests from the "
        "target (on the simulated device).");
    command->add_option("--device", arguments->device, "Where")
        ->check(CLI::IsMember({"cuda", "sim"}))
        ->capture_default_str();
    command
        ->add_option("--control", arguments->control,
                     "Make calls differ on purpose, as a control: other signs of x, or a mark in memory")
        ->check(CLI::IsMember({"none", "signs", "marks"}))
        ->capture_default_str();
    command->add_option("--only", arguments->only, "Only observables with this text in their name");
    command->add_option("--runs", arguments->runs, "Measurements of each")
        ->check(CLI::Range(3, 1000))
        ->capture_default_str();
    command->add_option("--samples", arguments->samples, "Of each measurement")
        ->check(CLI::Range(1, 200))
        ->capture_default_str();
    command->add_option("--ordinal", arguments->ordinal, "Which GPU")->check(nonNegativeNumber());
    command->add_option("--seed", arguments->seed, "Seed of inputs and orders")->capture_default_str();
    return [arguments, &context] { return runDeviceObserve(context, *arguments); };
}

} // namespace sparserl::cli

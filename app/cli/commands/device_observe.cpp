// SPDX-License-Identifier: Apache-2.0
#include "app/cli/device_commands.h"
#include "evaluation/audit/observations.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

namespace {

struct DeviceObserveArguments
{
    std::string control = "none", only;
    int ordinal = 0, runs = 24, samples = 10;
    std::uint64_t seed = 1;
};

int runDeviceObserve(const Context& context, const DeviceObserveArguments& arguments)
{
    auto device = CudaDevice::create(arguments.ordinal);
    if (!device)
        return context.error(device.error());
    ObservationOptions options;
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
    context.print(fmt::format("{:<28} {:>8} {:>8}  {:<7} {:>20} {:>7} {:>9} {:>9} {:>8}",
                              "what a program reads", "compared", "others", "feature", "distance, 95 %",
                              "excess", "p", "smallest", "in tests"));
    for (const ObservationRow& row : *rows) {
        const GroupDifference& d = row.difference;
        significant += d.p < options.level ? 1 : 0;
        context.emit({{"observable", row.observable.name},
                      {"help", row.observable.help},
                      {"compared", d.first},
                      {"others", d.second},
                      {"feature", d.feature},
                      {"distance", d.distance},
                      {"half_width", d.halfWidth},
                      {"excess", d.excess},
                      {"p", d.p},
                      {"smallest", d.smallest},
                      {"in_tests", row.covered}});
        context.print(fmt::format(
            "{:<28} {:>8} {:>8}  {:<7} {:>+8.4f} +- {:<8.4f} {:>+7.2f} {:>9.2g} {:>9.4f} {:>7.1f} %{}",
            row.observable.name, d.first, d.second, d.feature.empty() ? "none" : d.feature, d.distance,
            d.halfWidth, d.excess, d.p, d.smallest, 100 * row.covered,
            d.p < options.level ? "  DIFFERS" : ""));
    }
    context.print(fmt::format("{} on the {}: {} of {} differ at {:g}, corrected for {} features; smallest: "
                              "found with a probability of 0.8; "
                              "in tests: least share of tests that see what a twentieth of timed calls see",
                              arguments.control == "none" ? "compared calls against others that are timed"
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
        "Test whether anything that a program can read tells compared calls from others, on a GPU.");
    command
        ->add_option(
            "--control", arguments->control,
            "Make calls differ on purpose, to see that it shows: other signs of x, or cleared shared memory")
        ->check(CLI::IsMember({"none", "signs", "marks"}))
        ->capture_default_str();
    command->add_option("--only", arguments->only, "Only what has this in its name");
    command->add_option("--runs", arguments->runs, "Measurements of each")
        ->check(CLI::Range(3, 1000))
        ->capture_default_str();
    command->add_option("--samples", arguments->samples, "Of each measurement")
        ->check(CLI::Range(1, 200))
        ->capture_default_str();
    command->add_option("--ordinal", arguments->ordinal, "Which GPU")->check(CLI::NonNegativeNumber);
    command->add_option("--seed", arguments->seed, "Seed of inputs and orders")->capture_default_str();
    return [arguments, &context] { return runDeviceObserve(context, *arguments); };
}

} // namespace sparserl::cli

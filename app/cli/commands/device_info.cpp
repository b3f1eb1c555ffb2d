// SPDX-License-Identifier: Apache-2.0
#include "app/cli/device_commands.h"
#include "app/cli/number_checks.h"
#include "evaluation/audit/gpu_check.h"
#include "machine/device_model.h"
#include "machine/sandbox_probe.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <unistd.h>

namespace sparserl::cli {

namespace {

struct DeviceInfoArguments
{
    int ordinal = 0;
    bool check = false, checkLocked = false, ceilings = true;
    std::string fault;
};

void showModels(const Context& context)
{
    for (const std::string& name : deviceModelNames()) {
        const DeviceModel& model = *findDeviceModel(name);
        context.emit({{"device", "simulated " + name},
                      {"sm_count", model.smCount},
                      {"clock_ghz", model.clockGHz},
                      {"l2_bytes", model.l2Bytes},
                      {"l2_gbps", model.l2GBps},
                      {"dram_gbps", model.dramGBps}});
        if (!context.json)
            context.print(fmt::format(
                "simulated {}: {} SMs at {:.2f} GHz, L2 {} MiB, {:.0f} GB/s, DRAM {:.0f} GB/s", name,
                model.smCount, model.clockGHz, model.l2Bytes >> 20, model.l2GBps, model.dramGBps));
    }
}

void showGpu(const Context& context, const GpuInfo& gpu)
{
    context.emit({{"device", gpu.name},
                  {"ordinal", gpu.ordinal},
                  {"driver", gpu.driver},
                  {"cuda", gpu.cudaVersion},
                  {"architecture", gpu.architecture()},
                  {"sm_count", gpu.smCount},
                  {"clock_ghz", gpu.clockGHz},
                  {"memory_bytes", gpu.memoryBytes},
                  {"l2_bytes", gpu.l2Bytes}});
    if (context.json)
        return;
    context.print(fmt::format(
        "GPU {}: {} (driver {}, CUDA {}.{}), {}, {} SMs at {:.3f} GHz, {:.1f} GiB at {:.3f} GHz x {} "
        "bits, L2 {:.1f} MiB, shared {} KiB per SM and {} KiB per block",
        gpu.ordinal, gpu.name, gpu.driver, gpu.cudaVersion / 1000, gpu.cudaVersion % 1000 / 10,
        gpu.architecture(), gpu.smCount, gpu.clockGHz, static_cast<double>(gpu.memoryBytes) / (1 << 30),
        gpu.memoryClockGHz, gpu.memoryBusBits, static_cast<double>(gpu.l2Bytes) / (1 << 20),
        gpu.sharedPerSm >> 10, gpu.maxSharedOptinPerBlock >> 10));
}

void showCeilings(const Context& context, const DeviceCeilings& found)
{
    context.emit({{"launch_us", found.launchMicroseconds},
                  {"next_launch_us", found.nextLaunchMicroseconds},
                  {"fill_us", found.fillMicroseconds},
                  {"l2_gbps", found.l2GBps},
                  {"dram_gbps", found.dramGBps},
                  {"dram_copy_gbps", found.dramCopyGBps}});
    if (!context.json)
        context.print(fmt::format(
            "    empty kernel {:.2f} us, each further one {:.2f} us, zeroing a buffer {:.2f} us; reading "
            "L2 {:.0f} GB/s, memory {:.0f} GB/s; copying memory {:.0f} GB/s",
            found.launchMicroseconds, found.nextLaunchMicroseconds, found.fillMicroseconds, found.l2GBps,
            found.dramGBps, found.dramCopyGBps));
}

void showSandboxes(const Context& context)
{
    const auto roles = probeSandboxes(siblingProgram(context, "sparserl-runner"));
    if (!roles)
        return context.note(roles.error().sentence());
    for (const RoleSandbox& one : *roles)
        context.emit({{"locked", one.role}, {"level", nameOf(one.level)}, {"lacks", one.lacks}});
    if (!context.json)
        context.print("locked processes: " + sandboxWords(*roles));
}

int runDeviceInfo(const Context& context, const DeviceInfoArguments& options)
{
    if (!options.fault.empty())
        runFault(options.fault, options.ordinal);
    showModels(context);
    showSandboxes(context);
    const auto gpus = listGpus();
    if (!gpus) {
        if (options.check || options.checkLocked)
            return context.error(gpus.error());
        context.emit({{"device", nullptr}, {"sentence", gpus.error().sentence()}});
        if (!context.json)
            context.print(fmt::format("no GPU: {}", gpus.error().sentence()));
        return Done;
    }
    for (const GpuInfo& gpu : *gpus)
        showGpu(context, gpu);
    auto device = CudaDevice::create(options.ordinal);
    if (!device)
        return context.error(device.error());
    if (options.ceilings || options.check) {
        const auto found = (*device)->ceilings();
        if (!found)
            return context.error(found.error());
        showCeilings(context, *found);
    }
    if (!options.check && !options.checkLocked)
        return Done;
    const auto tell = [&](const std::string& line) { context.print(line); };
    bool good = true;
    if (options.check) {
        good = checkPrograms(**device, context.cancel, tell);
        good = checkFaults(context.executable, options.ordinal, tell) && good;
    }
    good = checkLocked(siblingProgram(context, "sparserl-runner"), options.ordinal, context.cancel, tell) &&
           good;
    context.print(good ? "The GPU passed every check." : "Something FAILED; see above.");
    if ((*device)->poisoned())
        _exit(Failed); // the driver's exit handlers might wait for ever
    return good ? Done : Failed;
}

} // namespace

Body add_device_info(CLI::App& device, Context& context)
{
    auto options = std::make_shared<DeviceInfoArguments>();
    CLI::App* command = device.add_subcommand("info", "Describe every device and its limits.");
    command->add_option("--ordinal", options->ordinal, "Which GPU")
        ->check(nonNegativeNumber())
        ->capture_default_str();
    command->add_flag("--check", options->check,
                      "Also run programs of every family, the libraries, failing programs, and the test of "
                      "--check-locked (a minute).");
    command->add_flag("--check-locked", options->checkLocked,
                      "Also judge two programs in locked processes and list their refused system calls.");
    command->add_flag("!--no-ceilings", options->ceilings, "Do not measure launch times and bandwidths.");
    command->add_option("--fault", options->fault)->group("");
    return [options, &context] { return runDeviceInfo(context, *options); };
}

} // namespace sparserl::cli

// SPDX-License-Identifier: Apache-2.0
#include "app/cli/device_commands.h"
#include "device/device_model.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

namespace {

int run(const Context& context)
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
    return Done;
}

} // namespace

Body add_device_info(CLI::App& device, Context& context)
{
    device.add_subcommand("info", "Say what every device is.");
    return [&context] { return run(context); };
}

} // namespace sparserl::cli

// SPDX-License-Identifier: Apache-2.0
#include "training/work/memory_fit.h"

#include "base/format.h"
#include "base/limits.h"
#include "machine/gpu_readings.h"
#include "training/parameters/parameter_keys.h"
#include "training/work/stage_memory.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <fmt/format.h>
#include <string_view>

namespace sparserl {

namespace {

/// Of a GPU of NVML's list.
std::optional<DeviceMemory> memoryOfGpu(std::size_t number, const std::filesystem::path& nvml)
{
    const auto gpus = GpuReadings::open(nvml);
    if (!gpus)
        return std::nullopt;
    const auto readings = gpus->read();
    if (number >= readings.size() || !readings[number].memoryTotal)
        return std::nullopt;
    const double total = *readings[number].memoryTotal;
    return DeviceMemory{static_cast<int>(number), total, total - readings[number].memoryUsed.value_or(0)};
}

} // namespace

std::optional<DeviceMemory> deviceMemory(const std::string& device, const std::filesystem::path& nvml)
{
    if (device != "cpu") {
        std::size_t number = 0;
        if (const auto colon = device.find(':'); colon != std::string::npos)
            std::from_chars(device.data() + colon + 1, device.data() + device.size(), number);
        const auto found = memoryOfGpu(number, nvml);
        if (found || device != "auto")
            return found;
    }
    const auto memory = machineMemory();
    if (!memory)
        return std::nullopt;
    return DeviceMemory{std::nullopt, static_cast<double>(memory->total),
                        static_cast<double>(memory->available)};
}

MemoryFit memoryFit(double bytes, const DeviceMemory& device)
{
    return bytes > device.total  ? MemoryFit::Never
           : bytes > device.free ? MemoryFit::NotNow
                                 : MemoryFit::Fits;
}

std::vector<std::pair<std::string, std::string>> memorySavings(StageKind kind, const ParameterSet& parameters,
                                                               const PolicyFacts& policy, double bytes)
{
    std::vector<std::pair<std::string, std::string>> all;
    for (const std::string_view key : {param::pretrain::microBatch.key, param::sft::microBatch.key,
                                       param::rft::microBatch.key, param::rl::microBatch.key})
        all.emplace_back(key, "1");
    all.emplace_back(param::recompute.key, "true");
    all.emplace_back(param::precision.key, "bf16");
    // Each alone, in this order; then all.
    ParameterSet together = parameters;
    std::vector<std::pair<std::string, std::string>> changes;
    const auto enough = [&](const ParameterSet& tried) {
        return stageMemory(kind, tried, policy).total() <= bytes;
    };
    for (const auto& [key, value] : all) {
        if (!parameters.has(key) || toText(parameters.value(key)) == value)
            continue;
        ParameterSet alone = parameters;
        if (!alone.setText(key, value))
            continue;
        if (enough(alone))
            return {{key, value}};
        if (!together.setText(key, value))
            continue;
        changes.emplace_back(key, value);
    }
    return enough(together) ? changes : std::vector<std::pair<std::string, std::string>>();
}

std::string memoryWarning(StageKind kind, const ParameterSet& parameters, const PolicyFacts& policy,
                          const DeviceMemory& device)
{
    const double bytes = stageMemory(kind, parameters, policy).total();
    const MemoryFit fit = memoryFit(bytes, device);
    if (fit == MemoryFit::Fits)
        return {};
    const std::string place = device.gpu ? fmt::format("GPU {}", *device.gpu) : "this machine";
    std::string text = fmt::format("the stage needs about {} of memory for the policy, and {} has {}",
                                   formatBytes(bytes), place, formatBytes(device.total));
    if (fit == MemoryFit::NotNow)
        text += fmt::format(", of which {} are free", formatBytes(device.free));
    std::string values;
    for (const auto& [key, value] :
         memorySavings(kind, parameters, policy, fit == MemoryFit::Never ? device.total : device.free))
        values += fmt::format(" --set {}={}", key, value);
    if (!values.empty())
        return text + ". It fits with" + values;
    return text + (policy.rank > 0 ? ". Take a smaller policy"
                                   : ". Take a smaller policy, or adapters (`sparserl policy adapt`)");
}

} // namespace sparserl

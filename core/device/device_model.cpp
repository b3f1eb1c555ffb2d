// SPDX-License-Identifier: Apache-2.0
#include "device/device_model.h"

#include <algorithm>
#include <array>

namespace sparserl {

namespace {

DeviceModel h200()
{
    DeviceModel model;
    model.name = "h200";
    model.smCount = 132;
    model.clockGHz = 1.83;
    return model;
}

/// A mid-size GPU of the Ampere generation: nobody's own, for users who have no GPU in mind.
DeviceModel generic()
{
    DeviceModel model;
    model.name = "generic";
    model.smCount = 64;
    model.clockGHz = 1.5;
    model.maxThreadsPerSm = 1536;
    model.maxWarpsPerSm = 48;
    model.maxBlocksPerSm = 16;
    model.sharedPerSm = 102400;
    model.maxSharedPerBlock = 101376;
    model.l1Bytes = 131072;
    model.l2Bytes = 6291456;
    model.fp64PerClock = 0.0625;
    model.l2GBps = 2000;
    model.dramGBps = 550;
    model.atomicsPerClock = 24;
    model.l2Latency = 230;
    model.dramLatency = 500;
    model.launchMicroseconds = 2.5;
    return model;
}

const std::array<DeviceModel, 2>& models()
{
    static const std::array<DeviceModel, 2> all{h200(), generic()};
    return all;
}

std::int64_t roundUp(std::int64_t value, std::int64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

} // namespace

const DeviceModel* findDeviceModel(std::string_view name)
{
    for (const DeviceModel& model : models()) {
        if (model.name == name)
            return &model;
    }
    return nullptr;
}

std::vector<std::string> deviceModelNames()
{
    std::vector<std::string> names;
    for (const DeviceModel& model : models())
        names.push_back(model.name);
    return names;
}

DeviceLimits limitsOf(const DeviceModel& model)
{
    DeviceLimits limits;
    limits.maxSharedOptinBytes = model.maxSharedPerBlock;
    limits.smCount = model.smCount;
    return limits;
}

Occupancy occupancyOf(const DeviceModel& model, std::int64_t threadsPerBlock, int registers,
                      std::int64_t sharedBytes, std::int64_t gridBlocks)
{
    Occupancy result;
    const std::int64_t warps = (threadsPerBlock + 31) / 32;
    if (warps <= 0)
        return result;
    std::int64_t best = model.maxBlocksPerSm;
    result.limiter = "blocks";
    auto limit = [&](std::int64_t blocks, const char* name) {
        if (blocks < best) {
            best = blocks;
            result.limiter = name;
        }
    };
    limit(std::min<std::int64_t>(model.maxWarpsPerSm / warps, model.maxThreadsPerSm / (warps * 32)),
          "threads");
    if (registers > 0)
        limit(model.registersPerSm / (roundUp(std::int64_t(registers) * 32, model.registerUnit) * warps),
              "registers");
    const std::int64_t shared = roundUp(sharedBytes + model.sharedPerBlockReserved, model.sharedUnit);
    limit(model.sharedPerSm / shared, "shared memory");
    result.blocksPerSm = static_cast<int>(best);
    const double held = std::min<double>(static_cast<double>(best),
                                         static_cast<double>(gridBlocks) / std::max(1, model.smCount));
    if (held < static_cast<double>(best))
        result.limiter = "grid";
    result.fraction = std::min(1.0, held * static_cast<double>(warps) / model.maxWarpsPerSm);
    return result;
}

} // namespace sparserl

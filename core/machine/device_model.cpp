// SPDX-License-Identifier: Apache-2.0
#include "machine/device_model.h"

#include "base/toml.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>

namespace sparserl {

namespace {

/// Fitted on one H200 (tests/benchmarks/cost_model.md); the two bandwidths were measured by themselves.
DeviceModel h200()
{
    DeviceModel model;
    model.name = "h200";
    model.smCount = 132;
    model.clockGHz = 1.98;
    model.l2Bytes = 62914560;
    model.issuePerClock = 7.054;
    model.loadClocks = 0.25;
    model.sharedClocks = 0.5549;
    model.specialClocks = 2;
    model.fp64Clocks = 0.5;
    model.l1SectorsPerClock = 16;
    model.l2SectorsPerSmClock = 5.534;
    model.blockClocks = 71.31;
    model.l2GBps = 7531;
    model.dramGBps = 4431;
    model.atomicsPerClock = 17.79;
    model.sameWordAtomicClocks = 10.61;
    model.sameSectorAtomicClocks = 0.5;
    model.clockScale = 2.775;
    model.l1Latency = 44.91;
    model.l2Latency = 164;
    model.dramLatency = 320.6;
    model.sharedLatency = 5.443;
    model.barrierLatency = 78.48;
    model.atomicLatency = 303.2;
    model.wavefrontLatency = 1.077;
    model.codeClocks = 0.4114;
    model.startClocks = 400;
    model.l2Share = 0.9939;
    model.l2Sharpness = 6.665;
    model.overlap = 1.113;
    model.launchMicroseconds = 0.6728;
    model.nextLaunchMicroseconds = 1.222;
    model.coldMicroseconds = 0.4985;
    model.fillMicroseconds = 1.914;
    return model;
}

/// A mid-size GPU of the Ampere generation: nobody's own, for users who have no GPU in mind. What a clock is
/// worth is taken from the H200, sizes and bandwidths are of its class.
DeviceModel generic()
{
    DeviceModel model = h200();
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
    model.fp64Clocks = 16;
    model.l2GBps = 2000;
    model.dramGBps = 550;
    model.atomicsPerClock /= 2;
    model.launchMicroseconds *= 1.5;
    model.nextLaunchMicroseconds *= 1.5;
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

const DeviceModel& defaultDeviceModel()
{
    return models().front();
}

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

const std::vector<CostParameter>& costParameters()
{
    using M = DeviceModel;
    static const std::vector<CostParameter> all = {
        {"issue_per_clock", &M::issuePerClock, 1, 12},
        {"load_clocks", &M::loadClocks, 0.25, 8},
        {"shared_clocks", &M::sharedClocks, 0.25, 8},
        {"special_clocks", &M::specialClocks, 0.5, 32},
        {"fp64_clocks", &M::fp64Clocks, 0.25, 64},
        {"l1_sectors_per_clock", &M::l1SectorsPerClock, 0.5, 16},
        {"l2_sectors_per_sm_clock", &M::l2SectorsPerSmClock, 0.3, 8},
        {"block_clocks", &M::blockClocks, 1, 3000},
        {"l2_gbps", &M::l2GBps, 300, 20000},
        {"dram_gbps", &M::dramGBps, 50, 10000},
        {"atomics_per_clock", &M::atomicsPerClock, 1, 1000},
        {"same_word_atomic_clocks", &M::sameWordAtomicClocks, 0.02, 50},
        {"same_sector_atomic_clocks", &M::sameSectorAtomicClocks, 0.02, 50},
        {"clock_scale", &M::clockScale, 0.2, 6},
        {"l1_latency", &M::l1Latency, 10, 150},
        {"l2_latency", &M::l2Latency, 50, 900},
        {"dram_latency", &M::dramLatency, 50, 2000},
        {"shared_latency", &M::sharedLatency, 5, 100},
        {"barrier_latency", &M::barrierLatency, 2, 400},
        {"atomic_latency", &M::atomicLatency, 50, 4000},
        {"wavefront_latency", &M::wavefrontLatency, 0.1, 40},
        {"code_clocks", &M::codeClocks, 0.05, 50},
        {"start_clocks", &M::startClocks, 50, 6000},
        {"l2_share", &M::l2Share, 0.2, 1.6},
        {"l2_sharpness", &M::l2Sharpness, 1, 30},
        {"overlap", &M::overlap, 1, 12},
        {"launch_us", &M::launchMicroseconds, 0.3, 8},
        {"next_launch_us", &M::nextLaunchMicroseconds, 0.3, 8},
        {"cold_us", &M::coldMicroseconds, 0.01, 8},
        {"fill_us", &M::fillMicroseconds, 0.3, 8},
    };
    return all;
}

namespace {

/// A size of a model that is a fact of the hardware.
struct Fact
{
    const char* name;
    std::int64_t DeviceModel::*wide;
    int DeviceModel::*narrow;
};

const std::vector<Fact>& facts()
{
    using M = DeviceModel;
    static const std::vector<Fact> all = {
        {"sm_count", nullptr, &M::smCount},
        {"max_threads_per_sm", nullptr, &M::maxThreadsPerSm},
        {"max_warps_per_sm", nullptr, &M::maxWarpsPerSm},
        {"max_blocks_per_sm", nullptr, &M::maxBlocksPerSm},
        {"registers_per_sm", &M::registersPerSm, nullptr},
        {"register_unit", nullptr, &M::registerUnit},
        {"shared_per_sm", &M::sharedPerSm, nullptr},
        {"shared_per_block_reserved", &M::sharedPerBlockReserved, nullptr},
        {"shared_unit", &M::sharedUnit, nullptr},
        {"max_shared_per_block", &M::maxSharedPerBlock, nullptr},
        {"l1_bytes", &M::l1Bytes, nullptr},
        {"l2_bytes", &M::l2Bytes, nullptr},
    };
    return all;
}

/// A number, whole or not; value() would take a truth value for one.
std::optional<double> numberIn(const toml::table& table, std::string_view key)
{
    if (const auto* whole = table[key].as_integer())
        return static_cast<double>(whole->get());
    return table[key].value_exact<double>();
}

Result<DeviceModel> modelFromTable(const toml::table& table, const std::string& file)
{
    const auto name = table["name"].value<std::string>();
    const toml::table* sizes = table["sizes"].as_table();
    const toml::table* costs = table["costs"].as_table();
    if (!name || !sizes || !costs)
        return failAt(file, 0, "this is not a device model: \"name\", [sizes] or [costs] is missing",
                      "Write one with `sparserl device calibrate --out FILE`");
    DeviceModel model;
    model.name = *name;
    const auto clock = numberIn(*sizes, "clock_ghz");
    if (!clock || *clock < 0.1 || *clock > 10)
        return failAt(file, 0, "the device model has no clock_ghz between 0.1 and 10");
    model.clockGHz = *clock;
    for (const Fact& fact : facts()) {
        const auto size = (*sizes)[fact.name];
        const auto value = size.is_number() ? size.value<std::int64_t>() : std::nullopt;
        if (!value || *value < 1 || *value > (std::int64_t(1) << 40) ||
            (fact.narrow && *value > (std::int64_t(1) << 24)))
            return failAt(file, 0, std::string("the device model has no usable size ") + fact.name);
        if (fact.narrow)
            model.*fact.narrow = static_cast<int>(*value);
        else
            model.*fact.wide = *value;
    }
    for (const CostParameter& parameter : costParameters()) {
        const auto value = numberIn(*costs, parameter.name);
        // A file may go somewhat beyond what a fit searches, not to nonsense.
        if (!value || !(*value >= parameter.low / 100 && *value <= parameter.high * 100))
            return failAt(file, 0, std::string("the device model has no usable cost ") + parameter.name);
        model.*parameter.member = *value;
    }
    return model;
}

} // namespace

std::string toToml(const DeviceModel& model)
{
    toml::table sizes, costs;
    sizes.insert("clock_ghz", model.clockGHz);
    for (const Fact& fact : facts())
        sizes.insert(fact.name, fact.narrow ? std::int64_t(model.*fact.narrow) : model.*fact.wide);
    for (const CostParameter& parameter : costParameters())
        costs.insert(parameter.name, model.*parameter.member);
    toml::table table;
    table.insert("name", model.name);
    table.insert("sizes", std::move(sizes));
    table.insert("costs", std::move(costs));
    return formatToml(table);
}

Result<DeviceModel> loadDeviceModel(std::string_view given)
{
    if (const DeviceModel* known = findDeviceModel(given))
        return *known;
    if (given.find('\n') != std::string_view::npos) {
        SPARSERL_TRY(const auto table, parseToml(given, "device model"));
        return modelFromTable(table, "device model");
    }
    std::error_code none;
    if (!std::filesystem::is_regular_file(std::string(given), none)) {
        std::string names;
        for (const std::string& name : deviceModelNames())
            names += (names.empty() ? "" : ", ") + name;
        return fail("the device model '" + std::string(given) + "' is neither known nor a file",
                    "Use one of " + names + ", or a file of `sparserl device calibrate --out`");
    }
    SPARSERL_TRY(const auto table, readToml(std::filesystem::path(given)));
    return modelFromTable(table, std::string(given));
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

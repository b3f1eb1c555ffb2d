// SPDX-License-Identifier: Apache-2.0
#include "device/launch_profile.h"

#include "base/json.h"

#include <cmath>

namespace sparserl {

namespace {

constexpr int profileVersion = 2;

/// Six digits are enough and keep files small.
double rounded(double value)
{
    if (value == 0 || !std::isfinite(value))
        return 0;
    const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 5);
    return std::round(value / unit) * unit;
}

template <class Counts>
nlohmann::json counts(const Counts& values)
{
    auto list = nlohmann::json::array();
    for (const auto value : values)
        list.push_back(rounded(value));
    return list;
}

template <class Counts>
bool readCounts(const nlohmann::json& json, const char* key, Counts& values)
{
    const auto found = json.find(key);
    if (found == json.end() || !found->is_array() || found->size() != values.size())
        return false;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!(*found)[i].is_number())
            return false;
        values[i] = (*found)[i].template get<double>();
    }
    return true;
}

} // namespace

nlohmann::json toJson(const CallProfile& profile)
{
    auto launches = nlohmann::json::array();
    for (const LaunchProfile& launch : profile.launches) {
        auto classes = nlohmann::json::array();
        for (const BlockClass& one : launch.classes)
            classes.push_back({{"count", one.count},
                               {"first", one.first},
                               {"last", one.last},
                               {"steps", counts(one.steps)},
                               {"instructions", rounded(one.instructions)}});
        launches.push_back({{"kernel", launch.kernel},
                            {"blocks", launch.blocks},
                            {"threads", launch.threadsPerBlock},
                            {"blocks_per_sm", launch.blocksPerSm},
                            {"code", launch.codeInstructions},
                            {"classes", std::move(classes)},
                            {"total", counts(launch.total)},
                            {"busiest", counts(launch.busiest)},
                            {"store_sectors", launch.storeSectors},
                            {"atomic_sectors", launch.atomicSectors},
                            {"atomic_lanes", launch.atomicLanes},
                            {"hottest_word", launch.hottestWord},
                            {"hottest_sector", launch.hottestSector},
                            {"distinct_sectors", launch.distinctSectors}});
    }
    return {{"version", profileVersion},
            {"launches", std::move(launches)},
            {"fills", profile.fills},
            {"matrix_bytes", profile.matrixBytes},
            {"input_bytes", profile.inputBytes},
            {"output_bytes", profile.outputBytes}};
}

Result<CallProfile> callProfileFromJson(const nlohmann::json& json)
{
    const auto refuse = [] { return fail("this is not a launch profile of this version"); };
    if (jsonValue(json, "version", 0) != profileVersion)
        return refuse();
    CallProfile profile;
    const auto launches = json.find("launches");
    if (launches == json.end() || !launches->is_array())
        return refuse();
    for (const auto& from : *launches) {
        LaunchProfile launch;
        launch.kernel = jsonValue(from, "kernel", std::string());
        launch.blocks = jsonValue(from, "blocks", std::int64_t(0));
        launch.threadsPerBlock = jsonValue(from, "threads", std::int64_t(0));
        launch.blocksPerSm = jsonValue(from, "blocks_per_sm", 1);
        launch.codeInstructions = jsonValue(from, "code", 0);
        const auto classes = from.find("classes");
        if (classes == from.end() || !classes->is_array() || !readCounts(from, "total", launch.total) ||
            !readCounts(from, "busiest", launch.busiest))
            return refuse();
        for (const auto& one : *classes) {
            BlockClass group;
            group.count = jsonValue(one, "count", 0.0);
            group.first = jsonValue(one, "first", 0.0);
            group.last = jsonValue(one, "last", 0.0);
            group.instructions = jsonValue(one, "instructions", 0.0);
            if (!readCounts(one, "steps", group.steps))
                return refuse();
            launch.classes.push_back(group);
        }
        launch.storeSectors = jsonValue(from, "store_sectors", 0.0);
        launch.atomicSectors = jsonValue(from, "atomic_sectors", 0.0);
        launch.atomicLanes = jsonValue(from, "atomic_lanes", 0.0);
        launch.hottestWord = jsonValue(from, "hottest_word", 0.0);
        launch.hottestSector = jsonValue(from, "hottest_sector", 0.0);
        launch.distinctSectors = jsonValue(from, "distinct_sectors", 0.0);
        profile.launches.push_back(std::move(launch));
    }
    profile.fills = jsonValue(json, "fills", std::vector<std::int64_t>());
    profile.matrixBytes = jsonValue(json, "matrix_bytes", 0.0);
    profile.inputBytes = jsonValue(json, "input_bytes", 0.0);
    profile.outputBytes = jsonValue(json, "output_bytes", 0.0);
    return profile;
}

} // namespace sparserl

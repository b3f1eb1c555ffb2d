// SPDX-License-Identifier: Apache-2.0
#include "device/calibration/row.h"

#include "base/files.h"
#include "base/json.h"

#include <fmt/format.h>

namespace sparserl {

namespace {

nlohmann::json timingJson(const Timing& timing)
{
    return {{"median", timing.median}, {"q25", timing.q25}, {"q75", timing.q75}, {"n", timing.n}};
}

std::optional<Timing> timingFrom(const nlohmann::json& json, const char* key)
{
    const auto found = json.find(key);
    if (found == json.end() || !found->is_object())
        return std::nullopt;
    Timing timing;
    timing.median = jsonValue(*found, "median", 0.0);
    timing.q25 = jsonValue(*found, "q25", 0.0);
    timing.q75 = jsonValue(*found, "q75", 0.0);
    timing.n = jsonValue(*found, "n", 0);
    return timing.median > 0 ? std::optional(timing) : std::nullopt;
}

} // namespace

std::string CalibrationRow::key() const
{
    return fmt::format("{}/{}/{}", digest, denseColumns, program);
}

nlohmann::json toJson(const CalibrationRow& row)
{
    nlohmann::json json = {{"matrix", row.matrix},
                           {"digest", row.digest},
                           {"rows", row.rows},
                           {"cols", row.cols},
                           {"nnz", row.nnz},
                           {"dense_columns", row.denseColumns},
                           {"family", row.family},
                           {"parameters", row.parameters},
                           {"program", row.program},
                           {"device", row.device},
                           {"correct", row.correct},
                           {"clocks_agree", row.clocksAgree},
                           {"setup_us", row.setupMicroseconds}};
    if (!row.problem.empty())
        json["problem"] = row.problem;
    if (row.warm)
        json["warm"] = timingJson(*row.warm);
    if (row.cold)
        json["cold"] = timingJson(*row.cold);
    auto& resources = json["resources"] = nlohmann::json::array();
    for (const KernelResources& kernel : row.resources)
        resources.push_back({{"kernel", kernel.kernel},
                             {"registers", kernel.registers},
                             {"static_shared", kernel.staticShared},
                             {"local_bytes", kernel.localBytes},
                             {"constant_bytes", kernel.constantBytes}});
    if (row.profile)
        json["profile"] = toJson(*row.profile);
    return json;
}

Result<CalibrationRow> calibrationRowFromJson(const nlohmann::json& json)
{
    if (!json.is_object() || !json.contains("program") || !json.contains("matrix"))
        return fail("a row of measurements is an object with at least \"matrix\" and \"program\"");
    CalibrationRow row;
    row.matrix = jsonValue(json, "matrix", std::string());
    row.digest = jsonValue(json, "digest", std::string());
    row.rows = jsonValue(json, "rows", std::int64_t(0));
    row.cols = jsonValue(json, "cols", std::int64_t(0));
    row.nnz = jsonValue(json, "nnz", std::int64_t(0));
    row.denseColumns = jsonValue(json, "dense_columns", std::int64_t(1));
    row.family = jsonValue(json, "family", std::string());
    row.parameters = jsonValue(json, "parameters", std::string());
    row.program = jsonValue(json, "program", std::string());
    row.device = jsonValue(json, "device", std::string());
    row.correct = jsonValue(json, "correct", false);
    row.clocksAgree = jsonValue(json, "clocks_agree", true);
    row.setupMicroseconds = jsonValue(json, "setup_us", 0.0);
    row.problem = jsonValue(json, "problem", std::string());
    row.warm = timingFrom(json, "warm");
    row.cold = timingFrom(json, "cold");
    if (const auto found = json.find("resources"); found != json.end() && found->is_array()) {
        for (const auto& one : *found) {
            KernelResources kernel;
            kernel.kernel = jsonValue(one, "kernel", std::string());
            kernel.registers = jsonValue(one, "registers", 0);
            kernel.staticShared = jsonValue(one, "static_shared", std::int64_t(0));
            kernel.localBytes = jsonValue(one, "local_bytes", std::int64_t(0));
            kernel.constantBytes = jsonValue(one, "constant_bytes", std::int64_t(0));
            row.resources.push_back(std::move(kernel));
        }
    }
    if (const auto found = json.find("profile"); found != json.end()) {
        // A profile of another version is as good as none: it is simulated again.
        if (auto profile = callProfileFromJson(*found))
            row.profile = std::move(*profile);
    }
    return row;
}

Result<std::vector<CalibrationRow>> readCalibrationRows(const std::filesystem::path& path)
{
    SPARSERL_TRY(const auto text, readFile(path));
    std::vector<CalibrationRow> rows;
    int number = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = std::string_view(text).substr(at, end - at);
        ++number;
        const bool last = end == text.size();
        at = end + 1;
        if (line.find_first_not_of(" \t\r") == std::string_view::npos)
            continue;
        const auto json = parseJson(line, path.string());
        if (!json && last)
            break;
        if (!json)
            return failAt(path.string(), number, "this line is not a row of measurements",
                          "Give the file that `sparserl device calibrate --out-rows` wrote");
        auto row = calibrationRowFromJson(*json);
        if (!row)
            return failAt(path.string(), number, row.error().what);
        rows.push_back(std::move(*row));
    }
    return rows;
}

Status writeCalibrationRows(const std::filesystem::path& path, const std::vector<CalibrationRow>& rows)
{
    std::string text;
    for (const CalibrationRow& row : rows)
        text += dumpJson(toJson(row)) + "\n";
    return writeFileAtomic(path, text);
}

} // namespace sparserl

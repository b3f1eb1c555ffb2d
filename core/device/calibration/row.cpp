// SPDX-License-Identifier: Apache-2.0
#include "device/calibration/row.h"

#include "base/files.h"
#include "base/json.h"
#include "device/calibration/row_fields.h"

namespace sparserl {

std::string CalibrationRow::key() const
{
    return target.key() + "/" + program;
}

nlohmann::json toJson(const CalibrationRow& row)
{
    auto json = writeFields(row);
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
    readFields(json, row, readLeniently);
    for (auto* timing : {&row.warm, &row.cold}) {
        if (*timing && !((*timing)->median > 0))
            timing->reset();
    }
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
                          "Give the file that `sparserl device calibrate --data FILE` wrote");
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

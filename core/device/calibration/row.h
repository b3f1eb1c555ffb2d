// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "compile/resources.h"
#include "device/launch_profile.h"
#include "target/target_id.h"
#include "verdict/timing.h"

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// One line of a JSON Lines file: a program, a matrix, the GPU's times and the simulator's profile.
struct CalibrationRow
{
    TargetId target;
    std::int64_t rows = 0, cols = 0, nnz = 0;
    std::string family, parameters; ///< "S3", {"block":128}
    std::string program;            ///< The program text.
    std::string device;             ///< "NVIDIA H200 (driver 580.159.04)"
    bool correct = false;           ///< The results of the timed calls are correct.
    std::string problem;            ///< If there is no time: the reason, in one sentence.
    std::optional<Timing> warm, cold;
    bool clocksAgree = true;
    double setupMicroseconds = 0;
    std::vector<KernelResources> resources;
    std::optional<CallProfile> profile;

    /// Returns true if the row can be used in a fit.
    bool usable() const { return correct && warm && profile; }
    /// Returns a text that identifies the program and the target.
    std::string key() const;
};

nlohmann::json toJson(const CalibrationRow& row);
Result<CalibrationRow> calibrationRowFromJson(const nlohmann::json& json);

/// Reads all rows of a file. If a killed collection left an incomplete last line, skips that line.
Result<std::vector<CalibrationRow>> readCalibrationRows(const std::filesystem::path& path);
/// Writes all rows and replaces the file atomically.
Status writeCalibrationRows(const std::filesystem::path& path, const std::vector<CalibrationRow>& rows);

} // namespace sparserl

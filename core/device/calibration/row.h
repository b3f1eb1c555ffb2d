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

/// One program on one matrix: what a GPU took for it and what the simulator saw. One line of a JSON Lines
/// file.
struct CalibrationRow
{
    TargetId target;
    std::int64_t rows = 0, cols = 0, nnz = 0;
    std::string family, parameters; ///< "S3", {"block":128}
    std::string program;            ///< The text.
    std::string device;             ///< "NVIDIA H200 (driver 580.159.04)"
    bool correct = false;           ///< The outputs of the timed calls are right.
    std::string problem;            ///< Why there is no time, one sentence.
    std::optional<Timing> warm, cold;
    bool clocksAgree = true;
    double setupMicroseconds = 0;
    std::vector<KernelResources> resources;
    std::optional<CallProfile> profile;

    /// Usable for a fit.
    bool usable() const { return correct && warm && profile; }
    /// The same program on the same target.
    std::string key() const;
};

nlohmann::json toJson(const CalibrationRow& row);
Result<CalibrationRow> calibrationRowFromJson(const nlohmann::json& json);

/// Reads every line; a last line that was cut off (the collection was killed) is left out.
Result<std::vector<CalibrationRow>> readCalibrationRows(const std::filesystem::path& path);
/// Replaces the file at once.
Status writeCalibrationRows(const std::filesystem::path& path, const std::vector<CalibrationRow>& rows);

} // namespace sparserl

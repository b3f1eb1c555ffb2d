// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Name prefixes of units.
inline constexpr std::string_view checkpointPrefix = "checkpoints/step-",
                                  discardedPrefix = "journal.discarded.", discardedSuffix = ".jsonl";

/// The parts of a run's folder that are transferred as a whole and never change: complete checkpoints
/// ("checkpoints/step-000400") and journal parts rolled back by resumes ("journal.discarded.1.jsonl").
std::vector<std::string> mirroredUnits(const std::filesystem::path& run);
/// The files of a unit, relative to the run's folder; DONE of a checkpoint comes last.
std::vector<std::string> filesOfUnit(const std::filesystem::path& run, const std::string& unit);
/// Distinguishes a unit from another of the same name: checksums of a checkpoint, otherwise the size; empty
/// if it is missing.
std::string unitTag(const std::filesystem::path& run, const std::string& unit);
bool isWholeUnit(const std::filesystem::path& run, const std::string& unit);
/// Whether a received name is valid for mirroredUnits().
bool isUnitName(std::string_view name);
/// Whether `file` is a valid file name of that unit: no "..", no hidden names, at most three folders deep.
bool isFileOfUnit(std::string_view unit, std::string_view file);

/// SHA-256 of the first bytes of a file; empty if the file is shorter.
std::string prefixHash(const std::filesystem::path& file, std::int64_t bytes);

} // namespace sparserl

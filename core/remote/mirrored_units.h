// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// How units are called.
inline constexpr std::string_view checkpointPrefix = "checkpoints/step-",
                                  discardedPrefix = "journal.discarded.", discardedSuffix = ".jsonl";

/// What of a run's folder comes over whole and never changes: its complete checkpoints
/// ("checkpoints/step-000400") and what resumes rolled back ("journal.discarded.1.jsonl").
std::vector<std::string> mirroredUnits(const std::filesystem::path& run);
/// Its files, relative to the run's folder; DONE of a checkpoint comes last.
std::vector<std::string> filesOfUnit(const std::filesystem::path& run, const std::string& unit);
/// What tells a unit from another of the same name: checksums of a checkpoint, else the size; empty: it is
/// not there.
std::string unitTag(const std::filesystem::path& run, const std::string& unit);
bool isWholeUnit(const std::filesystem::path& run, const std::string& unit);
/// Whether a name that came from elsewhere is one that mirroredUnits() could have given.
bool isUnitName(std::string_view name);
/// Whether `file` is a file of that unit: no "..", nothing hidden, at most three folders deep.
bool isFileOfUnit(std::string_view unit, std::string_view file);

/// SHA-256 of the first bytes of a file; empty where it is shorter.
std::string prefixHash(const std::filesystem::path& file, std::int64_t bytes);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// The beginnings and the end of the names of units.
inline constexpr std::string_view checkpointPrefix = "checkpoints/step-",
                                  discardedPrefix = "journal.discarded.", discardedSuffix = ".jsonl";

/// Lists the units in a run's folder. A unit is transferred as a whole and never changes. It is a complete
/// checkpoint ("checkpoints/step-000400") or a part of the journal that a resume has rolled back
/// ("journal.discarded.1.jsonl").
std::vector<std::string> mirroredUnits(const std::filesystem::path& run);
/// Lists the files of a unit, relative to the run's folder. The file DONE of a checkpoint comes last.
std::vector<std::string> filesOfUnit(const std::filesystem::path& run, const std::string& unit);
/// Returns a text that distinguishes a unit from others of the same name: the checksums of a checkpoint, or
/// the size of a journal part. Returns an empty text if the unit does not exist.
std::string unitTag(const std::filesystem::path& run, const std::string& unit);
bool isWholeUnit(const std::filesystem::path& run, const std::string& unit);
/// Returns whether a received name could be the name of a unit.
bool isUnitName(std::string_view name);
/// Returns whether `file` is a valid name of a file of this unit: without "..", without hidden names, at most
/// three folders deep.
bool isFileOfUnit(std::string_view unit, std::string_view file);

/// Returns the SHA-256 of the first `bytes` bytes of a file, or an empty text if the file is shorter.
std::string prefixHash(const std::filesystem::path& file, std::int64_t bytes);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

namespace sparserl {

// The files of a checkpoint, and the checksums that show whether they are intact. checkpoint.json lists every
// file with its size and SHA-256, and DONE contains the SHA-256 of checkpoint.json. Older checkpoints have no
// checksums.

/// Returns {"NAME": {"bytes": N, "sha256": HEX}} for every file below `folder` except checkpoint.json, DONE
/// and PIN.
Result<nlohmann::json> listCheckpointFiles(const std::filesystem::path& folder);

/// Returns the contents of DONE for a checkpoint.json with these bytes.
std::string doneText(std::string_view checkpointJson);

/// Checks a checkpoint. Returns the fault, with the file in which it is, or nullopt if the checkpoint is
/// complete. If all sizes are plausible (mostWeightBytes), reads every file that has a checksum; in older
/// checkpoints, checks the format of tensors and JSON. DONE may be missing if the checksums of all other
/// files are right. Fails if this machine cannot read the files at the moment (permissions, memory, disk
/// errors). This says nothing about the contents, and the checkpoint should stay in place.
Result<std::optional<Error>> checkpointFault(const std::filesystem::path& folder);

/// Checks only checkpoint.json in the same way, which takes little time.
Result<std::optional<Error>> checkpointNotation(const std::filesystem::path& folder);

/// The files that the folder of a policy must have: the shape of the model and its weights. Checkpoints of
/// searches and evaluations have neither of them.
inline constexpr std::array<const char*, 2> policyNeeds{"config.json", "model.safetensors"};
/// Returns whether a folder has these files. Does not read them.
bool isPolicyFolder(const std::filesystem::path& folder);

/// Returns whether DONE or checksums mark a checkpoint as complete. Fails if this machine cannot read the
/// files at the moment.
Result<bool> looksComplete(const std::filesystem::path& folder);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

namespace sparserl {

// The files of a checkpoint and the evidence of their integrity. checkpoint.json lists every file with its
// size and SHA-256, and DONE holds the SHA-256 of checkpoint.json. Older checkpoints have no checksums.

/// {"NAME": {"bytes": N, "sha256": HEX}} for every file below `folder` except checkpoint.json, DONE and PIN.
Result<nlohmann::json> listCheckpointFiles(const std::filesystem::path& folder);

/// The contents of DONE for a checkpoint.json with these bytes.
std::string doneText(std::string_view checkpointJson);

/// The fault in the contents of this checkpoint with its file, or nullopt if the checkpoint is complete. If
/// all sizes are plausible (mostWeightBytes), reads every file with a checksum; in older checkpoints, checks
/// the format of tensors and JSON. DONE may be missing if checksums prove the rest. An Error does not concern
/// the contents: this machine could not read them now (permissions, memory, disk errors), and the checkpoint
/// should stay in place.
Result<std::optional<Error>> checkpointFault(const std::filesystem::path& folder);

/// The same for checkpoint.json alone, which is cheap.
Result<std::optional<Error>> checkpointNotation(const std::filesystem::path& folder);

/// The files that a policy folder must have: the shape of the model and its weights. Checkpoints of searches
/// and evaluations have neither.
inline constexpr std::array<const char*, 2> policyNeeds{"config.json", "model.safetensors"};
/// Whether the folder has these files, without reading them.
bool isPolicyFolder(const std::filesystem::path& folder);

/// Whether the checkpoint is marked as complete by DONE or by checksums. An Error concerns this machine.
Result<bool> looksComplete(const std::filesystem::path& folder);

} // namespace sparserl

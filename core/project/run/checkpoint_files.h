// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

namespace sparserl {

// The files of a checkpoint and what proves that they are whole: checkpoint.json lists every file with its
// size and SHA-256, and DONE holds the SHA-256 of checkpoint.json. Older checkpoints have neither.

/// {"NAME": {"bytes": N, "sha256": HEX}} of every file below `folder` but checkpoint.json, DONE and PIN.
Result<nlohmann::json> listCheckpointFiles(const std::filesystem::path& folder);

/// What DONE says of a checkpoint.json with these bytes.
std::string doneText(std::string_view checkpointJson);

/// What is wrong with the contents of this checkpoint, and with which file; nothing: it is complete in
/// itself. Reads every file that has a checksum, once all sizes are what they can be (mostWeightBytes); of
/// older checkpoints, tensors and JSON are looked at for their form. DONE may be missing where checksums
/// prove the rest. An Error is not about the contents: this machine could not read them now (rights, memory,
/// a disk that stumbles), and the checkpoint is to stay where it is.
Result<std::optional<Error>> checkpointFault(const std::filesystem::path& folder);

/// The same of checkpoint.json alone, which costs nothing.
Result<std::optional<Error>> checkpointNotation(const std::filesystem::path& folder);

/// What a folder must have to be read as a policy: the shape of the model and its weights. Checkpoints of
/// searches and evaluations have neither.
inline constexpr std::array<const char*, 2> policyNeeds{"config.json", "model.safetensors"};
/// Whether the folder has them; nothing is read.
bool isPolicyFolder(const std::filesystem::path& folder);

/// Is it announced as complete: a DONE is there, or checksums that take its place. The Error is this
/// machine's.
Result<bool> looksComplete(const std::filesystem::path& folder);

} // namespace sparserl

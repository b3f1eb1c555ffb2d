// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

// Programs keep files derived from other files below a project. They trust such a file only if it carries
// this user's seal, because anyone may later put files into the folder, even if the project is trusted. The
// key is a file in the user's settings. Nobody else can create a seal, and each machine creates its own
// files.
namespace sparserl {

/// The file with the key, in the user's settings.
std::filesystem::path sealKeyFile();

/// Writes a JSON object with its seal under the key "seal". `what` names the kind and the subject, for
/// example "features DIGEST", so the seal of one file does not fit another file. If no key can be created,
/// writes the object without a seal, and the file is derived again next time.
Status writeSealedJson(const std::filesystem::path& file, std::string_view what, nlohmann::json json);
/// Reads a sealed file and removes the seal. Fails if the file cannot be read or this user did not write it.
Result<nlohmann::json> readSealedJson(const std::filesystem::path& file, std::string_view what);

} // namespace sparserl

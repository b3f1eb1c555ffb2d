// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

// What programs of this user derive from other files and keep below a project is believed only where it bears
// this user's seal: anybody may lay files into the folder later, also where it is trusted. The key is a file
// of the user's settings, so nobody else can make a seal, and another machine makes its own files.
namespace sparserl {

/// The key, in the user's settings.
std::filesystem::path sealKeyFile();

/// Writes a JSON object with its seal under the key "seal". `what` says what it is and of what, such as
/// "features DIGEST": the seal of one file does not fit another. Where there can be no key it is written
/// without a seal, and will be made again.
Status writeSealedJson(const std::filesystem::path& file, std::string_view what, nlohmann::json json);
/// Such a file, without the seal. An Error where it cannot be read, or is not what this user has written.
Result<nlohmann::json> readSealedJson(const std::filesystem::path& file, std::string_view what);

} // namespace sparserl

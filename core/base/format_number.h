// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <toml++/toml.h>

namespace sparserl {

/// Checks the "format" key of a file's table: a whole number from 1 to `known`, or absent, as in files of the
/// first versions. Refuses any other value, because the file must not be overwritten by a version that does
/// not understand it. `what` names the contents: "the project".
Status checkFormat(const toml::table& table, int known, const std::string& what, const std::string& file);
/// The same for a JSON object whose number is under `key`.
Status checkFormat(const nlohmann::json& object, int known, const std::string& what, const std::string& file,
                   const char* key = "format");

/// Whether an Error says that a newer version wrote the file. The file is intact, and the only remedy is to
/// use that version.
bool isOfNewerVersion(const Error& error);

} // namespace sparserl

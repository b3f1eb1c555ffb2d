// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <toml++/toml.h>

namespace sparserl {

/// Checks the "format" of a table of a file: a whole number from 1 to `known`, or none, as the first files
/// had it. Anything else is refused: what it means is not known, and nothing is to be written over it.
/// `what` is what the file holds: "the project".
Status checkFormat(const toml::table& table, int known, const std::string& what, const std::string& file);
/// The same of an object of JSON, whose number is under `key`.
Status checkFormat(const nlohmann::json& object, int known, const std::string& what, const std::string& file,
                   const char* key = "format");

/// Whether an Error says that a newer version has written the file: it is whole, and no other advice than to
/// use that version does it good.
bool isOfNewerVersion(const Error& error);

} // namespace sparserl

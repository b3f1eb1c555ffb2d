// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <toml++/toml.h>

namespace sparserl {

/// Parses TOML text. The Error names `file` and the line with the fault.
Result<toml::table> parseToml(std::string_view text, const std::string& file = {});
Result<toml::table> readToml(const std::filesystem::path& path);

/// The line of a node in its file, from 1.
inline int lineOf(const toml::node& node)
{
    return static_cast<int>(node.source().begin.line);
}

/// Returns a table as TOML text, with a final line break.
std::string formatToml(const toml::table& table);
/// Writes a table to a file atomically (temporary file, fsync, rename).
Status writeToml(const std::filesystem::path& path, const toml::table& table);

/// Converts a table to JSON. Dates become text.
nlohmann::json jsonFromToml(const toml::table& table);
/// Converts JSON to a table. Omits nulls. `json` must be an object.
Result<toml::table> tomlFromJson(const nlohmann::json& json);

} // namespace sparserl

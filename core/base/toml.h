// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <toml++/toml.h>

namespace sparserl {

/// Parses TOML text. `file` and the line of the fault go into the Error.
Result<toml::table> parseToml(std::string_view text, const std::string& file = {});
Result<toml::table> readToml(const std::filesystem::path& path);

/// The line of a node of a file that was read, from 1.
inline int lineOf(const toml::node& node)
{
    return static_cast<int>(node.source().begin.line);
}

/// TOML text of a table, with a final line break.
std::string formatToml(const toml::table& table);
/// Atomic (temp, fsync, rename).
Status writeToml(const std::filesystem::path& path, const toml::table& table);

/// The same data as JSON; dates become text.
nlohmann::json jsonFromToml(const toml::table& table);
/// The same data as TOML; nulls are left out. `json` must be an object.
Result<toml::table> tomlFromJson(const nlohmann::json& json);

} // namespace sparserl

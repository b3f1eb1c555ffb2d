// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace sparserl {

/// Parses JSON text. `file` and the line of the fault go into the Error.
Result<nlohmann::json> parseJson(std::string_view text, const std::string& file = {});
Result<nlohmann::json> readJson(const std::filesystem::path& path);

/// One line without a line break; invalid UTF-8 becomes U+FFFD, NaN and infinities become null. Never throws.
std::string dumpJson(const nlohmann::json& json);
/// Indented by two, with a final line break.
std::string dumpJsonPretty(const nlohmann::json& json);
/// Atomic (temp, fsync, rename).
Status writeJson(const std::filesystem::path& path, const nlohmann::json& json);

/// Member `key` of an object as T, or `fallback` where it is missing, null or of another type.
template <typename T>
T jsonValue(const nlohmann::json& object, const char* key, T fallback)
{
    if (!object.is_object()) {
        return fallback;
    }
    const auto it = object.find(key);
    if (it == object.end() || it->is_null()) {
        return fallback;
    }
    try {
        return it->template get<T>();
    } catch (const nlohmann::json::exception&) {
        return fallback;
    }
}

/// Member `key` of an object as T, or an Error that names the key.
template <typename T>
Result<T> jsonRequire(const nlohmann::json& object, const char* key)
{
    if (!object.is_object()) {
        return fail(std::string("expected a JSON object with \"") + key + "\"");
    }
    const auto it = object.find(key);
    if (it == object.end()) {
        return fail(std::string("\"") + key + "\" is missing");
    }
    try {
        return it->template get<T>();
    } catch (const nlohmann::json::exception&) {
        return fail(std::string("\"") + key + "\" has the wrong type (" + it->type_name() + ")");
    }
}

/// The object that --json prints for a failure: {"error":{"what","file","line","remedy"}}.
nlohmann::json toJson(const Error& error);

} // namespace sparserl

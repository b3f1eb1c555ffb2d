// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

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

/// A value as T, or nothing where it has another type or, for whole numbers, does not fit: nlohmann's get()
/// wraps there, and has undefined behaviour for large real numbers.
template <typename T>
std::optional<T> jsonAs(const nlohmann::json& value)
{
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        if (value.is_number_unsigned()) {
            const auto number = value.template get<std::uint64_t>();
            return std::in_range<T>(number) ? std::optional<T>(static_cast<T>(number)) : std::nullopt;
        }
        if (value.is_number_integer()) {
            const auto number = value.template get<std::int64_t>();
            return std::in_range<T>(number) ? std::optional<T>(static_cast<T>(number)) : std::nullopt;
        }
        if (value.is_number_float()) {
            constexpr double exact = 9007199254740992.0; // 2^53: beyond it a real number names no whole one
            const auto number = value.template get<double>();
            if (!(number >= -exact && number <= exact) ||
                static_cast<double>(static_cast<std::int64_t>(number)) != number ||
                !std::in_range<T>(static_cast<std::int64_t>(number))) {
                return std::nullopt;
            }
            return static_cast<T>(number);
        }
    }
    try {
        return value.template get<T>();
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
}

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
    auto value = jsonAs<T>(*it);
    return value ? std::move(*value) : std::move(fallback);
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
    if (auto value = jsonAs<T>(*it)) {
        return std::move(*value);
    }
    return fail(std::string("\"") + key + "\" has the wrong type or is out of range (" + it->type_name() +
                ")");
}

/// The object that --json prints for a failure: {"error":{"what","file","line","remedy"}}.
nlohmann::json toJson(const Error& error);

} // namespace sparserl

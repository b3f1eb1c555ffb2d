// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace sparserl {

/// Parses JSON text. The Error names `file` and the line with the fault.
Result<nlohmann::json> parseJson(std::string_view text, const std::string& file = {});
Result<nlohmann::json> readJson(const std::filesystem::path& path);

/// Formats JSON as one line without a line break. Invalid UTF-8 becomes U+FFFD; NaN and infinities become
/// null. Never throws.
std::string dumpJson(const nlohmann::json& json);
/// Formats JSON with an indentation of two spaces and a final line break.
std::string dumpJsonPretty(const nlohmann::json& json);
/// Writes JSON to a file atomically (temporary file, fsync, rename).
Status writeJson(const std::filesystem::path& path, const nlohmann::json& json);

namespace detail {

/// Types that are read as numbers. Excludes bool, although get() converts it to 0 or 1.
template <typename T>
constexpr bool isNumber = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

/// Detects lists and objects of numbers, because get() would also convert their elements and wrap them
/// around.
template <typename T>
struct Numbers : std::false_type
{
};
template <typename T>
struct Numbers<std::vector<T>> : std::bool_constant<isNumber<T>>
{
    using Number = T;
    static constexpr auto kind = nlohmann::json::value_t::array;
    static void add(std::vector<T>& numbers, const std::string&, T number) { numbers.push_back(number); }
};
template <typename T>
struct Numbers<std::map<std::string, T>> : std::bool_constant<isNumber<T>>
{
    using Number = T;
    static constexpr auto kind = nlohmann::json::value_t::object;
    static void add(std::map<std::string, T>& numbers, const std::string& key, T number)
    {
        numbers[key] = number;
    }
};

} // namespace detail

/// Returns a value as T, or nullopt if it has another type or a whole number is out of range. In the latter
/// case, nlohmann's get() wraps around; for large real numbers, its behaviour is undefined. Booleans are not
/// numbers. Also reads lists and objects of numbers.
template <typename T>
std::optional<T> jsonAs(const nlohmann::json& value)
{
    if constexpr (detail::Numbers<T>::value) {
        if (value.type() != detail::Numbers<T>::kind) {
            return std::nullopt;
        }
        T numbers;
        for (const auto& [key, element] : value.items()) {
            const auto number = jsonAs<typename detail::Numbers<T>::Number>(element);
            if (!number) {
                return std::nullopt;
            }
            detail::Numbers<T>::add(numbers, key, *number);
        }
        return numbers;
    }
    if constexpr (detail::isNumber<T>) {
        if (!value.is_number()) {
            return std::nullopt;
        }
    }
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
            constexpr double exact = 9007199254740992.0; // 2^53: doubles above it do not identify a single
                                                         // integer.
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

/// Returns the member `key` of an object as T, or `fallback` if it is missing, null or of another type.
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

/// Returns the member `key` of an object as T, or an Error that names the key.
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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.h"

#include <array>
#include <string>
#include <type_traits>
#include <vector>

namespace sparserl {

/// nlohmann's get() for untrusted text. Also throws nlohmann::json::exception if a whole number, alone or in
/// an array, is out of range, or if a boolean stands in place of a number. In these cases, get() wraps
/// around; for large real numbers, its behaviour is undefined.
template <typename T>
void jsonExactTo(const nlohmann::json& value, T& target)
{
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        const auto number = jsonAs<T>(value);
        if (!number)
            throw nlohmann::json::out_of_range::create(
                406, "a whole number of " + std::to_string(8 * sizeof(T)) + " bits was expected", &value);
        target = *number;
    } else {
        if constexpr (detail::isNumber<T>)
            if (!value.is_number())
                throw nlohmann::json::type_error::create(302, "a number was expected", &value);
        value.get_to(target);
    }
}

template <typename T>
void jsonExactTo(const nlohmann::json& value, std::vector<T>& target)
{
    target.clear();
    for (const auto& element : value.get_ref<const nlohmann::json::array_t&>())
        jsonExactTo(element, target.emplace_back());
}

template <typename T, std::size_t Size>
void jsonExactTo(const nlohmann::json& value, std::array<T, Size>& target)
{
    for (std::size_t i = 0; i < Size; ++i)
        jsonExactTo(value.at(i), target[i]);
}

template <typename T>
T jsonExact(const nlohmann::json& value)
{
    T result{};
    jsonExactTo(value, result);
    return result;
}

} // namespace sparserl

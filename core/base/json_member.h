// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

namespace sparserl {

/// A member of an object; null if there is none, if it is null, or if `object` is not an object.
inline const nlohmann::json* memberOf(const nlohmann::json& object, const char* name)
{
    const auto found = object.find(name);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

} // namespace sparserl

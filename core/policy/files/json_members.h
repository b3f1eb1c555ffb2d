// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.h"

namespace sparserl {

/// Reads the members of an object one after the other and keeps the first thing that is wrong with them: a
/// member that is missing, of another type or beyond what its type holds.
class JsonMembers
{
public:
    /// Outlives this object.
    explicit JsonMembers(const nlohmann::json& object)
        : m_object(object)
    {
    }

    template <typename T>
    void required(const char* key, T& into)
    {
        auto value = jsonRequire<T>(m_object, key);
        if (value && !std::is_same_v<T, bool> && m_object[key].is_boolean()) // else true would be 1
            value = fail(std::string("\"") + key + "\" has the wrong type (boolean)");
        if (value)
            into = std::move(*value);
        else if (m_status)
            m_status = fail(value.error());
    }
    /// `into` stays what it is where the member is missing.
    template <typename T>
    void optional(const char* key, T& into)
    {
        if (!m_object.is_object() || m_object.contains(key))
            required(key, into);
    }
    const Status& status() const { return m_status; }

private:
    const nlohmann::json& m_object;
    Status m_status;
};

} // namespace sparserl

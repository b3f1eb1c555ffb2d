// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/json.h"

namespace sparserl {

/// Reads the members of a JSON object one after the other, and keeps the first error: a member that is
/// missing, has another type or is out of range.
class JsonMembers
{
public:
    /// `object` must outlive this object.
    explicit JsonMembers(const nlohmann::json& object)
        : m_object(object)
    {
    }

    template <typename T>
    void required(const char* key, T& into)
    {
        auto value = jsonRequire<T>(m_object, key);
        if (value && !std::is_same_v<T, bool> && m_object[key].is_boolean()) // otherwise true would become 1
            value = fail(std::string("\"") + key + "\" has the wrong type (boolean)");
        if (value)
            into = std::move(*value);
        else if (m_status)
            m_status = fail(value.error());
    }
    /// Leaves `into` unchanged if the member is missing.
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

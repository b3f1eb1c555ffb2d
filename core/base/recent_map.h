// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace sparserl {

/// A least-recently-used cache with text keys and at most `limit` values.
template <typename Value>
class RecentMap
{
public:
    explicit RecentMap(std::size_t limit)
        : m_limit(limit)
    {
    }

    /// Returns the value, or nullptr if there is none, and marks the value as used. The pointer is valid
    /// until the next call to put().
    const Value* find(const std::string& key)
    {
        const auto at = m_places.find(std::string_view(key));
        if (at == m_places.end())
            return nullptr;
        m_entries.splice(m_entries.begin(), m_entries, at->second);
        return &at->second->second;
    }

    /// Sets the value of a key and evicts the least recently used value if the map is full.
    void put(std::string key, Value value)
    {
        if (find(key)) {
            m_entries.front().second = std::move(value);
            return;
        }
        m_entries.emplace_front(std::move(key), std::move(value));
        m_places.emplace(m_entries.front().first, m_entries.begin());
        while (m_entries.size() > m_limit) {
            m_places.erase(m_entries.back().first);
            m_entries.pop_back();
        }
    }

private:
    using Entries = std::list<std::pair<std::string, Value>>;

    std::size_t m_limit;
    Entries m_entries; ///< Most recently used first.
    std::unordered_map<std::string_view, typename Entries::iterator> m_places;
};

} // namespace sparserl

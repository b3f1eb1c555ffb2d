// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace sparserl {

/// Reads server-sent events (WHATWG HTML, "Server-sent events") from pieces that end anywhere: the data of
/// each event. Names, ids and comments are skipped.
class EventStream
{
public:
    /// `event` gets the data of one event, lines joined by '\n'.
    explicit EventStream(std::function<void(std::string_view data)> event);
    void feed(std::string_view piece);
    /// Bytes of an event that has not ended.
    std::size_t waiting() const { return m_line.size() + m_data.size(); }

private:
    void takeLine();

    std::function<void(std::string_view)> m_event;
    std::string m_line, m_data;
    bool m_hasData = false;
    bool m_afterReturn = false; ///< The last byte was '\r': a '\n' that follows belongs to it.
};

} // namespace sparserl

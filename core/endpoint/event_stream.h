// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace sparserl {

/// Extracts the data of each server-sent event (WHATWG HTML, "Server-sent events") from a stream that arrives
/// in pieces, which may end anywhere. Skips names, ids and comments.
class EventStream
{
public:
    /// Calls `event` with the data of each event, with the lines joined by '\n'.
    explicit EventStream(std::function<void(std::string_view data)> event);
    void feed(std::string_view piece);
    /// The number of bytes received of an event that has not ended.
    std::size_t waiting() const { return m_line.size() + m_data.size(); }

private:
    void takeLine();

    std::function<void(std::string_view)> m_event;
    std::string m_line, m_data;
    bool m_hasData = false;
    bool m_afterReturn = false; ///< The last byte was '\r', so a '\n' after it belongs to the same line end.
};

} // namespace sparserl

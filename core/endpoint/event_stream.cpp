// SPDX-License-Identifier: Apache-2.0
#include "endpoint/event_stream.h"

#include <utility>

namespace sparserl {

EventStream::EventStream(std::function<void(std::string_view data)> event)
    : m_event(std::move(event))
{
}

void EventStream::feed(std::string_view piece)
{
    for (const char c : piece) {
        if (c == '\n' && m_afterReturn) {
            m_afterReturn = false;
            continue;
        }
        m_afterReturn = c == '\r';
        if (c == '\n' || c == '\r')
            takeLine();
        else
            m_line += c;
    }
}

void EventStream::takeLine()
{
    const std::string line = std::exchange(m_line, {});
    if (line.empty()) {
        if (m_hasData)
            m_event(m_data);
        m_data.clear();
        m_hasData = false;
        return;
    }
    std::string_view value = line;
    if (!value.starts_with("data"))
        return;
    value.remove_prefix(4);
    if (!value.empty() && value.front() != ':')
        return; // another field that begins with these letters
    if (!value.empty())
        value.remove_prefix(1);
    if (value.starts_with(' '))
        value.remove_prefix(1);
    if (m_hasData)
        m_data += '\n';
    m_data += value;
    m_hasData = true;
}

} // namespace sparserl

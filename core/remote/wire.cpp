// SPDX-License-Identifier: Apache-2.0
#include "remote/wire.h"

#include "base/json.h"
#include "base/printable.h"

namespace sparserl {

namespace {

constexpr std::size_t longestLine = std::size_t(1) << 20, mostSkipped = std::size_t(64) << 10;
constexpr std::string_view mark = "\x1eSRL "; ///< A record separator: no text of a shell begins so.

} // namespace

std::string causeOf(Error error)
{
    error.remedy.clear();
    return error.sentence();
}

std::string encodeFrame(nlohmann::json head, std::string_view body)
{
    if (!body.empty())
        head["bytes"] = body.size();
    std::string bytes(mark);
    bytes += dumpJson(head);
    bytes += '\n';
    bytes += body;
    return bytes;
}

Result<std::optional<Frame>> FrameReader::next()
{
    if (m_at > longestLine) {
        m_buffer.erase(0, m_at);
        m_at = 0;
    }
    for (;;) {
        const auto end = m_buffer.find('\n', m_at);
        const std::string_view all(m_buffer);
        if (end == std::string::npos) {
            if (m_buffer.size() - m_at > longestLine)
                return fail("the other side speaks something else",
                            "Make sure that the same version is there");
            return std::nullopt;
        }
        const std::string_view line = all.substr(m_at, end - m_at);
        const auto begin = m_begun ? (line.starts_with(mark) ? 0 : std::string_view::npos) : line.find(mark);
        if (begin == std::string_view::npos) {
            if (m_begun || m_skipped.size() > mostSkipped)
                return fail(
                    "the other side speaks something else: " +
                        shortened(printable(m_begun ? line : std::string_view(m_skipped)), 200),
                    "Make sure that the same version is there, and that its login shell prints nothing");
            m_skipped += line;
            m_skipped += '\n';
            m_at = end + 1;
            continue;
        }
        SPARSERL_TRY(auto head, parseJson(line.substr(begin + mark.size())));
        if (!head.is_object())
            return fail("the other side speaks something else", "Make sure that the same version is there");
        const auto bytes = jsonValue<std::int64_t>(head, "bytes", 0);
        if (bytes < 0 || bytes > longestBody)
            return fail("the other side sent a message longer than the protocol allows",
                        "Make sure that the same version is there");
        if (m_buffer.size() - (end + 1) < static_cast<std::size_t>(bytes))
            return std::nullopt;
        m_begun = true;
        Frame frame{std::move(head), m_buffer.substr(end + 1, static_cast<std::size_t>(bytes))};
        m_at = end + 1 + static_cast<std::size_t>(bytes);
        return frame;
    }
}

} // namespace sparserl

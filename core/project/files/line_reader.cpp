// SPDX-License-Identifier: Apache-2.0
#include "project/files/line_reader.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl {

LineReader::LineReader(const FileHandle& file, std::int64_t begin, std::int64_t end, std::int64_t chunkBytes)
    : m_file(file)
    , m_fileAt(begin)
    , m_end(end)
    , m_chunk(std::max<std::int64_t>(chunkBytes, 1))
{
}

Status LineReader::more()
{
    m_buffer.erase(0, m_at);
    m_searched -= m_at;
    m_at = 0;
    if (m_buffer.size() > longest) {
        const auto dropped = static_cast<std::int64_t>(m_buffer.size() - longest);
        m_wasted += dropped;
        m_buffer.resize(longest);
        m_searched = longest;
        if (m_wasted > endless)
            m_end = m_fileAt;
        const std::int64_t data = std::clamp(m_file.dataFrom(m_fileAt), m_fileAt, m_end); // zeros end no line
        m_dropped += dropped + (data - m_fileAt);
        m_fileAt = data;
    }
    // A long line doubles the buffer instead of being copied once a chunk.
    const auto want =
        std::min(std::max(m_chunk, static_cast<std::int64_t>(m_buffer.size())), m_end - m_fileAt);
    SPARSERL_TRY(const auto bytes, m_file.read(m_fileAt, want));
    if (bytes.empty())
        m_end = m_fileAt; // the file became shorter
    m_buffer += bytes;
    m_fileAt += static_cast<std::int64_t>(bytes.size());
    return {};
}

Result<std::optional<LineReader::Line>> LineReader::next()
{
    for (;;) {
        const std::size_t end = m_buffer.find('\n', m_searched);
        if (end != std::string::npos) {
            Line line;
            line.text = std::string_view(m_buffer).substr(m_at, end - m_at);
            line.end = m_fileAt - static_cast<std::int64_t>(m_buffer.size() - (end + 1));
            line.offset = line.end - static_cast<std::int64_t>(end + 1 - m_at) - m_dropped;
            m_dropped = m_wasted = 0;
            m_at = m_searched = end + 1;
            return line;
        }
        m_searched = m_buffer.size();
        if (m_fileAt >= m_end)
            return std::optional<Line>();
        SPARSERL_CHECK(more());
    }
}

Status LineReader::rest(const std::filesystem::path& path) const
{
    if (m_dropped == 0 && m_buffer.size() - m_at <= longest)
        return {};
    const auto begin = m_fileAt - static_cast<std::int64_t>(m_buffer.size() - m_at) - m_dropped;
    return failAt(path.string(), 0,
                  fmt::format("from byte {} on no line ends: the file is damaged there, and the rest of it "
                              "is not read",
                              begin),
                  "Move it away, or restore the file");
}

} // namespace sparserl

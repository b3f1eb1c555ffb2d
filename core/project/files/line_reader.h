// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/files/file_handle.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// The complete lines of a part of a file, in order, with memory for a chunk (or for the longest line) only.
/// Of a line beyond `longest` bytes, which only damage makes, the beginning is given. One that does not end
/// within `endless` bytes more, holes aside, is the last: it was made to be read for ever.
class LineReader
{
public:
    struct Line
    {
        std::string_view text;   ///< Without its line break; valid until the next call.
        std::int64_t offset = 0; ///< Of its first byte.
        std::int64_t end = 0;    ///< Behind its line break.
    };

    static constexpr std::size_t longest = 64 << 20;
    static constexpr std::int64_t endless = 256 << 20;

    /// Reads bytes [begin, end) of `file`, which outlives the reader. A line that ends behind `end` is none.
    LineReader(const FileHandle& file, std::int64_t begin, std::int64_t end,
               std::int64_t chunkBytes = 1 << 20);

    /// The next line, or nothing at the end. Fails if the disk does.
    Result<std::optional<Line>> next();
    /// After the last line: an Error if what is left there is no half line, but longer than any line.
    Status rest(const std::filesystem::path& path) const;

private:
    Status more();

    const FileHandle& m_file;
    std::int64_t m_fileAt = 0; ///< Offset of the next byte to read from the file.
    std::int64_t m_end = 0;
    std::int64_t m_chunk = 0;
    std::string m_buffer;
    std::size_t m_at = 0;       ///< First byte of the next line in the buffer.
    std::size_t m_searched = 0; ///< No line break lies between m_at and here.
    std::int64_t m_dropped = 0; ///< Bytes of this line that are not kept.
    std::int64_t m_wasted = 0;  ///< Those of them that were read.
};

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/files/file_handle.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// Reads the complete lines in a part of a file, in order. Keeps only one chunk of the file, or the longest
/// line, in memory. Returns only the beginning of a line with more than `longest` bytes, because the file
/// must be damaged there. If such a line does not end within `endless` further bytes, holes not counted,
/// stops reading, because the line may never end.
class LineReader
{
public:
    struct Line
    {
        std::string_view text;   ///< The line without its line break. Valid until the next call.
        std::int64_t offset = 0; ///< Offset of the line's first byte.
        std::int64_t end = 0;    ///< Offset of the first byte after the line break.
    };

    static constexpr std::size_t longest = 64 << 20;
    static constexpr std::int64_t endless = 256 << 20;

    /// Reads the bytes [begin, end) of `file`, which must outlive the reader. Ignores a line that ends after
    /// `end`.
    LineReader(const FileHandle& file, std::int64_t begin, std::int64_t end,
               std::int64_t chunkBytes = 1 << 20);

    /// Returns the next line, or nullopt at the end. Fails on a disk error.
    Result<std::optional<Line>> next();
    /// Checks the bytes after the last complete line. Fails if they are longer than any valid line, because
    /// the file must then be damaged. Call it after the last line.
    Status rest(const std::filesystem::path& path) const;

private:
    Status more();

    const FileHandle& m_file;
    std::int64_t m_fileAt = 0; ///< Offset of the next byte to read from the file.
    std::int64_t m_end = 0;
    std::int64_t m_chunk = 0;
    std::string m_buffer;
    std::size_t m_at = 0;       ///< First byte of the next line in the buffer.
    std::size_t m_searched = 0; ///< There is no line break between m_at and this index.
    std::int64_t m_dropped = 0; ///< Number of discarded bytes of the current line.
    std::int64_t m_wasted = 0;  ///< Number of these bytes that were read, holes not counted.
};

} // namespace sparserl

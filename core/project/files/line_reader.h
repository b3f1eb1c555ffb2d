// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/files/file_handle.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace sparserl {

/// Reads the complete lines of a part of a file in order, with memory for only one chunk (or the longest
/// line). Returns only the beginning of a line beyond `longest` bytes, which indicates damage. If a line does
/// not end within `endless` further bytes, not counting holes, reading stops, because such a file may be
/// endless.
class LineReader
{
public:
    struct Line
    {
        std::string_view text;   ///< Without its line break; valid until the next call.
        std::int64_t offset = 0; ///< Offset of its first byte.
        std::int64_t end = 0;    ///< Offset after its line break.
    };

    static constexpr std::size_t longest = 64 << 20;
    static constexpr std::int64_t endless = 256 << 20;

    /// Reads bytes [begin, end) of `file`, which must outlive the reader. Ignores a line that ends after
    /// `end`.
    LineReader(const FileHandle& file, std::int64_t begin, std::int64_t end,
               std::int64_t chunkBytes = 1 << 20);

    /// The next line, or nullopt at the end. Fails on a disk error.
    Result<std::optional<Line>> next();
    /// Call after the last line. Fails if the remainder is not an incomplete line but longer than any valid
    /// line.
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
    std::int64_t m_dropped = 0; ///< Discarded bytes of this line.
    std::int64_t m_wasted = 0;  ///< Those of them that were read.
};

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "matrix/byte_source.h"

#include <memory>
#include <string>
#include <string_view>

// For use by the readers, not by other folders.
namespace sparserl {

/// A text in blocks that never split a line (or a number). Every block ends with a line break or, within a
/// long line, with a separator, so loops over digits need no bounds check.
class TextBlocks
{
public:
    enum class Cut
    {
        Lines,  ///< Splits the text only after line breaks.
        Numbers ///< Splits after white space or commas, for files that have a whole array in one line.
    };

    /// Splits text in memory. `bytes` must outlive this object.
    TextBlocks(std::string_view bytes, std::string name, CancelToken cancel, Progress progress);
    /// Splits the text of a source.
    TextBlocks(std::unique_ptr<ByteSource> source, std::string name, CancelToken cancel, Progress progress);
    ~TextBlocks();
    TextBlocks(const TextBlocks&) = delete;
    TextBlocks& operator=(const TextBlocks&) = delete;

    /// Returns the next block, which is valid until the next call; it is empty at the end. Fails on errors of
    /// the source, on cancellation, or if a line is too long.
    Result<std::string_view> next(Cut cut);

    /// Returns true if the data are followed by ignored bytes, neither compressed data nor padding.
    bool foreignRest() const { return m_source && m_source->foreignRest(); }
    /// Returns true if the latest block is the last one, and its final line break is not in the text.
    bool endsOpen() const { return !m_tail.empty(); }
    std::int64_t textBytes() const { return m_textBytes; }
    const std::string& name() const { return m_name; }

private:
    Result<std::string_view> nextPlain(Cut cut);
    Result<std::string_view> nextOfSource(Cut cut);
    std::string_view lastPiece(std::string_view rest);

    std::string_view m_bytes;
    std::size_t m_taken = 0; ///< Number of bytes of m_bytes that are consumed.
    std::string m_name;
    CancelToken m_cancel;
    Progress m_progress;
    std::unique_ptr<ByteSource> m_source;
    std::string m_buffer; ///< Text from the source. The part [m_begin, m_end) is still unread.
    std::size_t m_begin = 0, m_end = 0;
    bool m_sourceEnded = false;
    std::string m_tail; ///< The last line, with the line break that was added.
    std::int64_t m_textBytes = 0;
    std::size_t m_emptyBytes = 0; ///< Bytes since the last block that had a number.
    bool m_ended = false;
};

} // namespace sparserl

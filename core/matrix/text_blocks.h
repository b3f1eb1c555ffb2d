// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "matrix/byte_source.h"

#include <memory>
#include <string>
#include <string_view>

// Used by the readers; not for other folders.
namespace sparserl {

/// Text in blocks that never split a line (or a number). Every block ends with a line break or, inside a long
/// line, with a separator, so loops over digits need no bounds check.
class TextBlocks
{
public:
    enum class Cut
    {
        Lines,  ///< Splits only after line breaks.
        Numbers ///< Splits after white space or commas, for files with a whole array in one line.
    };

    /// `bytes` must outlive this object.
    TextBlocks(std::string_view bytes, std::string name, CancelToken cancel, Progress progress);
    /// Text from another source.
    TextBlocks(std::unique_ptr<ByteSource> source, std::string name, CancelToken cancel, Progress progress);
    ~TextBlocks();
    TextBlocks(const TextBlocks&) = delete;
    TextBlocks& operator=(const TextBlocks&) = delete;

    /// The next block, valid until the next call; empty at the end. Fails on errors of the source,
    /// cancellation, or an overlong line.
    Result<std::string_view> next(Cut cut);

    /// Whether the data were followed by ignored bytes that are neither compressed data nor padding.
    bool foreignRest() const { return m_source && m_source->foreignRest(); }
    /// The latest block is the last one, and its final line break is missing in the text and was added here.
    bool endsOpen() const { return !m_tail.empty(); }
    std::int64_t textBytes() const { return m_textBytes; }
    const std::string& name() const { return m_name; }

private:
    Result<std::string_view> nextPlain(Cut cut);
    Result<std::string_view> nextOfSource(Cut cut);
    std::string_view lastPiece(std::string_view rest);

    std::string_view m_bytes;
    std::size_t m_taken = 0; ///< Consumed part of m_bytes.
    std::string m_name;
    CancelToken m_cancel;
    Progress m_progress;
    std::unique_ptr<ByteSource> m_source;
    std::string m_buffer; ///< From the source; [m_begin, m_end) is still unread.
    std::size_t m_begin = 0, m_end = 0;
    bool m_sourceEnded = false;
    std::string m_tail; ///< The last line with the added line break.
    std::int64_t m_textBytes = 0;
    std::size_t m_emptyBytes = 0; ///< Size of the latest blocks without a number.
    bool m_ended = false;
};

} // namespace sparserl

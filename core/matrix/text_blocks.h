// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"

#include <memory>
#include <string>
#include <string_view>

// Used by the readers; not for other folders.
namespace sparserl {

/// Text, plain or gzip, in blocks that never cut a line (or a number). Every block ends with a line break or,
/// inside a long line, with a separator, so that loops over digits need no bounds check.
class TextBlocks
{
public:
    enum class Cut
    {
        Lines,  ///< Only after a line break.
        Numbers ///< After any white space or comma: for files that keep a whole array in one line.
    };

    /// `bytes` must outlive this object. What is gzip follows from its first two bytes.
    TextBlocks(std::string_view bytes, std::string name, CancelToken cancel, Progress progress);
    ~TextBlocks();
    TextBlocks(const TextBlocks&) = delete;
    TextBlocks& operator=(const TextBlocks&) = delete;

    /// The next block, valid until the next call; empty at the end. Fails on damaged gzip, cancellation, or a
    /// line that is too long to be one.
    Result<std::string_view> next(Cut cut);

    bool compressed() const { return m_gzip != nullptr; }
    /// Bytes that are neither gzip nor padding followed the compressed data; they were ignored.
    bool foreignRest() const { return m_foreignRest; }
    std::int64_t textBytes() const { return m_textBytes; }
    const std::string& name() const { return m_name; }

private:
    struct Gzip;
    Result<std::string_view> nextPlain(Cut cut);
    Result<std::string_view> nextGzip(Cut cut);
    Status inflateMore();
    std::string_view lastPiece(std::string_view rest);

    std::string_view m_bytes;
    std::size_t m_taken = 0; ///< Of m_bytes.
    std::string m_name;
    CancelToken m_cancel;
    Progress m_progress;
    std::unique_ptr<Gzip> m_gzip;
    std::string m_tail; ///< The last line, with the line break that it lacked.
    std::int64_t m_textBytes = 0;
    bool m_ended = false;
    bool m_foreignRest = false;
};

} // namespace sparserl

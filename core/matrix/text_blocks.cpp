// SPDX-License-Identifier: Apache-2.0
#include "matrix/text_blocks.h"
#include "base/interruption.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <zlib.h>

namespace sparserl {

namespace {

constexpr std::size_t blockBytes = std::size_t(1) << 20;
constexpr std::size_t longestLine = std::size_t(64) << 20;

bool separates(char c, TextBlocks::Cut cut)
{
    return c == '\n' || (cut == TextBlocks::Cut::Numbers && (c == ' ' || c == ',' || c == '\t' || c == '\r'));
}

/// Length of the longest prefix that ends in a separator; 0 if there is none.
std::size_t wholePrefix(std::string_view text, TextBlocks::Cut cut)
{
    if (cut == TextBlocks::Cut::Lines) {
        const void* at = ::memrchr(text.data(), '\n', text.size());
        return at ? static_cast<std::size_t>(static_cast<const char*>(at) - text.data()) + 1 : 0;
    }
    std::size_t size = text.size();
    while (size > 0 && !separates(text[size - 1], cut)) {
        --size;
    }
    return size;
}

} // namespace

struct TextBlocks::Gzip
{
    z_stream stream{};
    std::string buffer; ///< [begin, end) is text that was not handed out yet.
    std::size_t begin = 0;
    std::size_t end = 0;
    bool memberOpen = true; ///< False between the members of a multi-member file.

    Gzip()
    {
        if (::inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK) {
            throw std::bad_alloc();
        }
        buffer.resize(2 * blockBytes);
    }
    ~Gzip() { ::inflateEnd(&stream); }
    Gzip(const Gzip&) = delete;
    Gzip& operator=(const Gzip&) = delete;
};

TextBlocks::TextBlocks(std::string_view bytes, std::string name, CancelToken cancel, Progress progress)
    : m_bytes(bytes)
    , m_name(std::move(name))
    , m_cancel(std::move(cancel))
    , m_progress(std::move(progress))
{
    if (bytes.size() >= 2 && bytes[0] == '\x1f' && bytes[1] == '\x8b') {
        m_gzip = std::make_unique<Gzip>();
    }
}

TextBlocks::~TextBlocks() = default;

Result<std::string_view> TextBlocks::next(Cut cut)
{
    if (m_cancel.cancelled()) {
        return fail(interruption());
    }
    if (m_progress && !m_bytes.empty()) {
        m_progress(static_cast<double>(m_taken) / static_cast<double>(m_bytes.size()), "reading");
    }
    if (m_ended) {
        return std::string_view();
    }
    auto block = m_gzip ? nextGzip(cut) : nextPlain(cut);
    if (block) {
        m_textBytes += static_cast<std::int64_t>(block->size());
    }
    return block;
}

std::string_view TextBlocks::lastPiece(std::string_view rest)
{
    m_ended = true;
    if (rest.empty()) {
        return {};
    }
    m_tail.assign(rest);
    m_tail += '\n';
    return m_tail;
}

Result<std::string_view> TextBlocks::nextPlain(Cut cut)
{
    const std::string_view rest = m_bytes.substr(m_taken);
    for (std::size_t size = blockBytes; size < rest.size(); size *= 2) {
        if (const std::size_t whole = wholePrefix(rest.substr(0, size), cut); whole > 0) {
            m_taken += whole;
            return rest.substr(0, whole);
        }
        if (size > longestLine) {
            return failAt(m_name, 0, "a line has more than 64 MiB: this is not a matrix in text form");
        }
    }
    m_taken = m_bytes.size();
    if (const std::size_t whole = wholePrefix(rest, cut); whole == rest.size()) {
        m_ended = true;
        return rest;
    }
    return lastPiece(rest);
}

Status TextBlocks::inflateMore()
{
    Gzip& gzip = *m_gzip;
    z_stream& stream = gzip.stream;
    if (stream.avail_in == 0 && m_taken < m_bytes.size()) {
        const std::size_t step = std::min(m_bytes.size() - m_taken, blockBytes / 4);
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(m_bytes.data() + m_taken));
        stream.avail_in = static_cast<uInt>(step);
        m_taken += step;
    }
    if (!gzip.memberOpen) {
        // gzip files may be several members in a row; anything else behind the last one is padding to ignore.
        if (stream.avail_in == 0 || *stream.next_in != 0x1f || ::inflateReset(&stream) != Z_OK) {
            const std::string_view rest = m_bytes.substr(m_taken - stream.avail_in);
            m_foreignRest = rest.find_first_not_of('\0') != std::string_view::npos;
            stream.avail_in = 0;
            m_taken = m_bytes.size();
            return {};
        }
        gzip.memberOpen = true;
    }
    stream.next_out = reinterpret_cast<Bytef*>(gzip.buffer.data() + gzip.end);
    stream.avail_out = static_cast<uInt>(gzip.buffer.size() - gzip.end);
    const int code = ::inflate(&stream, Z_NO_FLUSH);
    gzip.end = gzip.buffer.size() - stream.avail_out;
    if (code == Z_STREAM_END) {
        gzip.memberOpen = false;
        return {};
    }
    if (code == Z_BUF_ERROR && stream.avail_in == 0 && m_taken == m_bytes.size()) {
        return failAt(m_name, 0, "the compressed file is truncated", "Download or copy it again");
    }
    if (code != Z_OK && code != Z_BUF_ERROR) {
        return failAt(m_name, 0,
                      std::string("the compressed file is damaged (") + (stream.msg ? stream.msg : "zlib") +
                          ")",
                      "Download or copy it again");
    }
    return {};
}

Result<std::string_view> TextBlocks::nextGzip(Cut cut)
{
    Gzip& gzip = *m_gzip;
    std::memmove(gzip.buffer.data(), gzip.buffer.data() + gzip.begin, gzip.end - gzip.begin);
    gzip.end -= gzip.begin;
    gzip.begin = 0;
    for (;;) {
        const bool inputLeft = gzip.stream.avail_in > 0 || m_taken < m_bytes.size();
        if (!gzip.memberOpen && !inputLeft) {
            const std::string_view rest(gzip.buffer.data(), gzip.end);
            if (const std::size_t whole = wholePrefix(rest, cut); whole == rest.size()) {
                m_ended = true;
                return rest;
            }
            return lastPiece(rest);
        }
        if (gzip.end >= blockBytes) {
            const std::size_t whole = wholePrefix({gzip.buffer.data(), gzip.end}, cut);
            if (whole > 0) {
                gzip.begin = whole;
                return std::string_view(gzip.buffer.data(), whole);
            }
            if (gzip.end > longestLine) {
                return failAt(m_name, 0, "a line has more than 64 MiB: this is not a matrix in text form");
            }
        }
        if (gzip.end == gzip.buffer.size()) {
            gzip.buffer.resize(gzip.buffer.size() * 2);
        }
        SPARSERL_CHECK(inflateMore());
    }
}

} // namespace sparserl

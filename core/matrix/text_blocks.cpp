// SPDX-License-Identifier: Apache-2.0
#include "matrix/text_blocks.h"
#include "base/interruption.h"

#include <algorithm>
#include <cstring>

namespace sparserl {

namespace {

constexpr std::size_t blockBytes = std::size_t(1) << 20;
constexpr std::size_t longestLine = std::size_t(64) << 20;
constexpr std::size_t mostEmpty = std::size_t(16) << 20; ///< A small zip holds any amount of empty lines.

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

TextBlocks::TextBlocks(std::string_view bytes, std::string name, CancelToken cancel, Progress progress)
    : m_bytes(bytes)
    , m_name(std::move(name))
    , m_cancel(std::move(cancel))
    , m_progress(std::move(progress))
{
}

TextBlocks::TextBlocks(std::unique_ptr<ByteSource> source, std::string name, CancelToken cancel,
                       Progress progress)
    : m_name(std::move(name))
    , m_cancel(std::move(cancel))
    , m_progress(std::move(progress))
    , m_source(std::move(source))
{
    m_buffer.resize(2 * blockBytes);
}

TextBlocks::~TextBlocks() = default;

Result<std::string_view> TextBlocks::next(Cut cut)
{
    if (m_cancel.cancelled()) {
        return fail(interruption());
    }
    if (m_progress && m_source) {
        m_progress(m_source->fraction(), "reading");
    } else if (m_progress && !m_bytes.empty()) {
        m_progress(static_cast<double>(m_taken) / static_cast<double>(m_bytes.size()), "reading");
    }
    if (m_ended) {
        return std::string_view();
    }
    auto block = m_source ? nextOfSource(cut) : nextPlain(cut);
    if (block) {
        m_textBytes += static_cast<std::int64_t>(block->size());
        const bool isEmpty = block->find_first_of("0123456789") == std::string_view::npos;
        m_emptyBytes = isEmpty ? m_emptyBytes + block->size() : 0;
        if (m_emptyBytes > mostEmpty) {
            return failAt(m_name, 0,
                          "more than 16 MiB of it hold no number: this is not a matrix in text form");
        }
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

Result<std::string_view> TextBlocks::nextOfSource(Cut cut)
{
    std::memmove(m_buffer.data(), m_buffer.data() + m_begin, m_end - m_begin);
    m_end -= m_begin;
    m_begin = 0;
    std::size_t searched = 0; // No line ends before it.
    for (;;) {
        if (m_cancel.cancelled())
            return fail(interruption());
        if (m_sourceEnded) {
            const std::string_view rest(m_buffer.data(), m_end);
            if (const std::size_t whole = wholePrefix(rest, cut); whole == rest.size()) {
                m_ended = true;
                return rest;
            }
            return lastPiece(rest);
        }
        if (m_end >= blockBytes) {
            const std::size_t fresh = wholePrefix({m_buffer.data() + searched, m_end - searched}, cut);
            if (fresh > 0) {
                const std::size_t whole = searched + fresh;
                m_begin = whole;
                return std::string_view(m_buffer.data(), whole);
            }
            if (m_end > longestLine) {
                return failAt(m_name, 0, "a line has more than 64 MiB: this is not a matrix in text form");
            }
            searched = m_end;
        }
        if (m_end == m_buffer.size()) {
            m_buffer.resize(m_buffer.size() * 2);
        }
        SPARSERL_TRY(const std::size_t got, m_source->read(m_buffer.data() + m_end, m_buffer.size() - m_end));
        m_end += got;
        m_sourceEnded = got == 0;
    }
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "matrix/byte_source.h"

#include "base/format.h"
#include "base/interruption.h"
#include "matrix/readers.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <new>
#include <utility>
#include <vector>
#include <zlib.h>

namespace sparserl {
namespace {

constexpr std::size_t packedBlock = std::size_t(1) << 18;

class MemorySource : public ByteSource
{
public:
    explicit MemorySource(std::string_view bytes)
        : m_bytes(bytes)
    {
    }
    Result<std::size_t> read(char* into, std::size_t most) override
    {
        const std::size_t count = std::min(most, m_bytes.size() - m_taken);
        if (count > 0)
            std::memcpy(into, m_bytes.data() + m_taken, count);
        m_taken += count;
        return count;
    }
    double fraction() const override
    {
        return m_bytes.empty() ? 1 : static_cast<double>(m_taken) / static_cast<double>(m_bytes.size());
    }

private:
    std::string_view m_bytes;
    std::size_t m_taken = 0;
};

class GzipSource : public ByteSource
{
public:
    GzipSource(std::unique_ptr<ByteSource> packed, std::string name, std::uint64_t fileBytes)
        : m_source(std::move(packed))
        , m_name(std::move(name))
        , m_packed(packedBlock)
        , m_fileBytes(fileBytes)
    {
        if (::inflateInit2(&m_stream, 16 + MAX_WBITS) != Z_OK)
            throw std::bad_alloc();
    }
    ~GzipSource() override { ::inflateEnd(&m_stream); }

    Result<std::size_t> read(char* into, std::size_t most) override;
    double fraction() const override { return m_source->fraction(); }
    bool foreignRest() const override { return m_foreignRest; }

private:
    Status fill();
    Status nextMember();
    tl::unexpected<Error> damaged(std::string what) const
    {
        return failAt(m_name, 0, std::move(what), "Download or copy it again");
    }

    std::unique_ptr<ByteSource> m_source;
    std::string m_name;
    std::vector<char> m_packed;
    z_stream m_stream{};
    std::uint64_t m_fileBytes = 0, m_taken = 0, m_given = 0;
    bool m_memberOpen = true; ///< False between the members of a multi-member file.
    bool m_sourceEnded = false, m_ended = false, m_foreignRest = false;
};

/// More packed bytes, if there are any and none are left.
Status GzipSource::fill()
{
    if (m_stream.avail_in > 0 || m_sourceEnded)
        return {};
    SPARSERL_TRY(const std::size_t got, m_source->read(m_packed.data(), m_packed.size()));
    m_sourceEnded = got == 0;
    m_taken += got;
    m_stream.next_in = reinterpret_cast<Bytef*>(m_packed.data());
    m_stream.avail_in = static_cast<uInt>(got);
    return {};
}

/// gzip files may be several members in a row; anything else after the last one is padding to ignore.
Status GzipSource::nextMember()
{
    if (m_stream.avail_in > 0 && *m_stream.next_in == 0x1f && ::inflateReset(&m_stream) == Z_OK) {
        m_memberOpen = true;
        return {};
    }
    while (m_stream.avail_in > 0) {
        m_foreignRest = m_foreignRest || std::any_of(m_stream.next_in, m_stream.next_in + m_stream.avail_in,
                                                     [](Bytef byte) { return byte != 0; });
        m_stream.avail_in = 0;
        SPARSERL_CHECK(fill());
    }
    m_ended = true;
    return {};
}

Result<std::size_t> GzipSource::read(char* into, std::size_t most)
{
    while (!m_ended) {
        SPARSERL_CHECK(fill());
        if (!m_memberOpen) {
            SPARSERL_CHECK(nextMember());
            continue;
        }
        const auto space = static_cast<uInt>(std::min<std::size_t>(most, std::size_t(1) << 30));
        m_stream.next_out = reinterpret_cast<Bytef*>(into);
        m_stream.avail_out = space;
        const int code = ::inflate(&m_stream, Z_NO_FLUSH);
        const std::size_t got = space - m_stream.avail_out;
        m_given += got;
        m_memberOpen = code != Z_STREAM_END;
        if (code != Z_OK && code != Z_BUF_ERROR && code != Z_STREAM_END)
            return damaged(std::string("the compressed file is damaged (") +
                           (m_stream.msg ? m_stream.msg : "zlib") + ")");
        if (got > 0) {
            SPARSERL_CHECK(checkExpansion(m_fileBytes > 0 ? m_fileBytes : m_taken, m_given, m_name));
            return got;
        }
        if (code == Z_BUF_ERROR && m_sourceEnded)
            return damaged("the compressed file is truncated");
    }
    return std::size_t(0);
}

class PeekedSource : public ByteSource
{
public:
    PeekedSource(std::string head, std::unique_ptr<ByteSource> rest)
        : m_head(std::move(head))
        , m_rest(std::move(rest))
    {
    }
    Result<std::size_t> read(char* into, std::size_t most) override
    {
        if (m_taken == m_head.size())
            return m_rest->read(into, most);
        const std::size_t count = std::min(most, m_head.size() - m_taken);
        std::memcpy(into, m_head.data() + m_taken, count);
        m_taken += count;
        return count;
    }
    double fraction() const override { return m_rest->fraction(); }
    bool foreignRest() const override { return m_rest->foreignRest(); }

private:
    std::string m_head;
    std::size_t m_taken = 0;
    std::unique_ptr<ByteSource> m_rest;
};

} // namespace

std::unique_ptr<ByteSource> memorySource(std::string_view bytes)
{
    return std::make_unique<MemorySource>(bytes);
}

bool looksGzip(std::string_view head)
{
    return head.starts_with("\x1f\x8b");
}

std::unique_ptr<ByteSource> gzipSource(std::unique_ptr<ByteSource> packed, const std::string& name,
                                       std::uint64_t fileBytes)
{
    return std::make_unique<GzipSource>(std::move(packed), name, fileBytes);
}

Result<Peeked> peek(std::unique_ptr<ByteSource> source, std::size_t bytes)
{
    std::string head(bytes, '\0');
    std::size_t used = 0;
    while (used < bytes) {
        SPARSERL_TRY(const std::size_t got, source->read(head.data() + used, bytes - used));
        if (got == 0)
            break;
        used += got;
    }
    head.resize(used);
    auto again = std::make_unique<PeekedSource>(head, std::move(source));
    return Peeked{std::move(head), std::move(again)};
}

Result<std::string> readAll(ByteSource& source, const std::string& name, std::int64_t memory,
                            const CancelToken& cancel, const Progress& progress)
{
    std::string out;
    std::size_t used = 0;
    for (;;) {
        if (cancel.cancelled())
            return fail(interruption());
        if (progress)
            progress(source.fraction(), "reading");
        if (used == out.size()) {
            SPARSERL_CHECK(checkBytes(name, static_cast<std::int64_t>(2 * used), memory));
            out.resize(std::max<std::size_t>(2 * used, std::size_t(1) << 16));
        }
        SPARSERL_TRY(const std::size_t got, source.read(out.data() + used, out.size() - used));
        if (got == 0)
            break;
        used += got;
    }
    out.resize(used);
    return out;
}

Status checkExpansion(std::uint64_t packed, std::uint64_t expanded, const std::string& name)
{
    constexpr std::uint64_t harmless = std::uint64_t(1) << 30, most = 300;
    if (expanded <= harmless || expanded / most <= packed)
        return {};
    return failAt(name, 0,
                  fmt::format("{} of compressed data hold more than {}: this is not a matrix",
                              formatBytes(static_cast<double>(packed)),
                              formatBytes(static_cast<double>(expanded))),
                  "If it is one, unpack the file and name the file inside");
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

// Sources of sequential bytes: a file, its uncompressed contents or a member of an archive. For use by the
// readers, not by other folders.
namespace sparserl {

class ByteSource
{
public:
    ByteSource() = default;
    virtual ~ByteSource() = default;
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;

    /// Reads up to `most` bytes (at least 1) to `into`. Returns the number of bytes read, which is 0 at the
    /// end. Fails on damaged data.
    virtual Result<std::size_t> read(char* into, std::size_t most) = 0;
    /// Returns the fraction of the file that has been read, in [0, 1].
    virtual double fraction() const = 0;
    /// Returns true if the data are followed by bytes that are neither compressed data nor padding. Valid
    /// only at the end.
    virtual bool foreignRest() const { return false; }
};

/// Returns a source of bytes in memory, which must outlive the source.
std::unique_ptr<ByteSource> memorySource(std::string_view bytes);

bool looksGzip(std::string_view head);
/// Returns a source that decompresses gzip. Consecutive gzip members form one text. If `packed` is a
/// member of an archive, `fileBytes` is the size of the archive.
std::unique_ptr<ByteSource> gzipSource(std::unique_ptr<ByteSource> packed, const std::string& name,
                                       std::uint64_t fileBytes = 0);

/// A source and a copy of its first bytes. The source still returns these bytes when it is read.
struct Peeked
{
    std::string head; ///< As many bytes as were requested, or fewer if the source ended.
    std::unique_ptr<ByteSource> source;
};
Result<Peeked> peek(std::unique_ptr<ByteSource> source, std::size_t bytes);

/// Reads a whole source, for formats that cannot be streamed. Fails if the source has more than `memory`
/// bytes (0: the free memory).
Result<std::string> readAll(ByteSource& source, const std::string& name, std::int64_t memory,
                            const CancelToken& cancel, const Progress& progress);

/// Fails for data that expand to more than 1 GiB and also to more than 300 times their compressed size.
Status checkExpansion(std::uint64_t packed, std::uint64_t expanded, const std::string& name);

} // namespace sparserl

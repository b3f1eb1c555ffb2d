// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

// Sequential bytes of a file, of its uncompressed contents or of an archive member. Used by the readers; not
// for other folders.
namespace sparserl {

class ByteSource
{
public:
    ByteSource() = default;
    virtual ~ByteSource() = default;
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;

    /// Reads up to `most` bytes (at least 1) to `into`. Returns the number of bytes, 0 at the end. Fails on
    /// damaged data.
    virtual Result<std::size_t> read(char* into, std::size_t most) = 0;
    /// The consumed fraction of the file, in [0, 1].
    virtual double fraction() const = 0;
    /// Whether the data are followed by bytes that are neither compressed data nor padding. Valid at the end
    /// only.
    virtual bool foreignRest() const { return false; }
};

/// Bytes in memory, which must outlive the source.
std::unique_ptr<ByteSource> memorySource(std::string_view bytes);

bool looksGzip(std::string_view head);
/// Decompresses gzip. Consecutive members form one text. `fileBytes`: size of the original file, if `packed`
/// is itself uncompressed data.
std::unique_ptr<ByteSource> gzipSource(std::unique_ptr<ByteSource> packed, const std::string& name,
                                       std::uint64_t fileBytes = 0);

/// A source together with its first bytes, which it returns again when read.
struct Peeked
{
    std::string head; ///< At most the requested number of bytes; fewer only at the end.
    std::unique_ptr<ByteSource> source;
};
Result<Peeked> peek(std::unique_ptr<ByteSource> source, std::size_t bytes);

/// Reads a whole source, for formats that cannot be streamed. Fails beyond `memory` bytes (0: the free
/// memory).
Result<std::string> readAll(ByteSource& source, const std::string& name, std::int64_t memory,
                            const CancelToken& cancel, const Progress& progress);

/// Refuses data that expand to more than 1 GiB and to more than 300 times their compressed size.
Status checkExpansion(std::uint64_t packed, std::uint64_t expanded, const std::string& name);

} // namespace sparserl

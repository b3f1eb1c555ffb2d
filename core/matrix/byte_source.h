// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

// Bytes that come one after the other: of a file, of what is compressed in it, of a member of an archive.
// Used by the readers; not for other folders.
namespace sparserl {

class ByteSource
{
public:
    ByteSource() = default;
    virtual ~ByteSource() = default;
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;

    /// At most `most` bytes (1 or more) to `into`; how many, 0 at the end. Fails on damage.
    virtual Result<std::size_t> read(char* into, std::size_t most) = 0;
    /// How much of the file has been taken, in [0, 1].
    virtual double fraction() const = 0;
    /// Known at the end: bytes that are neither compressed data nor padding came after it.
    virtual bool foreignRest() const { return false; }
};

/// Bytes in memory, which must outlive it.
std::unique_ptr<ByteSource> memorySource(std::string_view bytes);

bool looksGzip(std::string_view head);
/// What gzip holds; several members in a row are one text.
/// `fileBytes`: of the file that all of it comes from, where `packed` has been expanded already.
std::unique_ptr<ByteSource> gzipSource(std::unique_ptr<ByteSource> packed, const std::string& name,
                                       std::uint64_t fileBytes = 0);

/// A source and the bytes that it begins with, which are read again.
struct Peeked
{
    std::string head; ///< At most `bytes` as asked; fewer only where there are no more.
    std::unique_ptr<ByteSource> source;
};
Result<Peeked> peek(std::unique_ptr<ByteSource> source, std::size_t bytes);

/// All of a source, for formats that need all of it at once; refused beyond `memory` bytes (0: what is free).
Result<std::string> readAll(ByteSource& source, const std::string& name, std::int64_t memory,
                            const CancelToken& cancel, const Progress& progress);

/// Refuses what expands as no matrix does: to more than 1 GiB out of less than a 300th of that.
Status checkExpansion(std::uint64_t packed, std::uint64_t expanded, const std::string& name);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "evaluation/protocol/channel.h"
#include "matrix/csr.h"

#include <cstddef>
#include <span>

namespace sparserl {

/// Memory shared with a runner: an anonymous file whose size is sealed, so that neither side can pull it away
/// under the other's mapping.
class SharedBuffer
{
public:
    /// Zeroed memory of at least one byte.
    static Result<SharedBuffer> create(std::size_t bytes);
    /// Maps a received file read-write. Refuses files that are not sealed to a fixed size.
    static Result<SharedBuffer> adopt(FileDescriptor file);
    ~SharedBuffer();
    SharedBuffer(SharedBuffer&& other) noexcept;
    SharedBuffer& operator=(SharedBuffer&& other) noexcept;

    int fd() const { return m_file.get(); }
    std::size_t size() const { return m_size; }
    std::byte* data() { return m_data; }
    const std::byte* data() const { return m_data; }
    /// `count` floats from byte offset `at`; empty where that is not inside (or not aligned).
    std::span<float> floats(std::size_t at, std::size_t count);
    std::span<const float> floats(std::size_t at, std::size_t count) const;

private:
    SharedBuffer() = default;
    FileDescriptor m_file;
    std::byte* m_data = nullptr;
    std::size_t m_size = 0;
};

/// A matrix as shared memory: rows, cols, nnz (i64 each), row_ptr, col, val.
Result<SharedBuffer> shareMatrix(const Csr& matrix);
/// The inverse; checks every invariant of Csr, since the memory comes from another process.
Result<Csr> readSharedMatrix(const SharedBuffer& buffer);

} // namespace sparserl

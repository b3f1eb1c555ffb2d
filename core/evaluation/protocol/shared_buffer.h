// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "evaluation/protocol/channel.h"
#include "target/numbers.h"

#include <cstddef>
#include <span>

namespace sparserl {

/// Memory shared with a runner: an anonymous file whose size is sealed, so that neither side can truncate it
/// while the other has it mapped. Data for judging several programs are sealed against writing before they
/// are sent, so that no runner can change what other runners or the parent see.
class SharedBuffer
{
public:
    /// Creates memory of at least one byte, filled with zeros.
    static Result<SharedBuffer> create(std::size_t bytes);
    /// Maps a received file, writable unless it is sealed against writing. Refuses files without a sealed
    /// size.
    static Result<SharedBuffer> adopt(FileDescriptor file);
    /// The same for files that must be sealed against writing. Refuses writable files.
    static Result<SharedBuffer> adoptSealed(FileDescriptor file);
    ~SharedBuffer();
    SharedBuffer(SharedBuffer&& other) noexcept;
    SharedBuffer& operator=(SharedBuffer&& other) noexcept;

    /// Makes the memory permanently read-only for everyone and forbids further seals. Invalidates pointers
    /// into it.
    Status seal();
    bool writable() const { return m_writable; }

    int fd() const { return m_file.get(); }
    std::size_t size() const { return m_size; }
    /// Returns the memory, or nullptr if it is sealed. Use std::as_const to read sealed memory.
    std::byte* data() { return m_writable ? m_data : nullptr; }
    const std::byte* data() const { return m_data; }
    /// Returns `count` floats from byte offset `at`. Returns an empty span if the range is outside the memory
    /// or unaligned, or if the memory is sealed and the overload is the writable one.
    std::span<float> floats(std::size_t at, std::size_t count);
    std::span<const float> floats(std::size_t at, std::size_t count) const;
    /// The same for numbers of type F32 or F64.
    NumberView numbers(ElementType type, std::size_t at, std::size_t count) const;
    /// Copies numbers to byte offset `at`. Returns false if the range is outside the memory or unaligned, or
    /// if the memory is sealed.
    bool put(std::size_t at, NumberView numbers);

private:
    SharedBuffer() = default;
    Status map();
    bool inside(std::size_t at, std::size_t count, std::size_t each) const;
    FileDescriptor m_file;
    std::byte* m_data = nullptr;
    std::size_t m_size = 0;
    bool m_writable = true;
};

} // namespace sparserl

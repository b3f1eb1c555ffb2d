// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "evaluation/protocol/channel.h"
#include "target/numbers.h"

#include <cstddef>
#include <span>

namespace sparserl {

/// Memory shared with a runner: an anonymous file with a sealed size, so neither side can truncate it under
/// the other's mapping. Data used for judging several programs are sealed against writing before anyone else
/// receives them: no runner can change what other runners or the parent see.
class SharedBuffer
{
public:
    /// Zeroed memory of at least one byte.
    static Result<SharedBuffer> create(std::size_t bytes);
    /// Maps a received file, writable unless sealed. Refuses files without a sealed size.
    static Result<SharedBuffer> adopt(FileDescriptor file);
    /// The same for write-sealed files; refuses writable ones.
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
    /// nullptr if sealed; read with std::as_const.
    std::byte* data() { return m_writable ? m_data : nullptr; }
    const std::byte* data() const { return m_data; }
    /// `count` floats from byte offset `at`. Empty if the range is outside, unaligned, or sealed in the
    /// writable overload.
    std::span<float> floats(std::size_t at, std::size_t count);
    std::span<const float> floats(std::size_t at, std::size_t count) const;
    /// The same for numbers of type F32 or F64.
    NumberView numbers(ElementType type, std::size_t at, std::size_t count) const;
    /// Copies numbers there. Returns false if they do not fit, as above.
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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "evaluation/protocol/channel.h"
#include "target/numbers.h"

#include <cstddef>
#include <span>

namespace sparserl {

/// Memory shared with a runner: an anonymous file whose size is sealed, so that neither side can pull it away
/// under the other's mapping. What several programs are judged on is sealed against writing before anybody
/// else has it: no runner can change what others are given, nor what the parent sees.
class SharedBuffer
{
public:
    /// Zeroed memory of at least one byte.
    static Result<SharedBuffer> create(std::size_t bytes);
    /// Maps a received file, for writing too unless it is sealed against that. Refuses files that are not
    /// sealed to a fixed size.
    static Result<SharedBuffer> adopt(FileDescriptor file);
    /// The same, of what nobody may write any more; refuses what can be written.
    static Result<SharedBuffer> adoptSealed(FileDescriptor file);
    ~SharedBuffer();
    SharedBuffer(SharedBuffer&& other) noexcept;
    SharedBuffer& operator=(SharedBuffer&& other) noexcept;

    /// From now on nobody can write to it, by whatever way they got at it, and no seal can be added. Pointers
    /// into it are no longer good.
    Status seal();
    bool writable() const { return m_writable; }

    int fd() const { return m_file.get(); }
    std::size_t size() const { return m_size; }
    /// nullptr where it is sealed; std::as_const reads.
    std::byte* data() { return m_writable ? m_data : nullptr; }
    const std::byte* data() const { return m_data; }
    /// `count` floats from byte offset `at`; empty where that is not inside, not aligned, or to be written
    /// and sealed.
    std::span<float> floats(std::size_t at, std::size_t count);
    std::span<const float> floats(std::size_t at, std::size_t count) const;
    /// The same of numbers of a type, F32 or F64.
    NumberView numbers(ElementType type, std::size_t at, std::size_t count) const;
    /// Copies numbers there; false where they do not fit, as above.
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

// SPDX-License-Identifier: Apache-2.0
#include "evaluation/protocol/shared_buffer.h"

#include "base/system_remedy.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace sparserl {

namespace {

constexpr int sizeSeals = F_SEAL_SHRINK | F_SEAL_GROW;

Error systemError(const char* what)
{
    const int error = errno;
    return Error{
        std::string(what) + ": " + std::strerror(error), {}, 0, systemRemedy(error, Subject::Memory)};
}

} // namespace

Result<SharedBuffer> SharedBuffer::create(std::size_t bytes)
{
    FileDescriptor file(::memfd_create("sparserl", MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (!file.valid())
        return fail(systemError("cannot make shared memory"));
    if (::ftruncate(file.get(), static_cast<off_t>(bytes ? bytes : 1)) != 0 ||
        ::fcntl(file.get(), F_ADD_SEALS, sizeSeals) != 0)
        return fail(systemError("cannot make shared memory"));
    return adopt(std::move(file));
}

Result<SharedBuffer> SharedBuffer::adopt(FileDescriptor file)
{
    // Not fstat: glibc makes it a look-up by path, which a locked process may not do.
    const off_t size = ::lseek(file.get(), 0, SEEK_END);
    if (size <= 0)
        return fail(systemError("cannot read the size of shared memory"));
    const int seals = ::fcntl(file.get(), F_GET_SEALS);
    if (seals < 0 || (seals & sizeSeals) != sizeSeals)
        return fail("shared memory is not sealed");
    SharedBuffer buffer;
    buffer.m_size = static_cast<std::size_t>(size);
    buffer.m_writable = (seals & F_SEAL_WRITE) == 0;
    buffer.m_file = std::move(file);
    SPARSERL_CHECK(buffer.map());
    return buffer;
}

Result<SharedBuffer> SharedBuffer::adoptSealed(FileDescriptor file)
{
    auto buffer = adopt(std::move(file));
    if (buffer && buffer->writable())
        return fail("shared memory that others read can still be written");
    return buffer;
}

Status SharedBuffer::map()
{
    // What cannot be written any more may not be mapped as shared by older kernels; it is the same memory.
    void* const data = ::mmap(nullptr, m_size, m_writable ? PROT_READ | PROT_WRITE : PROT_READ,
                              m_writable ? MAP_SHARED : MAP_PRIVATE, m_file.get(), 0);
    if (data == MAP_FAILED)
        return fail(systemError("cannot map shared memory"));
    // A process that another thread starts would have it for writing until it becomes another program.
    if (m_writable)
        ::madvise(data, m_size, MADV_DONTFORK);
    m_data = static_cast<std::byte*>(data);
    return {};
}

Status SharedBuffer::seal()
{
    if (!m_writable)
        return {};
    // The kernel seals nothing that is still mapped for writing.
    ::munmap(std::exchange(m_data, nullptr), m_size);
    constexpr int mostTries = 1000;
    constexpr useconds_t pause = 1000;
    // Busy: a process was started between the two calls of map().
    for (int tries = 0; ::fcntl(m_file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_SEAL) != 0; ++tries) {
        if (errno != EBUSY || tries == mostTries)
            return fail(systemError("cannot seal shared memory"));
        ::usleep(pause);
    }
    m_writable = false;
    return map();
}

SharedBuffer::~SharedBuffer()
{
    if (m_data)
        ::munmap(m_data, m_size);
}

SharedBuffer::SharedBuffer(SharedBuffer&& other) noexcept
    : m_file(std::move(other.m_file))
    , m_data(std::exchange(other.m_data, nullptr))
    , m_size(std::exchange(other.m_size, 0))
    , m_writable(other.m_writable)
{
}

SharedBuffer& SharedBuffer::operator=(SharedBuffer&& other) noexcept
{
    std::swap(m_file, other.m_file);
    std::swap(m_data, other.m_data);
    std::swap(m_size, other.m_size);
    std::swap(m_writable, other.m_writable);
    return *this;
}

std::span<float> SharedBuffer::floats(std::size_t at, std::size_t count)
{
    if (!m_writable || !inside(at, count, sizeof(float)))
        return {};
    return {reinterpret_cast<float*>(m_data + at), count};
}

std::span<const float> SharedBuffer::floats(std::size_t at, std::size_t count) const
{
    if (!inside(at, count, sizeof(float)))
        return {};
    return {reinterpret_cast<const float*>(m_data + at), count};
}

NumberView SharedBuffer::numbers(ElementType type, std::size_t at, std::size_t count) const
{
    const std::size_t each = sizeOf(type);
    if (!inside(at, count, each))
        return {type, std::span<const std::byte>()};
    return {type, std::as_bytes(std::span(m_data + at, count * each))};
}

bool SharedBuffer::put(std::size_t at, NumberView numbers)
{
    if (!m_writable || !inside(at, numbers.size(), sizeOf(numbers.type())))
        return false;
    const auto bytes = numbers.bytes();
    if (!bytes.empty())
        std::memcpy(m_data + at, bytes.data(), bytes.size());
    return true;
}

bool SharedBuffer::inside(std::size_t at, std::size_t count, std::size_t each) const
{
    return m_data && at % each == 0 && at <= m_size && (m_size - at) / each >= count;
}

} // namespace sparserl

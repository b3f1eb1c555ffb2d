// SPDX-License-Identifier: Apache-2.0
#include "base/mapped_file.h"

#include "base/beneath.h"
#include "base/file_error.h"
#include "base/file_kind.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sparserl {

namespace fs = std::filesystem;

namespace detail {

/// A mapping, for the handler of SIGBUS.
struct MappedRange
{
    std::atomic<bool> used{false}, torn{false};
    std::atomic<std::uintptr_t> begin{0}, end{0}; ///< Whole pages; begin 0: none.
};

} // namespace detail

namespace {

using detail::MappedRange;

// A signal's handler belongs to the process and is given nothing: what it needs is here, or nowhere.
constexpr std::size_t mostFiles = 4096;
std::array<MappedRange, mostFiles> ranges;
std::uintptr_t pageBytes = 4096;
struct sigaction before
{
};

/// A page of a mapped file that cannot be read becomes one of zeros, as do those after it, and the thread
/// goes on. Of any other address, what was to be done before is done.
void onBusError(int signal, siginfo_t* info, void*)
{
    const int kept = errno;
    const auto at = reinterpret_cast<std::uintptr_t>(info->si_addr);
    for (MappedRange& range : ranges) {
        const std::uintptr_t begin = range.begin.load(), end = range.end.load();
        if (begin == 0 || at < begin || at >= end)
            continue;
        range.torn = true;
        const std::uintptr_t page = at - at % pageBytes;
        if (::mmap(reinterpret_cast<void*>(page), end - page, PROT_READ, // NOLINT(performance-no-int-to-ptr)
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED) {
            errno = kept;
            return;
        }
    }
    ::sigaction(signal, &before, nullptr); // the access that comes again now has its usual end
    errno = kept;
}

void installHandler()
{
    static std::once_flag once;
    std::call_once(once, [] {
        pageBytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
        struct sigaction action
        {
        };
        action.sa_sigaction = onBusError;
        action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
        ::sigemptyset(&action.sa_mask);
        ::sigaction(SIGBUS, &action, &before);
    });
}

MappedRange* freeRange()
{
    for (MappedRange& range : ranges)
        if (!range.used.exchange(true))
            return &range;
    return nullptr;
}

tl::unexpected<Error> cannotMap(const fs::path& path, int error)
{
    // "No such device" is what a file system says that has no mappings.
    return fail(fileError("cannot map the file", path, error == ENODEV ? EOPNOTSUPP : error));
}

} // namespace

Result<MappedFile> MappedFile::open(const fs::path& path)
{
    SPARSERL_TRY(const Descriptor file,
                 openFile(path, O_RDONLY | (mayBePipe(path) ? 0 : O_NONBLOCK), "read the file"));
    struct stat info
    {
    };
    if (::fstat(file.get(), &info) != 0)
        return cannotMap(path, errno);
    if (!S_ISREG(info.st_mode))
        return failAt(path.string(), 0,
                      S_ISDIR(info.st_mode) ? "this is a folder, not a file"
                                            : std::string(strangeKind(info.st_mode)));
    MappedFile out;
    out.m_path = path;
    if (info.st_size == 0)
        return out;
    installHandler();
    const auto size = static_cast<std::size_t>(info.st_size);
    MappedRange* range = freeRange();
    if (range == nullptr)
        return cannotMap(path, ENFILE);
    void* data = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
    if (data == MAP_FAILED) {
        const int why = errno;
        range->used = false;
        return cannotMap(path, why);
    }
    const auto begin = reinterpret_cast<std::uintptr_t>(data);
    range->torn = false;
    range->end = begin + (size + pageBytes - 1) / pageBytes * pageBytes;
    range->begin = begin;
    out.m_data = data;
    out.m_size = size;
    out.m_stored = static_cast<std::size_t>(info.st_blocks) * 512;
    out.m_range = range;
    return out;
}

Status MappedFile::whole() const
{
    if (m_range == nullptr || !m_range->torn)
        return {};
    return failAt(m_path.string(), 0,
                  "the file became shorter while it was read, or its disk could not read all of it",
                  "Try again once nothing changes it");
}

Status MappedFile::solid() const
{
    constexpr std::size_t large = std::size_t(1) << 30, mostPacked = 64; // some file systems compress
    if (m_size < large || m_stored >= m_size / mostPacked)
        return {};
    return failAt(
        m_path.string(), 0,
        fmt::format("the file has {} bytes, but only {} are on the disk: the rest is a hole, which no "
                    "program wrote",
                    m_size, m_stored),
        "Restore the file from its source");
}

void MappedFile::forget(const std::byte* begin, std::size_t bytes) const
{
    if (bytes == 0)
        return;
    const std::size_t before = reinterpret_cast<std::uintptr_t>(begin) % pageBytes;
    // Only memory is at stake, so a refusal is none of the caller's errors.
    ::madvise(const_cast<std::byte*>(begin - before), bytes + before, MADV_DONTNEED);
}

void MappedFile::take(const std::byte* begin, std::size_t bytes, void* into) const
{
    constexpr std::size_t piece = std::size_t(4) << 20;
    for (std::size_t at = 0; at < bytes; at += piece) {
        const std::size_t size = std::min(piece, bytes - at);
        std::memcpy(static_cast<std::byte*>(into) + at, begin + at, size);
        forget(begin + at, size);
    }
}

MappedFile::~MappedFile()
{
    if (m_data == nullptr)
        return;
    m_range->begin = 0; // before the addresses are for something else
    ::munmap(m_data, m_size);
    m_range->used = false;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : m_data(std::exchange(other.m_data, nullptr))
    , m_size(std::exchange(other.m_size, 0))
    , m_stored(std::exchange(other.m_stored, 0))
    , m_range(std::exchange(other.m_range, nullptr))
    , m_path(std::move(other.m_path))
{
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept
{
    std::swap(m_data, other.m_data);
    std::swap(m_size, other.m_size);
    std::swap(m_stored, other.m_stored);
    std::swap(m_range, other.m_range);
    m_path.swap(other.m_path);
    return *this;
}

} // namespace sparserl

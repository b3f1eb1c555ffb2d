// SPDX-License-Identifier: Apache-2.0
// A library for LD_PRELOAD that lets one chosen operation on files below a folder go wrong: so that tests can
// fail or kill a program before each of them in turn.
//   SPARSERL_FAULT_ROOT   operations on paths below this folder are counted, from 1
//   SPARSERL_FAULT_AT     number of the operation
//   SPARSERL_FAULT_KIND   kill: SIGKILL before it; torn: half of a write, then SIGKILL; eio: it fails with
//                         EIO; signal: SIGINT comes, and it fails with EIO; full: it and all later ones
//                         that need space fail with ENOSPC; slow: it and all later ones take a tenth of a
//                         second longer. read-eio, read-enomem, read-eagain, read-eacces, read-estale,
//                         read-eintr: opening, reading, mapping, listing and asking what is there are counted
//                         instead, and the one chosen fails so
//   SPARSERL_FAULT_WIDTH  and as many after it in all, for read-...; 1 without it
//   SPARSERL_FAULT_MARK   this file is made when the fault happens
//   SPARSERL_FAULT_TRACE  a line is added to this file for each reading that is counted: the way that led to
//                         it, which is equal for equal calls of functions
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

struct Plan
{
    const char* root = std::getenv("SPARSERL_FAULT_ROOT");
    const char* kind = std::getenv("SPARSERL_FAULT_KIND");
    const char* mark = std::getenv("SPARSERL_FAULT_MARK");
    const char* trace = std::getenv("SPARSERL_FAULT_TRACE");
    long at = std::getenv("SPARSERL_FAULT_AT") != nullptr ? std::atol(std::getenv("SPARSERL_FAULT_AT")) : 0;
    long width =
        std::getenv("SPARSERL_FAULT_WIDTH") != nullptr ? std::atol(std::getenv("SPARSERL_FAULT_WIDTH")) : 1;
    long count = 0;
};

Plan& plan()
{
    static Plan instance;
    return instance;
}

bool below(const char* path)
{
    const Plan& p = plan();
    return p.root != nullptr && p.kind != nullptr && std::strncmp(path, p.root, std::strlen(p.root)) == 0;
}

bool below(int folder, const char* path)
{
    if (path[0] == '/')
        return below(path);
    char name[64], target[PATH_MAX];
    if (folder == AT_FDCWD)
        return ::getcwd(target, sizeof target) != nullptr && below(target);
    std::snprintf(name, sizeof name, "/proc/self/fd/%d", folder);
    const ssize_t length = ::readlink(name, target, sizeof target - 1);
    if (length <= 0)
        return false;
    target[length] = '\0';
    return below(target);
}

bool below(int fd)
{
    return below(fd, "");
}

[[noreturn]] void die()
{
    ::kill(::getpid(), SIGKILL);
    for (;;)
        ::pause();
}

/// Asked first: readings are many.
bool readsFail()
{
    const Plan& p = plan();
    return p.kind != nullptr && std::strncmp(p.kind, "read-", 5) == 0;
}

/// Counts an operation; true: it must fail, with errno set. `torn` is called before the program dies in the
/// middle.
template <typename F>
bool faulty(bool needsSpace, F&& torn)
{
    Plan& p = plan();
    if (readsFail())
        return false;
    const long number = ++p.count;
    const bool full = std::strcmp(p.kind, "full") == 0, slow = std::strcmp(p.kind, "slow") == 0;
    if (number < p.at || (number > p.at && !full && !slow) || p.at == 0)
        return false;
    if (slow) {
        for (timespec left{0, 100'000'000}; ::nanosleep(&left, &left) != 0 && errno == EINTR;) {
        }
        return false;
    }
    if (p.mark != nullptr)
        ::syscall(SYS_close,
                  static_cast<int>(::syscall(SYS_openat, AT_FDCWD, p.mark, O_WRONLY | O_CREAT, 0644)));
    if (full) {
        errno = ENOSPC;
        return needsSpace;
    }
    const bool signal = std::strcmp(p.kind, "signal") == 0;
    if (signal)
        ::raise(SIGINT);
    if (signal || std::strcmp(p.kind, "eio") == 0) {
        errno = EIO;
        return true;
    }
    if (std::strcmp(p.kind, "torn") == 0)
        torn();
    die();
}

bool faulty(bool needsSpace)
{
    return faulty(needsSpace, [] {});
}

/// FNV-1a over the return addresses, each from where its library was loaded.
unsigned long wayHere()
{
    constexpr int most = 40;
    void* frames[most];
    const int count = ::backtrace(frames, most);
    unsigned long hash = 14695981039346656037U;
    for (int i = 1; i < count; ++i) {
        Dl_info where{};
        auto address = reinterpret_cast<unsigned long>(frames[i]);
        if (::dladdr(frames[i], &where) != 0)
            address -= reinterpret_cast<unsigned long>(where.dli_fbase);
        for (int byte = 0; byte < 8; ++byte)
            hash = (hash ^ ((address >> (8 * byte)) & 0xff)) * 1099511628211U;
    }
    return hash;
}

void traceReading()
{
    thread_local bool within = false; // unwinding may read, too
    const char* const file = plan().trace;
    if (file == nullptr || within)
        return;
    within = true;
    char line[32];
    const int length = std::snprintf(line, sizeof line, "%016lx\n", wayHere());
    const auto fd = static_cast<int>(
        ::syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    ::syscall(SYS_write, fd, line, static_cast<std::size_t>(length));
    ::syscall(SYS_close, fd);
    within = false;
}

/// The same for reading, which has its own numbers and kinds.
bool unreadable()
{
    Plan& p = plan();
    if (readsFail())
        traceReading();
    const int error = std::strcmp(p.kind, "read-estale") == 0   ? ESTALE
                      : std::strcmp(p.kind, "read-eintr") == 0  ? EINTR
                      : std::strcmp(p.kind, "read-eio") == 0    ? EIO
                      : std::strcmp(p.kind, "read-enomem") == 0 ? ENOMEM
                      : std::strcmp(p.kind, "read-eagain") == 0 ? EAGAIN
                      : std::strcmp(p.kind, "read-eacces") == 0 ? EACCES
                                                                : 0;
    if (error == 0 || ++p.count < p.at || p.count >= p.at + p.width)
        return false;
    if (p.mark != nullptr)
        ::syscall(SYS_close,
                  static_cast<int>(::syscall(SYS_openat, AT_FDCWD, p.mark, O_WRONLY | O_CREAT, 0644)));
    errno = error;
    return true;
}

bool changes(int flags)
{
    return (flags & (O_CREAT | O_WRONLY | O_RDWR | O_TRUNC)) != 0;
}

} // namespace

extern "C" {

int open(const char* path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const auto mode = va_arg(list, unsigned);
    va_end(list);
    if (below(AT_FDCWD, path) && (changes(flags) ? faulty((flags & O_CREAT) != 0) : unreadable()))
        return -1;
    return static_cast<int>(::syscall(SYS_openat, AT_FDCWD, path, flags, mode));
}

int open64(const char* path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const auto mode = va_arg(list, unsigned);
    va_end(list);
    return open(path, flags, mode);
}

int openat(int folder, const char* path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const auto mode = va_arg(list, unsigned);
    va_end(list);
    const bool looks = (flags & O_PATH) != 0;
    if (!looks && below(folder, path) && (changes(flags) ? faulty((flags & O_CREAT) != 0) : unreadable()))
        return -1;
    return static_cast<int>(::syscall(SYS_openat, folder, path, flags, mode));
}

int openat64(int folder, const char* path, int flags, ...)
{
    va_list list;
    va_start(list, flags);
    const auto mode = va_arg(list, unsigned);
    va_end(list);
    return openat(folder, path, flags, mode);
}

int mkdirat(int folder, const char* path, mode_t mode)
{
    if (below(folder, path) && faulty(true))
        return -1;
    return static_cast<int>(::syscall(SYS_mkdirat, folder, path, mode));
}

int renameat(int from, const char* name, int to, const char* other)
{
    if (below(to, other) && faulty(false))
        return -1;
    return static_cast<int>(::syscall(SYS_renameat2, from, name, to, other, 0));
}

ssize_t read(int fd, void* data, size_t size)
{
    if (readsFail() && below(fd) && unreadable())
        return -1;
    return ::syscall(SYS_read, fd, data, size);
}

ssize_t pread(int fd, void* data, size_t size, off_t offset)
{
    if (readsFail() && below(fd) && unreadable())
        return -1;
    return ::syscall(SYS_pread64, fd, data, size, offset);
}

ssize_t pread64(int fd, void* data, size_t size, off64_t offset)
{
    return pread(fd, data, size, offset);
}

dirent* readdir(DIR* list)
{
    static auto* const real = reinterpret_cast<dirent* (*)(DIR*)>(::dlsym(RTLD_NEXT, "readdir"));
    return readsFail() && below(::dirfd(list)) && unreadable() ? nullptr : real(list);
}

dirent64* readdir64(DIR* list)
{
    return reinterpret_cast<dirent64*>(readdir(list));
}

DIR* opendir(const char* path)
{
    static auto* const real = reinterpret_cast<DIR* (*)(const char*)>(::dlsym(RTLD_NEXT, "opendir"));
    return readsFail() && below(AT_FDCWD, path) && unreadable() ? nullptr : real(path);
}

void* mmap(void* at, size_t size, int protection, int flags, int fd, off_t offset) noexcept
{
    if (fd >= 0 && readsFail() && below(fd) && unreadable())
        return MAP_FAILED;
    return reinterpret_cast<void*>(::syscall(SYS_mmap, at, size, protection, flags, fd, offset));
}

void* mmap64(void* at, size_t size, int protection, int flags, int fd, off64_t offset) noexcept
{
    return mmap(at, size, protection, flags, fd, offset);
}

int fstatat(int folder, const char* path, struct stat* out, int flags) noexcept
{
    if (readsFail() && ((flags & AT_EMPTY_PATH) != 0 ? below(folder) : below(folder, path)) && unreadable())
        return -1;
    return static_cast<int>(::syscall(SYS_newfstatat, folder, path, out, flags));
}

int fstatat64(int folder, const char* path, struct stat64* out, int flags) noexcept
{
    return fstatat(folder, path, reinterpret_cast<struct stat*>(out), flags);
}

int stat(const char* path, struct stat* out) noexcept
{
    return fstatat(AT_FDCWD, path, out, 0);
}

int stat64(const char* path, struct stat64* out) noexcept
{
    return fstatat64(AT_FDCWD, path, out, 0);
}

int lstat(const char* path, struct stat* out) noexcept
{
    return fstatat(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
}

int lstat64(const char* path, struct stat64* out) noexcept
{
    return fstatat64(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
}

int fstat(int fd, struct stat* out) noexcept
{
    return fstatat(fd, "", out, AT_EMPTY_PATH);
}

int fstat64(int fd, struct stat64* out) noexcept
{
    return fstatat64(fd, "", out, AT_EMPTY_PATH);
}

int statx(int folder, const char* path, int flags, unsigned mask, struct statx* out) noexcept
{
    if (readsFail() &&
        ((flags & AT_EMPTY_PATH) != 0 && path[0] == '\0' ? below(folder) : below(folder, path)) &&
        unreadable())
        return -1;
    return static_cast<int>(::syscall(SYS_statx, folder, path, flags, mask, out));
}

int mkdir(const char* path, mode_t mode)
{
    if (below(AT_FDCWD, path) && faulty(true))
        return -1;
    return static_cast<int>(::syscall(SYS_mkdirat, AT_FDCWD, path, mode));
}

int rename(const char* from, const char* to)
{
    if (below(AT_FDCWD, to) && faulty(false))
        return -1;
    return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

int unlink(const char* path)
{
    if (below(AT_FDCWD, path) && faulty(false))
        return -1;
    return static_cast<int>(::syscall(SYS_unlinkat, AT_FDCWD, path, 0));
}

int unlinkat(int folder, const char* path, int flags)
{
    if (below(folder, path) && faulty(false))
        return -1;
    return static_cast<int>(::syscall(SYS_unlinkat, folder, path, flags));
}

int remove(const char* path)
{
    if (below(AT_FDCWD, path) && faulty(false))
        return -1;
    if (::syscall(SYS_unlinkat, AT_FDCWD, path, 0) == 0)
        return 0;
    return errno == EISDIR ? static_cast<int>(::syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR)) : -1;
}

int rmdir(const char* path)
{
    if (below(AT_FDCWD, path) && faulty(false))
        return -1;
    return static_cast<int>(::syscall(SYS_unlinkat, AT_FDCWD, path, AT_REMOVEDIR));
}

ssize_t write(int fd, const void* data, size_t size)
{
    if (below(fd) && faulty(true, [&] { ::syscall(SYS_write, fd, data, size / 2); }))
        return -1;
    return ::syscall(SYS_write, fd, data, size);
}

ssize_t pwrite(int fd, const void* data, size_t size, off_t offset)
{
    if (below(fd) && faulty(true, [&] { ::syscall(SYS_pwrite64, fd, data, size / 2, offset); }))
        return -1;
    return ::syscall(SYS_pwrite64, fd, data, size, offset);
}

ssize_t pwrite64(int fd, const void* data, size_t size, off64_t offset)
{
    return pwrite(fd, data, size, offset);
}

int ftruncate(int fd, off_t length) noexcept
{
    if (below(fd) && faulty(false))
        return -1;
    return static_cast<int>(::syscall(SYS_ftruncate, fd, length));
}

int ftruncate64(int fd, off64_t length) noexcept
{
    return ftruncate(fd, length);
}

int fsync(int fd)
{
    if (below(fd) && faulty(true))
        return -1;
    return static_cast<int>(::syscall(SYS_fsync, fd));
}

int fdatasync(int fd)
{
    if (below(fd) && faulty(true))
        return -1;
    return static_cast<int>(::syscall(SYS_fdatasync, fd));
}

} // extern "C"

// SPDX-License-Identifier: Apache-2.0
#include "base/lock.h"

#include "base/beneath.h"
#include "base/boot_id.h"
#include "base/file_error.h"
#include "base/files.h"
#include "base/time.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace sparserl {

namespace {

/// The last line of a lock file whose holder a signal has ended. The next holder of the lock removes it.
constexpr std::string_view cutShort = "cut short by a signal\n";

int flockRetrying(int fd, int operation)
{
    int code = 0;
    do {
        code = ::flock(fd, operation);
    } while (code != 0 && errno == EINTR);
    return code;
}

/// When a process began, in the kernel's count; empty where there is none.
std::string beginOf(pid_t process)
{
    const std::string stat =
        readFile("/proc/" + std::to_string(process) + "/stat", 4096).value_or(std::string());
    std::istringstream fields(stat.substr(std::min(stat.rfind(')'), stat.size())));
    std::string field;
    for (int i = 0; i < 21; ++i) // the 22nd of all; the name, which is the second, may hold anything
        if (!(fields >> field))
            return {};
    return field;
}

/// Who stands in a lock file.
struct NamedHolder
{
    pid_t process = 0;
    bool lives = false; ///< On this machine, since its last start.
};

/// Nothing where the file is not one of a lock, or of a version that wrote less.
std::optional<NamedHolder> namedHolder(const std::filesystem::path& path)
{
    std::istringstream text(readFile(path, 256).value_or(std::string()));
    NamedHolder named;
    std::string boot, begin;
    if (!(text >> named.process >> boot >> begin) || named.process <= 1)
        return std::nullopt;
    named.lives = boot == bootId() && begin == beginOf(named.process);
    return named;
}

} // namespace

FileLock::FileLock(int fd, std::filesystem::path path)
    : m_fd(fd)
    , m_path(std::move(path))
{
}

Result<std::optional<FileLock>> FileLock::tryLock(const std::filesystem::path& path)
{
    if (path.has_parent_path()) {
        SPARSERL_CHECK(makeDirectories(path.parent_path()));
    }
    SPARSERL_TRY(Descriptor file, openFile(path, O_RDWR | O_CREAT, "open the lock file"));
    const int fd = file.get();
    // isLocked() holds a shared lock, for an instant or, on a busy machine, for as long as its process does
    // not get its turn. That is no owner: owners let nobody share.
    constexpr int mostAttempts = 2500; // some seconds: no program of ours shares a lock for so long
    for (int attempt = 0;; ++attempt) {
        if (flockRetrying(fd, LOCK_EX | LOCK_NB) == 0) {
            break;
        }
        const int error = errno;
        if (error == EWOULDBLOCK && attempt < mostAttempts && flockRetrying(fd, LOCK_SH | LOCK_NB) == 0) {
            (void)flockRetrying(fd, LOCK_UN);
            const timespec pause{0, 2'000'000};
            ::nanosleep(&pause, nullptr);
            continue;
        }
        if (error == EWOULDBLOCK) {
            return std::optional<FileLock>();
        }
        return fail(fileError("cannot lock the file", path, error));
    }
    const std::string pid = std::to_string(::getpid()) + " " + bootId() + " " + beginOf(::getpid()) + "\n";
    if (::ftruncate(fd, 0) != 0 ||
        ::pwrite(fd, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
        const int error = errno;
        return fail(fileError("cannot write the lock file", path, error));
    }
    return std::optional<FileLock>(FileLock(file.release(), path));
}

Result<std::optional<FileLock>> FileLock::awaitLock(const std::filesystem::path& path, double seconds)
{
    const double end = monotonicSeconds() + seconds;
    for (;;) {
        auto lock = tryLock(path);
        if (!lock || lock->has_value() || monotonicSeconds() > end)
            return lock;
        const timespec pause{0, 5'000'000};
        ::nanosleep(&pause, nullptr);
    }
}

bool FileLock::isLocked(const std::filesystem::path& path)
{
    const auto file = openFile(path, O_RDONLY | O_NONBLOCK, "open the lock file");
    return file && flockRetrying(file->get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

std::optional<pid_t> FileLock::holder(const std::filesystem::path& path)
{
    if (!isLocked(path)) {
        return std::nullopt;
    }
    const auto text = readFile(path, 256);
    pid_t pid = 0;
    if (!text || std::from_chars(text->data(), text->data() + text->size(), pid).ec != std::errc() ||
        pid <= 0) {
        return std::nullopt;
    }
    return pid;
}

std::optional<pid_t> FileLock::localHolder(const std::filesystem::path& path)
{
    const auto named = isLocked(path) ? namedHolder(path) : std::nullopt;
    return named && named->lives ? std::optional(named->process) : std::nullopt;
}

bool FileLock::isAbandoned(const std::filesystem::path& path)
{
    const auto named = namedHolder(path);
    return named && !named->lives && !isLocked(path);
}

void FileLock::markCutShort(int file) noexcept
{
    struct stat look = {};
    if (::fstat(file, &look) == 0)
        static_cast<void>(!::pwrite(file, cutShort.data(), cutShort.size(), look.st_size));
}

bool FileLock::wasCutShort(const std::filesystem::path& path)
{
    return readFile(path, 256).value_or(std::string()).ends_with(cutShort) && !isLocked(path);
}

FileLock::~FileLock()
{
    if (m_fd >= 0) {
        ::close(m_fd);
    }
}

FolderLock::FolderLock(const std::filesystem::path& folder, Kind kind, double seconds)
{
    auto opened = openFile(folder, O_RDONLY | O_DIRECTORY, "open the folder");
    if (!opened)
        return;
    const double end = monotonicSeconds() + seconds;
    const int operation = (kind == Kind::Alone ? LOCK_EX : LOCK_SH) | LOCK_NB;
    while (flockRetrying(opened->get(), operation) != 0) {
        if (errno != EWOULDBLOCK || monotonicSeconds() > end) // some file systems have no locks on folders
            return;
        const timespec pause{0, 2'000'000};
        ::nanosleep(&pause, nullptr);
    }
    m_fd = opened->release();
}

FolderLock::~FolderLock()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

FileLock::FileLock(FileLock&& other) noexcept
    : m_fd(std::exchange(other.m_fd, -1))
    , m_path(std::move(other.m_path))
{
}

FileLock& FileLock::operator=(FileLock&& other) noexcept
{
    std::swap(m_fd, other.m_fd);
    std::swap(m_path, other.m_path);
    return *this;
}

} // namespace sparserl

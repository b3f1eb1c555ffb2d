// SPDX-License-Identifier: Apache-2.0
#include "base/lock.h"

#include "base/files.h"
#include "base/system_remedy.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <unistd.h>
#include <utility>

namespace sparserl {

namespace {

int flockRetrying(int fd, int operation)
{
    int code = 0;
    do {
        code = ::flock(fd, operation);
    } while (code != 0 && errno == EINTR);
    return code;
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
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) {
        const int error = errno;
        return failAt(path.string(), 0, std::string("cannot open the lock file: ") + std::strerror(error),
                      systemRemedy(error));
    }
    // isLocked() holds a shared lock for an instant; that must not look like an owner.
    for (int attempt = 0;; ++attempt) {
        if (flockRetrying(fd, LOCK_EX | LOCK_NB) == 0) {
            break;
        }
        const int error = errno;
        if (error == EWOULDBLOCK && attempt < 8) {
            const timespec pause{0, 2'000'000};
            ::nanosleep(&pause, nullptr);
            continue;
        }
        ::close(fd);
        if (error == EWOULDBLOCK) {
            return std::optional<FileLock>();
        }
        return failAt(path.string(), 0, std::string("cannot lock the file: ") + std::strerror(error));
    }
    const std::string pid = std::to_string(::getpid()) + "\n";
    if (::ftruncate(fd, 0) != 0 ||
        ::pwrite(fd, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
        const int error = errno;
        ::close(fd);
        return failAt(path.string(), 0, std::string("cannot write the lock file: ") + std::strerror(error),
                      systemRemedy(error));
    }
    return std::optional<FileLock>(FileLock(fd, path));
}

bool FileLock::isLocked(const std::filesystem::path& path)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    const bool locked = flockRetrying(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    ::close(fd);
    return locked;
}

std::optional<pid_t> FileLock::holder(const std::filesystem::path& path)
{
    if (!isLocked(path)) {
        return std::nullopt;
    }
    const auto text = readFile(path, 64);
    pid_t pid = 0;
    if (!text || std::from_chars(text->data(), text->data() + text->size(), pid).ec != std::errc() ||
        pid <= 0) {
        return std::nullopt;
    }
    return pid;
}

FileLock::~FileLock()
{
    if (m_fd >= 0) {
        ::close(m_fd);
    }
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

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <optional>
#include <sys/types.h>

namespace sparserl {

/// An exclusive lock on a file (flock): it ends with the process that holds it, however that ends. The file
/// keeps the holder's process id as text, with the start of its machine and of the process, and is never
/// deleted.
class FileLock
{
public:
    /// The lock, or nothing where another process (or another FileLock of this one) holds it.
    static Result<std::optional<FileLock>> tryLock(const std::filesystem::path& path);
    /// The same for locks that are held for a moment only: asks again for so long (s).
    static Result<std::optional<FileLock>> awaitLock(const std::filesystem::path& path, double seconds = 20);
    /// True while somebody holds the lock. A missing file is not locked.
    static bool isLocked(const std::filesystem::path& path);
    /// The process that holds the lock, for people to read; or nothing.
    static std::optional<pid_t> holder(const std::filesystem::path& path);
    /// The same where it is proved to be a process of this machine that lives: the only one to send a signal
    /// to. A disk may be shared, a file copied, and a number used again.
    static std::optional<pid_t> localHolder(const std::filesystem::path& path);
    /// True where nobody holds the lock, and who held it last has ended or was of another machine or start.
    static bool isAbandoned(const std::filesystem::path& path);

    ~FileLock();
    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&& other) noexcept;
    const std::filesystem::path& path() const { return m_path; }

private:
    FileLock(int fd, std::filesystem::path path);
    int m_fd = -1;
    std::filesystem::path m_path;
};

/// A lock on a folder, for the moments in which files of one name there are exchanged for others (alone), or
/// opened together (shared). Between threads of a process, too. It is polite, not strict: who cannot have it
/// within the time goes on without it, so that nobody who stopped in such a moment stops the others. A
/// TempDir is locked as long as it is there: lock a folder in it.
class FolderLock
{
public:
    enum class Kind
    {
        Shared,
        Alone
    };
    FolderLock(const std::filesystem::path& folder, Kind kind, double seconds = 2);
    ~FolderLock();
    FolderLock(const FolderLock&) = delete;
    FolderLock& operator=(const FolderLock&) = delete;
    bool isHeld() const { return m_fd >= 0; }

private:
    int m_fd = -1;
};

} // namespace sparserl

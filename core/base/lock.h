// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <filesystem>
#include <optional>
#include <sys/types.h>

namespace sparserl {

/// An exclusive lock on a file (flock). The system releases it when the holder exits for any reason. The file
/// is never deleted. It contains the holder's process id as text, the boot id of the machine and the start
/// time of the process.
class FileLock
{
public:
    /// Takes the lock; nullopt if another process, or another FileLock of this process, holds it.
    static Result<std::optional<FileLock>> tryLock(const std::filesystem::path& path);
    /// The same for locks that are held only briefly: retries for the given number of seconds.
    static Result<std::optional<FileLock>> awaitLock(const std::filesystem::path& path, double seconds = 20);
    /// True while a process holds the lock. A missing file is not locked.
    static bool isLocked(const std::filesystem::path& path);
    /// The process that holds the lock, for display, or nullopt.
    static std::optional<pid_t> holder(const std::filesystem::path& path);
    /// The holder, if it is known to be a live process of this machine. Send signals only to this id: a disk
    /// may be shared, a file copied and a process id reused.
    static std::optional<pid_t> localHolder(const std::filesystem::path& path);
    /// True if the lock is free and its last holder has exited or belongs to another machine or boot.
    static bool isAbandoned(const std::filesystem::path& path);
    /// Writes into the file of a held lock that a signal ends the holder in the middle of its work. `file` is
    /// fileNumber() of the lock. Safe in signal handlers.
    static void markCutShort(int file) noexcept;
    /// True if the lock is free and markCutShort() was the last act of its last holder.
    static bool wasCutShort(const std::filesystem::path& path);

    ~FileLock();
    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&& other) noexcept;
    const std::filesystem::path& path() const { return m_path; }
    int fileNumber() const { return m_fd; }

private:
    FileLock(int fd, std::filesystem::path path);
    int m_fd = -1;
    std::filesystem::path m_path;
};

/// A lock on a folder. Use Kind::Alone to replace files in the folder by others of the same names, and
/// Kind::Shared to open several files together. The lock also works between threads of one process. It is
/// advisory: after the timeout the caller continues without the lock, which keeps a stopped process from
/// blocking others. A TempDir is locked during its whole lifetime; lock a folder inside it instead.
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

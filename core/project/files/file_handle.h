// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace sparserl {

/// An open file descriptor for files that are appended to while others read them.
class FileHandle
{
public:
    FileHandle() = default;
    FileHandle(FileHandle&& other) noexcept
        : m_fd(std::exchange(other.m_fd, -1))
        , m_path(std::move(other.m_path))
    {
    }
    FileHandle& operator=(FileHandle&& other) noexcept
    {
        std::swap(m_fd, other.m_fd);
        std::swap(m_path, other.m_path);
        return *this;
    }
    ~FileHandle();

    /// Creates a missing file. Every write appends.
    static Result<FileHandle> openAppend(const std::filesystem::path& path);
    /// A missing file is an Error with the message of ENOENT. If that is normal, check exists() first.
    static Result<FileHandle> openRead(const std::filesystem::path& path);

    bool isOpen() const { return m_fd >= 0; }
    Result<std::int64_t> size() const;
    Status write(std::string_view bytes); ///< Writes everything; on failure a part may be written.
    Result<std::string> read(std::int64_t offset,
                             std::int64_t count) const; ///< Returns fewer bytes at the end of the file.
    /// The first byte from `offset` on that is not in a hole (holes use no disk space and read as zeros), or
    /// the end of the file.
    std::int64_t dataFrom(std::int64_t offset) const;
    Status truncate(std::int64_t length);
    Status sync();

private:
    FileHandle(int fd, std::filesystem::path path)
        : m_fd(fd)
        , m_path(std::move(path))
    {
    }
    int m_fd = -1;
    std::filesystem::path m_path;
};

/// Appends a line in one write(2) with fsync. Safe for several processes. If a crashed process left half a
/// line, starts a new line first.
Status appendLine(const std::filesystem::path& path, std::string line);
/// fsync for every regular file below, then for the folders.
Status syncTree(const std::filesystem::path& directory);

/// "cannot VERB: REASON" with the file's name, and a remedy if the disk is full.
Error systemError(std::string_view verb, const std::filesystem::path& path, int code);

} // namespace sparserl

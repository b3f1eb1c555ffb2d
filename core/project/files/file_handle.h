// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace sparserl {

/// An open file that one process may append to while other processes read it.
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

    /// Opens a file for appending. Creates the file if it does not exist.
    static Result<FileHandle> openAppend(const std::filesystem::path& path);
    /// Opens a file for reading. If the file does not exist, fails with the message of ENOENT; a caller that
    /// expects this should check exists() first.
    static Result<FileHandle> openRead(const std::filesystem::path& path);

    bool isOpen() const { return m_fd >= 0; }
    Result<std::int64_t> size() const;
    /// Writes all bytes. If this fails, a part of them may have been written.
    Status write(std::string_view bytes);
    /// Reads `count` bytes at `offset`, or fewer at the end of the file.
    Result<std::string> read(std::int64_t offset, std::int64_t count) const;
    /// Returns the offset of the first byte at or after `offset` that is not in a hole, or the end of the
    /// file. A hole is a range of zeros that uses no disk space.
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

/// Appends a line in one write(2), followed by fsync. Several processes may do this at the same time. If a
/// crashed process has left an incomplete line, starts a new line first.
Status appendLine(const std::filesystem::path& path, std::string line);
/// Calls fsync for every regular file below a directory, then for the folders.
Status syncTree(const std::filesystem::path& directory);

/// Returns the Error "cannot VERB: REASON" with the file's name and, if the disk is full, a remedy. `code` is
/// an errno value.
Error systemError(std::string_view verb, const std::filesystem::path& path, int code);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

namespace sparserl {

/// An open file by descriptor: for files that are appended to while others read them.
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

    /// Creates the file if it is missing; every write goes to the end.
    static Result<FileHandle> openAppend(const std::filesystem::path& path);
    /// An Error with errno ENOENT's sentence if it is missing: check exists() first where that is normal.
    static Result<FileHandle> openRead(const std::filesystem::path& path);

    bool isOpen() const { return m_fd >= 0; }
    Result<std::int64_t> size() const;
    Status write(std::string_view bytes); ///< All of it; on failure some of it may be written.
    Result<std::string> read(std::int64_t offset,
                             std::int64_t count) const; ///< Fewer bytes at the end of the file.
    /// The first byte from `offset` on that is in no hole (which takes no place on the disk, and reads as
    /// zeros); the end of the file where none is.
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

/// Appends a line in one write(2) with fsync; several processes may do so at once. If a crashed one left half
/// a line, the new line begins on its own.
Status appendLine(const std::filesystem::path& path, std::string line);
/// fsync of every regular file below, then of the folders.
Status syncTree(const std::filesystem::path& directory);

/// "cannot VERB: REASON" with the file's name and a remedy for a full disk.
Error systemError(std::string_view verb, const std::filesystem::path& path, int code);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "project/files/file_handle.h"

#include "base/beneath.h"
#include "base/file_error.h"
#include "base/files.h"
#include "base/read_at.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sparserl {

Error systemError(std::string_view verb, const std::filesystem::path& path, int code)
{
    return fileError(fmt::format("cannot {}", verb), path, code);
}

namespace {

/// Opens a file. A named pipe would wait for ever, and a folder would fail at the first read only.
Result<int> openRegular(std::string_view verb, const std::filesystem::path& path, int flags)
{
    const std::string remedy = "Move it away, or restore the file";
    auto file = openFile(path, flags | O_NONBLOCK, verb);
    struct stat info
    {
    };
    if (!file) {
        const bool folder = ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
        return folder && checkPlace(path) == std::error_code()
                   ? failAt(path.string(), 0, fmt::format("cannot {}: this is a folder, not a file", verb),
                            remedy)
                   : fail(std::move(file).error());
    }
    if (::fstat(file->get(), &info) != 0 || (!S_ISDIR(info.st_mode) && !S_ISFIFO(info.st_mode)))
        return file->release();
    return failAt(path.string(), 0,
                  fmt::format("cannot {}: this is {}, not a file", verb,
                              S_ISDIR(info.st_mode) ? "a folder" : "a named pipe"),
                  remedy);
}

} // namespace

FileHandle::~FileHandle()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

Result<FileHandle> FileHandle::openAppend(const std::filesystem::path& path)
{
    SPARSERL_TRY(const int fd, openRegular("open for writing", path, O_RDWR | O_CREAT | O_APPEND));
    return FileHandle(fd, path);
}

Result<FileHandle> FileHandle::openRead(const std::filesystem::path& path)
{
    SPARSERL_TRY(const int fd, openRegular("open", path, O_RDONLY));
    return FileHandle(fd, path);
}

Result<std::int64_t> FileHandle::size() const
{
    struct stat info
    {
    };
    if (::fstat(m_fd, &info) != 0)
        return fail(systemError("look up the size", m_path, errno));
    return static_cast<std::int64_t>(info.st_size);
}

Status FileHandle::write(std::string_view bytes)
{
    while (!bytes.empty()) {
        const ssize_t written = ::write(m_fd, bytes.data(), bytes.size());
        if (written < 0) {
            if (errno == EINTR)
                continue;
            return fail(systemError("write", m_path, errno));
        }
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

Result<std::string> FileHandle::read(std::int64_t offset, std::int64_t count) const
{
    std::string out(static_cast<std::size_t>(count), '\0');
    const auto got = readAt(m_fd, static_cast<std::uint64_t>(offset), out.data(), out.size());
    if (!got)
        return fail(systemError("read", m_path, errno));
    out.resize(*got);
    return out;
}

std::int64_t FileHandle::dataFrom(std::int64_t offset) const
{
    const off_t data = ::lseek(m_fd, offset, SEEK_DATA);
    if (data >= 0)
        return data;
    return errno == ENXIO ? std::max(offset, size().value_or(offset)) : offset; // a file system without holes
}

Status FileHandle::truncate(std::int64_t length)
{
    if (::ftruncate(m_fd, static_cast<off_t>(length)) != 0)
        return fail(systemError("shorten", m_path, errno));
    return {};
}

Status FileHandle::sync()
{
    if (::fsync(m_fd) != 0)
        return fail(systemError("write through to the disk", m_path, errno));
    return {};
}

Status appendLine(const std::filesystem::path& path, std::string line)
{
    SPARSERL_TRY(auto file, FileHandle::openAppend(path));
    SPARSERL_TRY(const auto size, file.size());
    if (size > 0) {
        const auto last = file.read(size - 1, 1);
        if (last && *last != "\n")
            line.insert(0, 1, '\n');
    }
    line += '\n';
    SPARSERL_CHECK(file.write(line));
    return file.sync();
}

Status syncTree(const std::filesystem::path& directory)
{
    SPARSERL_TRY(const auto entries, listDirectory(directory));
    for (const std::filesystem::path& path : entries) {
        SPARSERL_TRY(const auto look, lookAt(path));
        if (look.folder) {
            SPARSERL_CHECK(syncTree(path));
        } else if (look.regular) {
            SPARSERL_TRY(auto handle, FileHandle::openRead(path));
            SPARSERL_CHECK(handle.sync());
        }
    }
    return syncDirectory(directory);
}

} // namespace sparserl

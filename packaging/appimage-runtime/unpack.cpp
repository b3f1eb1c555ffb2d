// SPDX-License-Identifier: Apache-2.0
#include "unpack.h"

#include "base/format.h"
#include "base/subprocess.h"
#include "base/system_remedy.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

tl::unexpected<Error> systemFailure(const fs::path& path, const std::string& what, int error)
{
    return failAt(path.string(), 0, what + ": " + std::strerror(error), systemRemedy(error));
}

/// For what the files take beyond their bytes: the rest of their last blocks, and folders.
constexpr std::uint64_t bytesBeside = std::uint64_t{4} << 20;

Status checkRoom(const fs::path& folder, std::uint64_t wanted)
{
    struct statvfs disk
    {
    };
    if (::statvfs(folder.c_str(), &disk) != 0)
        return {}; // Then writing will tell.
    const std::uint64_t room = std::uint64_t{disk.f_bavail} * disk.f_frsize;
    if (room >= wanted + bytesBeside)
        return {};
    return failAt(folder.string(), 0,
                  "the program needs " + formatBytes(static_cast<double>(wanted)) +
                      " on this disk, which has " + formatBytes(static_cast<double>(room)) + " left",
                  "Free some space there, or point XDG_CACHE_HOME at a folder of another disk");
}

Status writeEntry(SquashfsImage& image, std::size_t index, const ImageEntry& entry, const fs::path& path,
                  const std::function<void(std::size_t)>& written)
{
    const mode_t mode = entry.executable ? 0755 : 0644;
    // O_EXCL never goes through a link.
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd < 0)
        return systemFailure(path, "cannot write the file", errno);
    Status status = image.read(index, [&](std::string_view part) -> Status {
        SPARSERL_CHECK(writeAll(fd, part));
        written(part.size());
        return {};
    });
    int error = 0;
    const timespec times[2] = {{entry.modified, 0}, {entry.modified, 0}};
    if (status && (::fchmod(fd, mode) != 0 || ::futimens(fd, times) != 0))
        error = errno;
    if (::close(fd) != 0 && error == 0)
        error = errno;
    if (!status) {
        if (status.error().file.empty())
            status.error().file = path.string();
        return status;
    }
    return error == 0 ? Status{} : systemFailure(path, "cannot write the file", error);
}

/// Once all files are written: the first call then waits for nearly all of them, the others for little.
Status writeToDisk(const std::vector<ImageEntry>& entries, const fs::path& folder)
{
    for (const ImageEntry& entry : entries) {
        if (entry.kind != ImageEntry::Kind::File)
            continue;
        const fs::path path = folder / entry.path;
        const int fd = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        const bool done = fd >= 0 && ::fsync(fd) == 0;
        const int error = errno;
        if (fd >= 0)
            ::close(fd);
        if (!done)
            return systemFailure(path, "cannot write the file to disk", error);
    }
    return {};
}

bool isAsUnpacked(const ImageEntry& entry, const fs::path& path)
{
    struct stat info
    {
    };
    if (::lstat(path.c_str(), &info) != 0)
        return false;
    switch (entry.kind) {
    case ImageEntry::Kind::Folder:
        return S_ISDIR(info.st_mode);
    case ImageEntry::Kind::Link: {
        std::error_code error;
        return S_ISLNK(info.st_mode) && fs::read_symlink(path, error) == entry.target && !error;
    }
    case ImageEntry::Kind::File:
        break;
    }
    return S_ISREG(info.st_mode) && static_cast<std::uint64_t>(info.st_size) == entry.size &&
           info.st_mtim.tv_sec == entry.modified && (!entry.executable || (info.st_mode & S_IXUSR) != 0);
}

} // namespace

std::uint64_t unpackedBytes(const std::vector<ImageEntry>& entries)
{
    std::uint64_t bytes = 0;
    for (const ImageEntry& entry : entries)
        bytes = entry.size > UINT64_MAX / 2 - bytes ? UINT64_MAX / 2 : bytes + entry.size;
    return bytes;
}

Status unpackImage(SquashfsImage& image, const std::vector<ImageEntry>& entries, const fs::path& folder,
                   const UnpackProgress& progress)
{
    const std::uint64_t total = unpackedBytes(entries);
    SPARSERL_CHECK(checkRoom(folder, total));
    std::uint64_t done = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        const ImageEntry& entry = entries[i];
        const fs::path path = folder / entry.path;
        switch (entry.kind) {
        case ImageEntry::Kind::Folder:
            if (::mkdir(path.c_str(), 0755) != 0)
                return systemFailure(path, "cannot make the folder", errno);
            break;
        case ImageEntry::Kind::Link:
            if (::symlink(entry.target.c_str(), path.c_str()) != 0)
                return systemFailure(path, "cannot make the link", errno);
            break;
        case ImageEntry::Kind::File:
            SPARSERL_CHECK(writeEntry(image, i, entry, path, [&](std::size_t bytes) {
                done += bytes;
                progress(done, total);
            }));
            break;
        }
    }
    return writeToDisk(entries, folder);
}

bool isUnpacked(const std::vector<ImageEntry>& entries, const fs::path& folder)
{
    for (const ImageEntry& entry : entries) {
        if (!isAsUnpacked(entry, folder / entry.path))
            return false;
    }
    return true;
}

} // namespace sparserl

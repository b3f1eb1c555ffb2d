// SPDX-License-Identifier: Apache-2.0
#include "cache.h"

#include "base/lock.h"
#include "base/system_remedy.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <optional>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

/// Folders of earlier images that stay: an earlier version that is started again is still unpacked.
constexpr std::size_t keptOthers = 2;

constexpr const char* partSuffix = ".part"; ///< Being unpacked.
constexpr const char* oldSuffix = ".old";   ///< Replaced, being removed.

std::string variable(const char* name)
{
    const char* value = std::getenv(name);
    return value ? value : "";
}

/// Programs are run from there: nobody else may be able to put one in.
Status checkOwner(const fs::path& folder)
{
    struct stat info
    {
    };
    if (::stat(folder.c_str(), &info) != 0)
        return failAt(folder.string(), 0, std::string("cannot read the folder: ") + std::strerror(errno),
                      systemRemedy(errno));
    if (info.st_uid != ::geteuid() || (info.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return failAt(folder.string(), 0, "others may write into this folder, from which programs are run",
                      "Make it yours alone (chmod 700), or point XDG_CACHE_HOME at another folder");
    return {};
}

void markUsed(const fs::path& folder)
{
    ::utimensat(AT_FDCWD, folder.c_str(), nullptr, 0); // A folder of another user stays as it is.
}

/// Whether a process of this user runs a program below `folder`.
bool isRunning(const fs::path& folder)
{
    const std::string below = folder.string() + "/";
    std::error_code error;
    for (auto it = fs::directory_iterator("/proc", error); !error && it != fs::directory_iterator();
         it.increment(error)) {
        const std::string name = it->path().filename().string();
        if (name.empty() || !std::isdigit(static_cast<unsigned char>(name.front())))
            continue;
        std::error_code ignored; // Others' processes, and those that have just ended.
        if (fs::read_symlink(it->path() / "exe", ignored).string().starts_with(below))
            return true;
    }
    return false;
}

bool isDigest(const std::string& name)
{
    return name.size() == 64 && std::all_of(name.begin(), name.end(), [](unsigned char c) {
               return std::isdigit(c) || (c >= 'a' && c <= 'f');
           });
}

/// What another start left that was killed, and the folders of images that nobody has used for long. Called
/// under the lock. What cannot be removed stays: it costs room, no more.
void removeOthers(const fs::path& cache, const std::string& digest)
{
    struct Other
    {
        fs::path folder;
        fs::file_time_type used;
    };
    std::vector<Other> others;
    std::error_code error;
    for (auto it = fs::directory_iterator(cache, error); !error && it != fs::directory_iterator();
         it.increment(error)) {
        const fs::path path = it->path();
        std::error_code ignored;
        if (isDigest(path.stem().string()) &&
            (path.extension() == partSuffix || path.extension() == oldSuffix))
            fs::remove_all(path, ignored);
        else if (isDigest(path.filename().string()) && path.filename() != digest)
            others.push_back({path, fs::last_write_time(path, ignored)});
    }
    std::sort(others.begin(), others.end(), [](const Other& a, const Other& b) { return a.used > b.used; });
    for (std::size_t i = keptOthers; i < others.size(); ++i) {
        std::error_code ignored;
        if (!isRunning(others[i].folder))
            fs::remove_all(others[i].folder, ignored);
    }
}

Status renameFolder(const fs::path& from, const fs::path& to)
{
    std::error_code error;
    fs::rename(from, to, error);
    if (error)
        return failAt(from.string(), 0, "cannot rename the folder to " + to.string() + ": " + error.message(),
                      systemRemedy(error.value()));
    return {};
}

/// Under the lock: `folder` is made, or replaced.
Status unpackAnew(const AppendedImage& image, SquashfsImage& files, const std::vector<ImageEntry>& entries,
                  const fs::path& folder, const UnpackProgress& progress)
{
    const fs::path part = folder.string() + partSuffix;
    const fs::path old = folder.string() + oldSuffix;
    std::error_code ignored;
    fs::remove_all(part, ignored);
    fs::remove_all(old, ignored);
    SPARSERL_CHECK(image.verify());
    SPARSERL_CHECK(makeDirectories(part));
    if (auto unpacked = unpackImage(files, entries, part, progress); !unpacked) {
        fs::remove_all(part, ignored);
        return unpacked;
    }
    // What runs from a damaged folder goes on: its files stay while they are open.
    if (::access(folder.c_str(), F_OK) == 0) {
        SPARSERL_CHECK(renameFolder(folder, old));
    }
    SPARSERL_CHECK(renameFolder(part, folder));
    fs::remove_all(old, ignored);
    return syncDirectory(folder.parent_path());
}

Result<FileLock> waitForLock(const fs::path& file)
{
    for (;;) {
        SPARSERL_TRY(std::optional<FileLock> lock, FileLock::tryLock(file));
        if (lock)
            return std::move(*lock);
        const timespec pause{0, 100'000'000};
        ::nanosleep(&pause, nullptr);
    }
}

} // namespace

Result<fs::path> imageCache()
{
    fs::path base = variable("XDG_CACHE_HOME");
    if (!base.is_absolute()) { // A relative one is to be ignored (XDG base directories).
        const std::string home = variable("HOME");
        if (home.empty() || home.front() != '/')
            return fail("neither XDG_CACHE_HOME nor HOME says where this program may be unpacked",
                        "Set XDG_CACHE_HOME to a folder of yours, or use --appimage-extract");
        base = fs::path(home) / ".cache";
    }
    return base / "sparserl" / "appimage";
}

Result<fs::path> unpackedInCache(const AppendedImage& image, const fs::path& cache,
                                 const UnpackProgress& progress)
{
    SPARSERL_TRY(SquashfsImage files, SquashfsImage::open(image.bytes()));
    SPARSERL_TRY(const std::vector<ImageEntry> entries, files.entries());
    const fs::path folder = cache / image.digest();
    markUsed(folder); // First, so that a start of another version does not remove it now.
    std::error_code ignored;
    if (fs::exists(folder, ignored)) {
        SPARSERL_CHECK(checkOwner(cache));
        if (isUnpacked(entries, folder))
            return folder;
    }
    if (auto made = makeDirectories(cache); !made) {
        made.error().remedy = "Point XDG_CACHE_HOME at a folder that you may write to";
        return tl::unexpected(made.error());
    }
    SPARSERL_CHECK(checkOwner(cache));
    SPARSERL_TRY(const FileLock lock, waitForLock(cache / "lock"));
    if (!isUnpacked(entries, folder)) { // Else another start was quicker.
        SPARSERL_CHECK(unpackAnew(image, files, entries, folder, progress));
        removeOthers(cache, image.digest());
    }
    return folder;
}

} // namespace sparserl

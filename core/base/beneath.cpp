// SPDX-License-Identifier: Apache-2.0
#include "base/beneath.h"

#include "base/allowed_links.h"
#include "base/file_error.h"
#include "base/file_kind.h"
#include "base/settings_file.h"
#include "base/trust.h"

#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

using detail::plainPath;

std::error_code systemCode(int error)
{
    return {error, std::generic_category()};
}

/// openat(), again where a signal came between, as it does on network disks.
int openAgain(int folder, const char* name, int flags, mode_t mode = 0)
{
    for (;;)
        if (const int file = ::openat(folder, name, flags, mode); file >= 0 || errno != EINTR)
            return file;
}

int openName(int folder, const fs::path& name, int flags)
{
    return openAgain(folder, name.c_str(), flags | O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/// Name by name; a link is followed only where the user allows it.
Descriptor openAllowed(int root, const fs::path& rootPath, const fs::path& rest)
{
    Descriptor at(openName(root, ".", 0));
    fs::path path = rootPath;
    for (const fs::path& name : rest) {
        if (at.get() < 0)
            return at;
        path /= name;
        Descriptor next(openName(at.get(), name, O_NOFOLLOW));
        // With O_DIRECTORY a link is "not a folder".
        if (next.get() < 0 && (errno == ELOOP || errno == ENOTDIR)) {
            struct stat info
            {
            };
            if (::fstatat(at.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode)) {
                if (isLinkAllowed(path))
                    next = Descriptor(openName(at.get(), name, 0));
                else
                    errno = ELOOP;
            } else {
                errno = ENOTDIR;
            }
        }
        at = std::move(next);
    }
    return at;
}

tl::unexpected<Error> cannot(std::string_view doing, const fs::path& path, std::string_view why,
                             std::string remedy)
{
    return failAt(path.string(), 0, fmt::format("cannot {}: {}", doing, why), std::move(remedy));
}

/// Removes everything in an open folder.
int emptyFolder(int folder)
{
    DIR* list = ::fdopendir(::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (list == nullptr)
        return errno;
    int error = 0;
    for (;;) {
        errno = 0;
        const dirent* entry = ::readdir(list);
        if (entry == nullptr) {
            error = error != 0 ? error : errno;
            break;
        }
        const std::string_view name = entry->d_name;
        if (name == "." || name == "..")
            continue;
        if (::unlinkat(folder, entry->d_name, 0) == 0 || errno == ENOENT)
            continue;
        if (errno != EISDIR && errno != EPERM) {
            error = errno;
            continue;
        }
        const int why = errno;
        const Descriptor below(openName(folder, entry->d_name, O_NOFOLLOW));
        int inner = below.get() < 0 ? (errno == ENOTDIR ? why : errno) : emptyFolder(below.get());
        if (inner == 0 && ::unlinkat(folder, entry->d_name, AT_REMOVEDIR) != 0 && errno != ENOENT)
            inner = errno;
        error = inner != 0 ? inner : error;
    }
    ::closedir(list);
    return error;
}

} // namespace

Descriptor::~Descriptor()
{
    if (m_fd >= 0)
        ::close(m_fd);
}

std::string_view strangeKind(mode_t mode)
{
    return S_ISFIFO(mode)                   ? "this is a named pipe, not a file"
           : S_ISSOCK(mode)                 ? "this is a socket, not a file"
           : S_ISCHR(mode) || S_ISBLK(mode) ? "this is a device, not a file"
                                            : "";
}

Descriptor detail::openBelow(int root, const fs::path& rest, bool byName)
{
    if (!byName) {
        open_how how{};
        how.flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
        how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
        const long fd = ::syscall(SYS_openat2, root, rest.empty() ? "." : rest.c_str(), &how, sizeof how);
        // Old kernels lack it, and some containers forbid what they do not know.
        if (fd >= 0 || (errno != ENOSYS && errno != EPERM))
            return Descriptor(static_cast<int>(fd));
    }
    return openAllowed(root, {}, rest);
}

bool mayBePipe(const fs::path& path)
{
    const std::string text = path.string();
    return text.starts_with("/dev/") || text.starts_with("/proc/");
}

int Spot::at() const
{
    return guarded() ? folder.get() : AT_FDCWD;
}

std::error_code findSpot(const fs::path& path, Access access, Spot& spot)
{
    const std::string plain = plainPath(path).native();
    const auto held = detail::heldAround(plain);
    if (held && !held.isThere)
        return systemCode(ESTALE);
    const fs::path project = outermostProject(path);
    const bool inHeld = held && held.path.size() < plain.size();
    if (project.empty() && !inHeld) {
        if (access == Access::Write && !requireTrustAbove(path)) // by a link of the user
            return systemCode(EROFS);
        spot = {Descriptor(), path.string()};
        return {};
    }
    if (access == Access::Write && !requireTrustAbove(path))
        return systemCode(EROFS);
    // The way to the project is the user's. A held folder is open already: it cannot be exchanged.
    const fs::path root = inHeld ? fs::path(held.path) : project;
    const Descriptor opened(inHeld ? -1 : openName(AT_FDCWD, root, 0));
    const int from = inHeld ? held.folder : opened.get();
    if (from < 0)
        return systemCode(errno);
    const std::size_t below = root.native().size() + (root.native() == "/" ? 0 : 1);
    const std::size_t last = plain.rfind('/') + 1;
    const fs::path rest = plain.substr(below, last > below ? last - below - 1 : 0); // its folder
    Descriptor folder = detail::openBelow(from, rest, false);
    if (folder.get() < 0 && (errno == ELOOP || errno == ENOTDIR))
        folder = openAllowed(from, root, rest);
    if (folder.get() < 0)
        return systemCode(errno);
    spot = {std::move(folder), plain.substr(last)};
    return {};
}

Result<Descriptor> openFile(const Spot& spot, const fs::path& path, int flags, std::string_view doing,
                            mode_t mode)
{
    const auto failed = [&](int error) {
        return fail(fileError(fmt::format("cannot {}", doing), path, error));
    };
    const bool writes = (flags & O_ACCMODE) != O_RDONLY;
    int wanted = flags | O_CLOEXEC;
    const bool isPrivate = (writes || (flags & O_CREAT) != 0) && isPrivatePlace(path);
    if (isPrivate)
        mode &= 0700;
    if (spot.guarded()) {
        // Looked at before it is opened: opening a device may do something.
        struct stat info
        {
        };
        if (::fstatat(spot.at(), spot.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0)
            if (const auto strange = strangeKind(info.st_mode); !strange.empty())
                return cannot(doing, path, strange, "Move it away, or restore the file");
        wanted = (wanted | O_NOFOLLOW | O_NONBLOCK) & ~O_TRUNC;
    }
    if (!spot.guarded() && writes && !mayBePipe(path)) {
        // Opening a pipe would wait for a reader that may never come.
        struct stat info
        {
        };
        if (::stat(path.c_str(), &info) == 0 && S_ISFIFO(info.st_mode))
            return cannot(doing, path, strangeKind(info.st_mode), "Move it away, or give another file");
    }
    Descriptor file(openAgain(spot.at(), spot.name.c_str(), wanted, mode));
    if (file.get() < 0) {
        int error = errno;
        struct stat link
        {
        };
        // Of a link, O_DIRECTORY says that it is no folder.
        if (error == ENOTDIR && spot.guarded() &&
            ::fstatat(spot.at(), spot.name.c_str(), &link, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(link.st_mode))
            error = ELOOP;
        if (error == ELOOP && (flags & O_DIRECTORY) != 0 && spot.guarded() && isLinkAllowed(plainPath(path)))
            file = Descriptor(openAgain(spot.at(), spot.name.c_str(), wanted & ~O_NOFOLLOW, mode));
        if (file.get() < 0)
            return failed(error);
    }
    if (isPrivate)
        makePrivate(file.get());
    if (!spot.guarded())
        return file;
    struct stat info
    {
    };
    if (::fstat(file.get(), &info) != 0)
        return failed(errno);
    if (const auto strange = strangeKind(info.st_mode); !strange.empty())
        return cannot(doing, path, strange, "Move it away, or restore the file");
    if (writes && info.st_nlink > 1)
        return failed(EMLINK);
    if ((flags & O_TRUNC) != 0 && info.st_size > 0 && ::ftruncate(file.get(), 0) != 0)
        return failed(errno);
    return file;
}

Result<Descriptor> openFile(const fs::path& path, int flags, std::string_view doing, mode_t mode)
{
    Spot spot;
    const bool writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0;
    if (const auto code = findSpot(path, writes ? Access::Write : Access::Read, spot)) {
        return fail(fileError(fmt::format("cannot {}", doing), path, code.value()));
    }
    std::error_code none;
    if (writes && !spot.guarded() && fs::is_symlink(path, none))
        SPARSERL_CHECK(requireTrustAbove(fs::weakly_canonical(path, none)));
    return openFile(spot, path, flags, doing, mode);
}

void renameEntry(const fs::path& from, const fs::path& to, std::error_code& code)
{
    Spot source, target;
    if ((code = findSpot(from, Access::Write, source)) || (code = findSpot(to, Access::Write, target)))
        return;
    if (::renameat(source.at(), source.name.c_str(), target.at(), target.name.c_str()) != 0)
        code = systemCode(errno);
}

bool removeEntry(const fs::path& path, std::error_code& code)
{
    Spot spot;
    if ((code = findSpot(path, Access::Write, spot))) {
        if (code == std::errc::no_such_file_or_directory)
            code.clear();
        return false;
    }
    if (::unlinkat(spot.at(), spot.name.c_str(), 0) == 0)
        return true;
    if ((errno == EISDIR || errno == EPERM) && ::unlinkat(spot.at(), spot.name.c_str(), AT_REMOVEDIR) == 0)
        return true;
    if (errno != ENOENT && errno != ENOTDIR)
        code = systemCode(errno);
    return false;
}

void removeTree(const fs::path& path, std::error_code& code)
{
    if (removeEntry(path, code) || !code)
        return;
    Spot spot;
    if (code != std::errc::directory_not_empty && code != std::errc::file_exists)
        return;
    if ((code = findSpot(path, Access::Write, spot)))
        return;
    const Descriptor folder(openName(spot.at(), spot.name, O_NOFOLLOW));
    int error = folder.get() < 0 ? errno : emptyFolder(folder.get());
    if (error == 0 && ::unlinkat(spot.at(), spot.name.c_str(), AT_REMOVEDIR) != 0 && errno != ENOENT)
        error = errno;
    code = error == 0 ? std::error_code() : systemCode(error);
}

bool makeFolder(const fs::path& path, std::error_code& code)
{
    Spot spot;
    if ((code = findSpot(path, Access::Write, spot)))
        return false;
    const int follow = spot.guarded() ? AT_SYMLINK_NOFOLLOW : 0;
    const bool isPrivate = isPrivatePlace(path);
    for (int attempt = 0;; ++attempt) {
        struct stat info
        {
        };
        if (::fstatat(spot.at(), spot.name.c_str(), &info, follow) == 0) {
            const bool link = S_ISLNK(info.st_mode);
            if (link ? !isLinkAllowed(plainPath(path)) : !S_ISDIR(info.st_mode))
                code = systemCode(link ? ELOOP : ENOTDIR);
            if (!code && isPrivate)
                makePrivate(Descriptor(::openat(spot.at(), spot.name.c_str(),
                                                O_RDONLY | O_DIRECTORY | O_CLOEXEC | (link ? O_NOFOLLOW : 0)))
                                .get());
            return false;
        }
        if (errno != ENOENT && errno != EINTR) { // not what comes of making one that is there
            code = systemCode(errno);
            return false;
        }
        if (::mkdirat(spot.at(), spot.name.c_str(), isPrivate ? 0700 : 0777) == 0)
            return true;
        if (errno != EEXIST || attempt > 0) { // else somebody was faster
            code = systemCode(errno);
            return false;
        }
    }
}

void copyEntry(const fs::path& from, const fs::path& to, std::error_code& code)
{
    Spot source, target;
    if ((code = findSpot(from, Access::Read, source)) || (code = findSpot(to, Access::Write, target)))
        return;
    const int follow = source.guarded() ? O_NOFOLLOW : 0;
    const Descriptor in(
        openAgain(source.at(), source.name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | follow));
    struct stat info
    {
    };
    if (in.get() < 0 || ::fstat(in.get(), &info) != 0) {
        code = systemCode(errno);
        return;
    }
    if (!S_ISREG(info.st_mode)) {
        code = systemCode(EINVAL);
        return;
    }
    const Descriptor out(openAgain(target.at(), target.name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                                   info.st_mode & 0777));
    if (out.get() < 0) {
        code = systemCode(errno);
        return;
    }
    std::string buffer(1 << 16, '\0');
    for (;;) {
        const ssize_t got = ::read(in.get(), buffer.data(), buffer.size());
        if (got == 0)
            return;
        if (got < 0 && errno == EINTR)
            continue;
        ssize_t done = 0;
        while (got > 0 && done < got) {
            const ssize_t written =
                ::write(out.get(), buffer.data() + done, static_cast<std::size_t>(got - done));
            if (written < 0 && errno != EINTR)
                break;
            done += written > 0 ? written : 0;
        }
        if (got < 0 || done < got) {
            code = systemCode(errno);
            return;
        }
    }
}

std::error_code checkPlace(const fs::path& path)
{
    Spot spot;
    return findSpot(path, Access::Write, spot);
}

Result<Entry> lookAt(const fs::path& path)
{
    const auto failed = [&](int error) { return fail(fileError("cannot look for it", path, error)); };
    const auto absent = [](int error) { return error == ENOENT || error == ENOTDIR; };
    Spot spot;
    if (const auto code = findSpot(path, Access::Read, spot))
        return absent(code.value()) ? Result<Entry>(Entry()) : failed(code.value());
    struct stat info
    {
    };
    if (::fstatat(spot.at(), spot.name.c_str(), &info, spot.guarded() ? AT_SYMLINK_NOFOLLOW : 0) != 0)
        return absent(errno) ? Result<Entry>(Entry()) : failed(errno);
    if (spot.guarded() && S_ISLNK(info.st_mode) && isLinkAllowed(plainPath(path)) &&
        ::fstatat(spot.at(), spot.name.c_str(), &info, 0) != 0)
        return absent(errno) ? Result<Entry>(Entry()) : failed(errno);
    constexpr std::int64_t second = 1'000'000'000;
    return Entry{true,
                 S_ISREG(info.st_mode),
                 S_ISDIR(info.st_mode),
                 S_ISLNK(info.st_mode),
                 static_cast<std::uint64_t>(info.st_size),
                 info.st_mtim.tv_sec * second + info.st_mtim.tv_nsec};
}

Entry glance(const fs::path& path)
{
    return lookAt(path).value_or(Entry());
}

fs::path resolvedPlace(const fs::path& path)
{
    const fs::path plain = plainPath(path);
    const fs::path root = outermostProject(path);
    std::error_code code;
    const fs::path own = root.empty() ? plain.parent_path() : root;
    const fs::path real = fs::canonical(own, code);
    return code ? plain : real / plain.lexically_relative(own);
}

fs::path behindLink(const fs::path& path)
{
    constexpr int mostLinks = 40; // as the kernel
    std::error_code code;
    fs::path at = path;
    for (int links = 0; links < mostLinks && outermostProject(at).empty() && fs::is_symlink(at, code);
         ++links) {
        const fs::path target = fs::read_symlink(at, code);
        if (code)
            break;
        // From the folder that it is in, not from the one that is called so.
        at = (target.is_absolute() ? fs::path() : fs::weakly_canonical(at.parent_path(), code)) / target;
    }
    return at;
}

} // namespace sparserl

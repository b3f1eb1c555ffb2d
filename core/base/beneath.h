// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "base/roots.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <system_error>
#include <utility>
#include <vector>

// Files that others may have laid out. A project, or a run outside of one, may come from anybody: what lies
// below its folder is reached from a descriptor of that folder, and no link on the way is followed. So a
// project that was sent to somebody names nothing but what it holds. Everything that opens, makes, moves or
// removes something goes through here; what lies elsewhere (the place of a project, a file that the user
// names) is the user's own, and opened as ever.
namespace sparserl {

/// A file descriptor that closes itself.
class Descriptor
{
public:
    explicit Descriptor(int fd = -1)
        : m_fd(fd)
    {
    }
    ~Descriptor();
    Descriptor(Descriptor&& other) noexcept
        : m_fd(std::exchange(other.m_fd, -1))
    {
    }
    Descriptor& operator=(Descriptor&& other) noexcept
    {
        std::swap(m_fd, other.m_fd);
        return *this;
    }
    int get() const { return m_fd; }
    int release() { return std::exchange(m_fd, -1); }

private:
    int m_fd;
};

/// What /dev and /proc offer (/dev/stdin, the shell's <(...)) is there already. Opening another named pipe
/// would wait for an other end that may never come.
bool mayBePipe(const std::filesystem::path& path);

/// Where something lies: its folder, open, and its name there.
struct Spot
{
    Descriptor folder; ///< None: the path is the user's own, and `name` all of it.
    std::string name;

    bool guarded() const { return folder.get() >= 0; }
    int at() const; ///< For the calls whose name ends with "at".
};
enum class Access
{
    Read,
    Write ///< Something there is to be made, changed or removed.
};
/// Fails with ELOOP where a link is on the way, unless the user allows it (allowLink); for writing, with
/// EROFS below a project that the user does not trust (core/base/trust.h); with ESTALE below a folder that
/// this process holds (HeldFolder) and that is no longer in its place.
std::error_code findSpot(const std::filesystem::path& path, Access access, Spot& spot);

/// open(2), close-on-exec. Below a project it takes no link, no pipe, device or socket, and for writing no
/// file that has a second name elsewhere (a hard link). The Error says "cannot DOING: REASON".
Result<Descriptor> openFile(const std::filesystem::path& path, int flags, std::string_view doing,
                            mode_t mode = 0644);
/// The same of a name in a folder.
Result<Descriptor> openFile(const Spot& spot, const std::filesystem::path& path, int flags,
                            std::string_view doing, mode_t mode = 0644);

// As those of std::filesystem, with links refused where openFile() refuses them.

void renameEntry(const std::filesystem::path& from, const std::filesystem::path& to, std::error_code& code);
/// A file or an empty folder. True if there was one.
bool removeEntry(const std::filesystem::path& path, std::error_code& code);
/// With all below it; links are removed, not followed. Nothing to remove is no error.
void removeTree(const std::filesystem::path& path, std::error_code& code);
/// True if it was made now.
bool makeFolder(const std::filesystem::path& path, std::error_code& code);
/// A regular file, to a name that is free.
void copyEntry(const std::filesystem::path& from, const std::filesystem::path& to, std::error_code& code);
/// Whether something may be made there: for names that others make, such as mkdtemp(3).
std::error_code checkPlace(const std::filesystem::path& path);

/// What lies in a place; below a project, of a link itself, unless the user allows it (allowLink).
struct Entry
{
    bool exists = false, regular = false, folder = false, link = false;
    std::uint64_t bytes = 0;
    std::int64_t modified = 0; ///< Nanoseconds since 1970.
};
/// Nothing there is no Error; an Error means that it cannot be found out now.
Result<Entry> lookAt(const std::filesystem::path& path);
/// The same where it makes no difference why: what cannot be found out is not there.
Entry glance(const std::filesystem::path& path);

/// Text from a file as one name in a folder: itself where it is letters, digits, dots, "-" and "_" (a digest,
/// the name of a checkpoint), else another one that no file has.
std::string fileNameFor(std::string_view text);

/// The path with what is the user's own part of it resolved, for programs and libraries that refuse all
/// links.
std::filesystem::path resolvedPlace(const std::filesystem::path& path);

namespace detail {
/// The folder `rest` below an open one, by openat2(2) or, where the kernel lacks it, name by name.
Descriptor openBelow(int root, const std::filesystem::path& rest, bool byName);
} // namespace detail

} // namespace sparserl

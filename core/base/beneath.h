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

// Access to files that other people may have created. A project, or a run outside a project, may come from
// anyone. Files below its folder are reached from a descriptor of that folder, and links on the way are not
// followed. A project that someone sent can therefore name only its own contents. All code that opens,
// creates, moves or removes files uses these functions. Other paths (the location of a project, a file that
// the user names) belong to the user and are opened normally.
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

/// True for entries of /dev and /proc (/dev/stdin, the shell's <(...)), which are already open. Opening any
/// other named pipe could block forever.
bool mayBePipe(const std::filesystem::path& path);

/// The location of a file: an open descriptor of its folder, and its name in that folder.
struct Spot
{
    Descriptor folder; ///< Not open if the path is the user's own; `name` is then the whole path.
    std::string name;

    bool guarded() const { return folder.get() >= 0; }
    int at() const; ///< The folder argument of the *at() system calls.
};
enum class Access
{
    Read,
    Write ///< Creates, changes or removes something.
};
/// Fails with ELOOP if the path contains a link that the user does not allow (allowLink). For writing, fails
/// with EROFS below a project that the user does not trust (core/base/trust.h). Fails with ESTALE below a
/// folder that this process holds (HeldFolder) and that was moved away.
std::error_code findSpot(const std::filesystem::path& path, Access access, Spot& spot);

/// Opens a file with open(2) and O_CLOEXEC. Below a project, refuses links, pipes, devices and sockets and,
/// for writing, files with several hard links. The Error says "cannot DOING: REASON".
Result<Descriptor> openFile(const std::filesystem::path& path, int flags, std::string_view doing,
                            mode_t mode = 0644);
/// The same for a name in an open folder.
Result<Descriptor> openFile(const Spot& spot, const std::filesystem::path& path, int flags,
                            std::string_view doing, mode_t mode = 0644);

// These functions behave like functions of std::filesystem, but refuse the links that openFile() refuses.

void renameEntry(const std::filesystem::path& from, const std::filesystem::path& to, std::error_code& code);
/// Removes a file or an empty folder. Returns true if it existed.
bool removeEntry(const std::filesystem::path& path, std::error_code& code);
/// Removes a folder and its contents. Links are removed, not followed. A missing path is not an error.
void removeTree(const std::filesystem::path& path, std::error_code& code);
/// Creates a folder. Returns true if this call created it.
bool makeFolder(const std::filesystem::path& path, std::error_code& code);
/// Copies a regular file. `to` must not exist.
void copyEntry(const std::filesystem::path& from, const std::filesystem::path& to, std::error_code& code);
/// Checks that a path may be created. Use it for functions that choose the name themselves, such as
/// mkdtemp(3).
std::error_code checkPlace(const std::filesystem::path& path);

/// Describes the file or folder at a path. Below a project, it describes a link and not its destination,
/// unless the user allows the link (allowLink).
struct Entry
{
    bool exists = false, regular = false, folder = false, link = false;
    std::uint64_t bytes = 0;
    std::int64_t modified = 0; ///< Nanoseconds since 1970.
};
/// Returns the entry for a path. A missing path is not an Error. An Error means that the state of the path is
/// currently unknown.
Result<Entry> lookAt(const std::filesystem::path& path);
/// The same for callers that ignore the Error: a path whose state is unknown counts as missing.
Entry glance(const std::filesystem::path& path);

/// Converts text from a file to a single file name. Text of letters, digits, dots, "-" and "_" (a digest, a
/// checkpoint name) stays as it is if it does not begin with a dot. Other text yields a name that no file
/// has.
std::string fileNameFor(std::string_view text);

/// Resolves the links in the user's own part of the path, for programs and libraries that refuse all links.
std::filesystem::path resolvedPlace(const std::filesystem::path& path);

namespace detail {
/// Opens the folder `rest` below an open folder with openat2(2), or name by name if the kernel lacks openat2.
Descriptor openBelow(int root, const std::filesystem::path& rest, bool byName);
} // namespace detail

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"

#include "base/beneath.h"
#include "base/file_error.h"
#include "base/file_kind.h"
#include "base/format.h"
#include "base/new_folders.h"
#include "base/subprocess.h"
#include "base/system_remedy.h"
#include "base/temporary_name.h"
#include "base/trust.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

tl::unexpected<Error> systemFailure(const fs::path& path, const std::string& what, int error)
{
    return fail(fileError(what, path, error));
}

Result<Descriptor> openForReading(const fs::path& path)
{
    return openFile(path, O_RDONLY | (mayBePipe(path) ? 0 : O_NONBLOCK), "read the file");
}

} // namespace

Result<std::string> readFile(const fs::path& path, std::uint64_t limit)
{
    SPARSERL_TRY(const Descriptor file, openForReading(path));
    struct stat info
    {
    };
    if (::fstat(file.get(), &info) != 0) {
        return systemFailure(path, "cannot read the file", errno);
    }
    if (S_ISDIR(info.st_mode)) {
        return failAt(path.string(), 0, "this is a folder, not a file");
    }
    if (S_ISFIFO(info.st_mode) && !mayBePipe(path)) {
        return failAt(path.string(), 0, "this is a named pipe, not a file",
                      "Write its contents to a file first");
    }
    const auto tooLarge = [&] {
        return failAt(path.string(), 0,
                      fmt::format("the file is larger than {}, the most that is read of such a file",
                                  formatBytes(static_cast<double>(limit))),
                      "Check that this is the file that you mean");
    };
    if (S_ISREG(info.st_mode) && static_cast<std::uint64_t>(info.st_size) > limit)
        return tooLarge();
    std::string out;
    out.resize(static_cast<std::size_t>(info.st_size) + 1);
    std::size_t used = 0;
    for (;;) {
        if (used == out.size()) {
            out.resize(out.size() * 2 + 4096);
        }
        const ssize_t got = ::read(file.get(), out.data() + used, out.size() - used);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return systemFailure(path, "cannot read the file", errno);
        }
        if (got == 0) {
            break;
        }
        used += static_cast<std::size_t>(got);
        if (used > limit) {
            return tooLarge();
        }
    }
    out.resize(used);
    return out;
}

namespace {

/// Writes to what is no file, or refuses it; nothing where there is a file, or none yet. Below a project
/// something strange is replaced: nobody has named it.
std::optional<Status> writeStream(const Spot& spot, const fs::path& path, std::string_view bytes)
{
    struct stat info
    {
    };
    struct stat itself
    {
    };
    if (spot.guarded() || ::stat(path.c_str(), &info) != 0 || ::lstat(path.c_str(), &itself) != 0)
        return std::nullopt;
    const std::string_view strange = strangeKind(info.st_mode);
    // Where output goes to a file, /dev/stdout is a link to that.
    if (mayBePipe(path) && (!strange.empty() || (S_ISLNK(itself.st_mode) && S_ISREG(info.st_mode)))) {
        const auto file = openFile(spot, path, O_WRONLY | O_APPEND | O_NOCTTY, "write the file");
        if (!file)
            return fail(file.error());
        auto written = writeAll(file->get(), bytes);
        if (!written)
            written.error().file = path.string();
        return written;
    }
    if (!strange.empty())
        return failAt(path.string(), 0, fmt::format("cannot write the file: {}", strange),
                      "Give another name");
    return std::nullopt;
}

} // namespace

NewFolders::~NewFolders()
{
    for (auto folder = m_made.rbegin(); folder != m_made.rend(); ++folder) {
        std::error_code ignored;
        if (glance(*folder).folder) // by now something else may have its name
            removeEntry(*folder, ignored);
    }
}

Status NewFolders::make(const fs::path& folder)
{
    const fs::path path = folder.has_filename() ? folder : folder.parent_path();
    std::error_code code;
    bool made = makeFolder(path, code);
    if (code == std::errc::no_such_file_or_directory && path.has_parent_path() &&
        path.parent_path() != path) {
        SPARSERL_CHECK(make(path.parent_path()));
        code.clear();
        made = makeFolder(path, code);
    }
    if (code) {
        return systemFailure(path, "cannot make the folder", code.value());
    }
    if (made) {
        m_made.push_back(path);
    }
    return {};
}

Status makeDirectories(const fs::path& path)
{
    NewFolders folders;
    SPARSERL_CHECK(folders.make(path));
    folders.keep();
    return {};
}

Status syncDirectory(const fs::path& path)
{
    SPARSERL_TRY(const Descriptor folder,
                 openFile(path.empty() ? "." : path, O_RDONLY | O_DIRECTORY, "open the folder"));
    // Some network file systems refuse fsync on folders; the rename itself has happened.
    if (::fsync(folder.get()) != 0 && errno != EINVAL && errno != ENOTSUP) {
        return systemFailure(path, "cannot write the folder to disk", errno);
    }
    return {};
}

Status writeFileAtomic(const fs::path& path, std::string_view bytes, unsigned mode)
{
    static std::atomic<unsigned> counter{0}; // Names only: two threads may write the same file at once.
    NewFolders folders;
    if (path.has_parent_path()) {
        SPARSERL_CHECK(folders.make(path.parent_path()));
    }
    Spot spot;
    if (const auto code = findSpot(path, Access::Write, spot)) {
        return systemFailure(path, "cannot write the file", code.value());
    }
    if (auto streamed = writeStream(spot, path, bytes))
        return std::move(*streamed);
    const std::string name = spot.name;
    spot.name = temporaryName(fs::path(name).filename().string(), ::getpid(), counter++);
    if (!spot.guarded()) // all of the path
        spot.name = (fs::path(name).parent_path() / spot.name).string();
    const auto failed = [&](int error) {
        ::unlinkat(spot.at(), spot.name.c_str(), 0);
        return systemFailure(path, "cannot write the file", error);
    };
    {
        SPARSERL_TRY(const Descriptor file,
                     openFile(spot, path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, "write the file", mode));
        if (auto written = writeAll(file.get(), bytes); !written) {
            ::unlinkat(spot.at(), spot.name.c_str(), 0);
            written.error().file = path.string();
            return written;
        }
        if (::fsync(file.get()) != 0) {
            return failed(errno);
        }
    }
    if (::renameat(spot.at(), spot.name.c_str(), spot.at(), name.c_str()) != 0) {
        return failed(errno);
    }
    return syncDirectory(path.parent_path());
}

Status appendFile(const fs::path& path, std::string_view bytes, bool sync)
{
    SPARSERL_TRY(const Descriptor file, openFile(path, O_WRONLY | O_CREAT | O_APPEND, "append to the file"));
    if (auto written = writeAll(file.get(), bytes); !written) {
        written.error().file = path.string();
        return written;
    }
    if (sync && ::fdatasync(file.get()) != 0) {
        return systemFailure(path, "cannot append to the file", errno);
    }
    return {};
}

Result<std::vector<fs::path>> listDirectory(const fs::path& path)
{
    SPARSERL_TRY(Descriptor folder, openFile(path, O_RDONLY | O_DIRECTORY, "list the folder"));
    DIR* list = ::fdopendir(folder.get());
    if (list == nullptr) {
        return systemFailure(path, "cannot list the folder", errno);
    }
    folder.release();
    std::vector<fs::path> out;
    int error = 0;
    for (;;) {
        errno = 0;
        const dirent* entry = ::readdir(list);
        if (entry == nullptr) {
            error = errno;
            break;
        }
        if (const std::string_view name = entry->d_name; name != "." && name != "..") {
            out.push_back(path / name);
        }
    }
    ::closedir(list);
    if (error != 0) {
        return systemFailure(path, "cannot list the folder", error);
    }
    std::sort(out.begin(), out.end());
    return out;
}

std::vector<fs::path> entriesOf(const fs::path& path)
{
    return listDirectory(path).value_or(std::vector<fs::path>());
}

Result<std::vector<fs::path>> listTree(const fs::path& path)
{
    std::vector<fs::path> files, folders = {path};
    std::set<fs::path> seen; // A link may lead to a folder above it.
    while (!folders.empty()) {
        const fs::path folder = std::move(folders.back());
        folders.pop_back();
        std::error_code code;
        const fs::path real = fs::canonical(folder, code);
        if (!code && !seen.insert(real).second)
            continue;
        SPARSERL_TRY(auto entries, listDirectory(folder));
        for (fs::path& entry : entries) {
            SPARSERL_TRY(const auto look, lookAt(entry));
            if (look.folder)
                folders.push_back(std::move(entry));
            else if (look.regular)
                files.push_back(std::move(entry));
        }
    }
    std::sort(files.begin(), files.end());
    return files;
}

namespace {

/// Removes folders `prefix`-XXXXXX of this user below `base` that no process holds. One that is empty may be
/// about to be locked; in one that is not, something may be on its way out.
void removeAbandoned(const fs::path& base, const std::string& prefix)
{
    constexpr std::int64_t graceOfEmpty = 3600, grace = 60;
    const std::size_t length = prefix.size() + std::string_view("-XXXXXX").size();
    std::error_code code;
    std::vector<fs::path> candidates;
    for (fs::directory_iterator it(base, code), end; !code && it != end; it.increment(code)) {
        const std::string name = it->path().filename().string();
        if (name.size() == length && name.starts_with(prefix + "-"))
            candidates.push_back(it->path());
    }
    for (const fs::path& path : candidates) {
        const Descriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
        struct stat info
        {
        };
        const std::int64_t least = fs::is_empty(path, code) || code ? graceOfEmpty : grace;
        if (folder.get() < 0 || ::fstat(folder.get(), &info) != 0 || info.st_uid != ::geteuid() ||
            (info.st_mode & 0777) != 0700 || info.st_mtime > ::time(nullptr) - least ||
            ::flock(folder.get(), LOCK_EX | LOCK_NB) != 0)
            continue;
        removeTree(path, code);
    }
}

} // namespace

Result<TempDir> TempDir::create(std::string_view prefix, const fs::path& parent)
{
    const char* variable = std::getenv("TMPDIR");
    const fs::path base = !parent.empty() ? parent : fs::path(variable && *variable ? variable : "/tmp");
    if (const auto code = checkPlace(base / "x")) {
        return systemFailure(base, "cannot make a temporary folder here", code.value());
    }
    if (parent.empty())
        removeAbandoned(base, std::string(prefix));
    std::string pattern = (base / (std::string(prefix) + "-XXXXXX")).string();
    if (!::mkdtemp(pattern.data())) {
        return systemFailure(base, "cannot make a temporary folder here", errno);
    }
    TempDir out;
    out.m_path = pattern;
    out.m_lock = ::open(pattern.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (out.m_lock >= 0)
        ::flock(out.m_lock, LOCK_SH | LOCK_NB);
    return out;
}

TempDir::~TempDir()
{
    if (!m_path.empty()) {
        std::error_code ignored;
        removeTree(m_path, ignored);
    }
    if (m_lock >= 0)
        ::close(m_lock);
}

TempDir::TempDir(TempDir&& other) noexcept
    : m_path(std::move(other.m_path))
    , m_lock(std::exchange(other.m_lock, -1))
{
    other.m_path.clear();
}

TempDir& TempDir::operator=(TempDir&& other) noexcept
{
    std::swap(m_path, other.m_path);
    std::swap(m_lock, other.m_lock);
    return *this;
}

fs::path TempDir::release()
{
    return std::exchange(m_path, fs::path());
}

} // namespace sparserl

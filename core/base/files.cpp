// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"

#include "base/subprocess.h"
#include "base/system_remedy.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

tl::unexpected<Error> systemFailure(const fs::path& path, const std::string& what, int error)
{
    return failAt(path.string(), 0, what + ": " + std::strerror(error), systemRemedy(error));
}

/// Opening a named pipe would wait for a writer that may never come. What /dev and /proc offer (/dev/stdin,
/// the shell's <(...)) is there already.
bool mayBePipe(const fs::path& path)
{
    const std::string text = path.string();
    return text.starts_with("/dev/") || text.starts_with("/proc/");
}

int openForReading(const fs::path& path)
{
    return ::open(path.c_str(), O_RDONLY | O_CLOEXEC | (mayBePipe(path) ? 0 : O_NONBLOCK));
}

/// A file descriptor that closes itself.
class Descriptor
{
public:
    explicit Descriptor(int fd)
        : m_fd(fd)
    {
    }
    ~Descriptor()
    {
        if (m_fd >= 0) {
            ::close(m_fd);
        }
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    int get() const { return m_fd; }

private:
    int m_fd;
};

} // namespace

Result<std::string> readFile(const fs::path& path, std::uint64_t limit)
{
    const Descriptor file(openForReading(path));
    struct stat info
    {
    };
    if (file.get() < 0 || ::fstat(file.get(), &info) != 0) {
        return systemFailure(path, "cannot read the file", errno);
    }
    if (S_ISDIR(info.st_mode)) {
        return failAt(path.string(), 0, "this is a folder, not a file");
    }
    if (S_ISFIFO(info.st_mode) && !mayBePipe(path)) {
        return failAt(path.string(), 0, "this is a named pipe, not a file",
                      "Write its contents to a file first");
    }
    std::string out;
    out.resize(
        static_cast<std::size_t>(std::min<std::uint64_t>(static_cast<std::uint64_t>(info.st_size), limit)) +
        1);
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
            return failAt(path.string(), 0, fmt::format("the file is larger than {} bytes", limit));
        }
    }
    out.resize(used);
    return out;
}

Status makeDirectories(const fs::path& path)
{
    std::error_code error;
    fs::create_directories(path, error);
    if (error) {
        return systemFailure(path, "cannot make the folder", error.value());
    }
    return {};
}

Status syncDirectory(const fs::path& path)
{
    const Descriptor folder(::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.get() < 0) {
        return systemFailure(path, "cannot open the folder", errno);
    }
    // Some network file systems refuse fsync on folders; the rename itself has happened.
    if (::fsync(folder.get()) != 0 && errno != EINVAL && errno != ENOTSUP) {
        return systemFailure(path, "cannot write the folder to disk", errno);
    }
    return {};
}

Status writeFileAtomic(const fs::path& path, std::string_view bytes)
{
    static std::atomic<unsigned> counter{0}; // Names only: two threads may write the same file at once.
    if (path.has_parent_path()) {
        SPARSERL_CHECK(makeDirectories(path.parent_path()));
    }
    const fs::path temporary = fmt::format("{}.tmp-{}-{}", path.string(), ::getpid(), counter++);
    {
        const Descriptor file(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
        if (file.get() < 0) {
            return systemFailure(path, "cannot write the file", errno);
        }
        auto written = writeAll(file.get(), bytes);
        int error = 0;
        if (written && ::fsync(file.get()) != 0) {
            error = errno;
        }
        if (!written || error != 0) {
            ::unlink(temporary.c_str());
            if (!written) {
                written.error().file = path.string();
                return written;
            }
            return systemFailure(path, "cannot write the file", error);
        }
    }
    if (::rename(temporary.c_str(), path.c_str()) != 0) {
        const int error = errno;
        ::unlink(temporary.c_str());
        return systemFailure(path, "cannot write the file", error);
    }
    return syncDirectory(path.parent_path());
}

Status appendFile(const fs::path& path, std::string_view bytes, bool sync)
{
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    if (file.get() < 0) {
        return systemFailure(path, "cannot append to the file", errno);
    }
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
    std::error_code error;
    std::vector<fs::path> out;
    for (auto it = fs::directory_iterator(path, error); !error && it != fs::directory_iterator();
         it.increment(error)) {
        out.push_back(it->path());
    }
    if (error) {
        return systemFailure(path, "cannot list the folder", error.value());
    }
    std::sort(out.begin(), out.end());
    return out;
}

Result<TempDir> TempDir::create(std::string_view prefix, const fs::path& parent)
{
    const char* variable = std::getenv("TMPDIR");
    const fs::path base = !parent.empty() ? parent : fs::path(variable && *variable ? variable : "/tmp");
    std::string pattern = (base / (std::string(prefix) + "-XXXXXX")).string();
    if (!::mkdtemp(pattern.data())) {
        return systemFailure(base, "cannot make a temporary folder here", errno);
    }
    TempDir out;
    out.m_path = pattern;
    return out;
}

TempDir::~TempDir()
{
    if (!m_path.empty()) {
        std::error_code ignored;
        fs::remove_all(m_path, ignored);
    }
}

TempDir::TempDir(TempDir&& other) noexcept
    : m_path(std::move(other.m_path))
{
    other.m_path.clear();
}

TempDir& TempDir::operator=(TempDir&& other) noexcept
{
    std::swap(m_path, other.m_path);
    return *this;
}

fs::path TempDir::release()
{
    return std::exchange(m_path, fs::path());
}

Result<MappedFile> MappedFile::open(const fs::path& path)
{
    const Descriptor file(openForReading(path));
    struct stat info
    {
    };
    if (file.get() < 0 || ::fstat(file.get(), &info) != 0) {
        return systemFailure(path, "cannot read the file", errno);
    }
    if (!S_ISREG(info.st_mode)) {
        return failAt(path.string(), 0,
                      S_ISDIR(info.st_mode) ? "this is a folder, not a file" : "this is not a regular file");
    }
    MappedFile out;
    out.m_size = static_cast<std::size_t>(info.st_size);
    if (out.m_size > 0) {
        void* data = ::mmap(nullptr, out.m_size, PROT_READ, MAP_PRIVATE, file.get(), 0);
        if (data == MAP_FAILED) {
            out.m_size = 0;
            return systemFailure(path, "cannot map the file", errno);
        }
        out.m_data = data;
    }
    return out;
}

MappedFile::~MappedFile()
{
    if (m_data) {
        ::munmap(m_data, m_size);
    }
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : m_data(std::exchange(other.m_data, nullptr))
    , m_size(std::exchange(other.m_size, 0))
{
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept
{
    std::swap(m_data, other.m_data);
    std::swap(m_size, other.m_size);
    return *this;
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "runner/own_root.h"

#include "runner/sandbox_parts.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/capability.h>
#include <linux/mount.h>
#include <map>
#include <sched.h>
#include <set>
#include <string>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

bool writeProc(const char* path, const std::string& text)
{
    const int file = ::open(path, O_WRONLY | O_CLOEXEC);
    const bool done =
        file >= 0 && ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
    if (file >= 0)
        ::close(file);
    return done;
}

/// In a new user name space: who we are, and nobody else.
bool mapOwnUser(uid_t user, gid_t group)
{
    return writeProc("/proc/self/setgroups", "deny") &&
           writeProc("/proc/self/uid_map", fmt::format("{0} {0} 1", user)) &&
           writeProc("/proc/self/gid_map", fmt::format("{0} {0} 1", group));
}

/// Everything below a place becomes read-only and loses its set-user-id programs.
bool makeReadOnly(const fs::path& place)
{
    mount_attr wanted{};
    wanted.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID;
    constexpr unsigned recursive = 0x8000; // AT_RECURSIVE
    return ::syscall(SYS_mount_setattr, AT_FDCWD, place.c_str(), recursive, &wanted, sizeof wanted) == 0 ||
           ::mount(nullptr, place.c_str(), nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID, nullptr) ==
               0;
}

/// Builds the new root in a folder of the old one, whose place nobody else sees changed.
class NewRoot
{
public:
    explicit NewRoot(fs::path place)
        : m_place(std::move(place))
    {
    }

    /// What the file systems show before the place is covered: sources may lie below it.
    void prepare(const fs::path& path)
    {
        std::error_code error;
        const fs::path absolute = fs::absolute(path, error).lexically_normal();
        if (!error)
            prepare(absolute, 0);
    }

    bool build(const std::vector<fs::path>& scratch)
    {
        if (::mount("none", m_place.c_str(), "tmpfs", MS_NOSUID, "mode=0755,size=1m") != 0)
            return false;
        for (const auto& [link, target] : m_links)
            if (makeFolders(link.parent_path()))
                (void)::symlink(target.c_str(), below(link).c_str());
        for (const Source& source : m_sources)
            bind(source);
        for (const fs::path& folder : scratch)
            if (makeFolders(folder))
                (void)::mount("none", below(folder).c_str(), "tmpfs", MS_NOSUID | MS_NODEV | MS_NOEXEC,
                              "mode=1777,size=64m");
        return makeRootOf(m_place);
    }

    ~NewRoot()
    {
        for (const Source& source : m_sources)
            ::close(source.descriptor);
    }
    NewRoot(const NewRoot&) = delete;
    NewRoot& operator=(const NewRoot&) = delete;

private:
    struct Source
    {
        fs::path path;
        int descriptor = -1;
        bool folder = false;
    };

    void prepare(const fs::path& path, int depth)
    {
        constexpr int mostLinks = 40;
        if (depth > mostLinks)
            return;
        fs::path walked = "/";
        std::error_code error;
        for (auto part = ++path.begin(); part != path.end(); ++part) {
            walked /= *part;
            if (!fs::is_symlink(walked, error))
                continue;
            const fs::path target = fs::read_symlink(walked, error);
            if (error)
                return;
            m_links.emplace(walked, target);
            fs::path rest = target.is_absolute() ? target : walked.parent_path() / target;
            for (++part; part != path.end(); ++part)
                rest /= *part;
            prepare(rest.lexically_normal(), depth + 1);
            return;
        }
        if (!m_seen.insert(path).second)
            return;
        const int descriptor = ::open(path.c_str(), O_PATH | O_CLOEXEC);
        if (descriptor >= 0)
            m_sources.push_back({path, descriptor, fs::is_directory(path, error)});
    }

    fs::path below(const fs::path& path) const { return m_place / path.relative_path(); }

    bool makeFolders(const fs::path& path) const
    {
        fs::path made = m_place;
        for (const auto& part : path.relative_path()) {
            made /= part;
            if (::mkdir(made.c_str(), 0755) != 0 && errno != EEXIST)
                return false;
        }
        return true;
    }

    void bind(const Source& source) const
    {
        const fs::path place = below(source.path);
        struct stat there
        {
        };
        struct stat wanted
        {
        };
        if (::stat(place.c_str(), &there) == 0 && ::fstat(source.descriptor, &wanted) == 0 &&
            there.st_dev == wanted.st_dev && there.st_ino == wanted.st_ino)
            return; // Its folder is visible already.
        if (!makeFolders(source.folder ? source.path : source.path.parent_path()))
            return;
        if (!source.folder) {
            const int file = ::open(place.c_str(), O_CREAT | O_RDONLY | O_CLOEXEC, 0600);
            if (file < 0)
                return;
            ::close(file);
        }
        const std::string from = "/proc/self/fd/" + std::to_string(source.descriptor);
        if (::mount(from.c_str(), place.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0)
            return;
        makeReadOnly(place); // Where even that fails, files still have the rights that they had.
    }

    static bool makeRootOf(const fs::path& place)
    {
        if (::chdir(place.c_str()) != 0 || ::syscall(SYS_pivot_root, ".", ".") != 0 ||
            ::umount2(".", MNT_DETACH) != 0 || ::chdir("/") != 0)
            return false;
        // What is made there besides would be memory of its own.
        (void)::mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY | MS_NOSUID, nullptr);
        return true;
    }

    fs::path m_place;
    std::set<fs::path> m_seen;
    std::map<fs::path, fs::path> m_links;
    std::vector<Source> m_sources;
};

void dropCapabilities()
{
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    const std::array<__user_cap_data_struct, 2> none{};
    ::syscall(SYS_capset, &header, none.data());
}

bool become(unsigned user)
{
    return ::setresgid(user, user, user) == 0 && ::setresuid(user, user, user) == 0;
}

} // namespace

bool leaveForOwnRoot(SandboxReport& report, const SandboxMeans& means)
{
    if (!means.nameSpaces) {
        report.missing.push_back("no namespaces of its own");
        return false;
    }
    const uid_t user = ::geteuid();
    const gid_t group = ::getegid();
    constexpr int spaces = CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC;
    if (::unshare(user == 0 ? spaces : spaces | CLONE_NEWUSER) != 0 ||
        ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
        report.missing.push_back(because("no namespaces of its own"));
        return false;
    }
    report.active.push_back("no network");
    if (user == 0)
        return true;
    report.apart = true;
    if (mapOwnUser(user, group))
        return true;
    report.missing.push_back(because("the user cannot be named in its namespace"));
    return false;
}

void enterOwnRoot(const std::vector<fs::path>& visible, const std::vector<fs::path>& scratch,
                  SandboxReport& report)
{
    struct stat folder
    {
    };
    for (const char* place : {"/tmp", "/run", "/mnt"}) {
        if (::stat(place, &folder) != 0 || !S_ISDIR(folder.st_mode))
            continue;
        NewRoot root(place);
        for (const auto& path : visible)
            root.prepare(path);
        if (root.build(scratch)) {
            report.active.push_back("own root");
            report.ownRoot = true;
        } else {
            report.missing.push_back(because("no root of its own"));
        }
        return;
    }
    report.missing.push_back("no root of its own: there is no folder /tmp");
}

void becomeNobody(SandboxReport& report)
{
    if (::geteuid() != 0) {
        dropCapabilities();
        return;
    }
    // One that no account has: others of the same number could look into its memory. Containers know some
    // 65,536 numbers only.
    constexpr unsigned firstUnused = 1'400'000'000, nobody = 65534;
    if (::syscall(SYS_setgroups, 0, nullptr) == 0 &&
        (become(firstUnused + static_cast<unsigned>(::getpid())) || become(nobody))) {
        report.active.push_back("no root");
        report.apart = true;
    } else {
        report.missing.push_back(because("root rights cannot be dropped"));
    }
}

} // namespace sparserl

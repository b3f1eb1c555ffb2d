// SPDX-License-Identifier: Apache-2.0
#include "runner/sandbox_parts.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <linux/landlock.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace sparserl {

namespace fs = std::filesystem;

static_assert(FileRules::read ==
              (LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR));
static_assert(FileRules::device == (LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE));
static_assert(FileRules::list == LANDLOCK_ACCESS_FS_READ_DIR);

std::string because(const std::string& what)
{
    return what + ": " + std::strerror(errno);
}

bool leaveNetwork(SandboxReport& report, const SandboxMeans& means)
{
    if (!means.nameSpaces) {
        errno = EPERM;
        return false;
    }
    const bool root = ::geteuid() == 0;
    if (!root && ::unshare(CLONE_NEWUSER) != 0)
        return false;
    report.apart = !root;
    if (::unshare(CLONE_NEWNET | CLONE_NEWIPC) == 0)
        report.active.push_back("no network");
    else
        report.missing.push_back(because("no namespace without network"));
    return true;
}

void dropRoot(SandboxReport& report)
{
    if (::geteuid() != 0)
        return;
    constexpr unsigned nobody = 65534;
    if (::syscall(SYS_setgroups, 0, nullptr) == 0 && ::setresgid(nobody, nobody, nobody) == 0 &&
        ::setresuid(nobody, nobody, nobody) == 0) {
        report.active.push_back("no root");
        report.apart = true;
    } else {
        report.missing.push_back(because("root rights cannot be dropped"));
    }
}

Status limitResource(__rlimit_resource resource, rlim_t soft, rlim_t hard)
{
    const rlimit value{soft, hard};
    if (::setrlimit(resource, &value) != 0)
        return fail(because("a resource limit cannot be set"));
    return {};
}

Status limitAddressSpace(rlim_t bytes)
{
    return SPARSERL_SANITIZED ? Status{} : limitResource(RLIMIT_AS, bytes, bytes);
}

std::optional<FileRules> FileRules::create(const SandboxMeans& means)
{
    if (!means.landlock)
        return std::nullopt;

    const long version = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (version < 1)
        return std::nullopt;
    // Version 1 knows 13 kinds of access (execute to make_sym); later ones add refer, truncate and ioctl_dev;
    // that one is a GPU driver's life, and without a device file to open it says nothing.
    unsigned kinds = 13;
    if (version >= 2)
        kinds = 14;
    if (version >= 3)
        kinds = 15;
    landlock_ruleset_attr attribute{};
    attribute.handled_access_fs = (1ull << kinds) - 1;
    const long ruleset =
        ::syscall(SYS_landlock_create_ruleset, &attribute, sizeof attribute.handled_access_fs, 0);
    if (ruleset < 0)
        return std::nullopt;
    return FileRules(static_cast<int>(ruleset));
}

FileRules::FileRules(FileRules&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1))
{
}

FileRules::~FileRules()
{
    if (m_descriptor >= 0)
        ::close(m_descriptor);
}

bool FileRules::allow(const fs::path& path, std::uint64_t access)
{
    const int fd = ::open(path.c_str(), O_PATH | O_CLOEXEC);
    if (fd < 0)
        return false;
    std::error_code error;
    if (!fs::is_directory(path, error))
        access &= ~static_cast<std::uint64_t>(LANDLOCK_ACCESS_FS_READ_DIR);
    landlock_path_beneath_attr rule{};
    rule.allowed_access = access;
    rule.parent_fd = fd;
    const bool done =
        ::syscall(SYS_landlock_add_rule, m_descriptor, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
    ::close(fd);
    return done;
}

void FileRules::enforce(SandboxReport& report)
{
    report.landlock = ::syscall(SYS_landlock_restrict_self, m_descriptor, 0) == 0;
    if (report.landlock)
        report.active.push_back("landlock");
    else
        report.missing.push_back(because("Landlock cannot be used"));
}

SandboxLevel SandboxReport::level() const
{
    if (!callsFiltered)
        return SandboxLevel::None;
    if (lacks().empty())
        return SandboxLevel::Full;
    return opensNothing || landlock || (ownRoot && apart) ? SandboxLevel::Files : SandboxLevel::Calls;
}

std::vector<std::string> SandboxReport::lacks() const
{
    std::vector<std::string> words;
    const auto need = [&words](bool there, const char* lack) {
        if (!there)
            words.emplace_back(lack);
    };
    need(callsFiltered, "calls are not filtered");
    need(!callsFiltered || neededCallsOnly, "more calls than needed");
    need(landlock, "no Landlock");
    need(ownRoot, "no root of its own");
    need(apart, "rights of its user");
    return words;
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "runner/sandbox.h"

#include "base/format.h"
#include "runner/sandbox_parts.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if SPARSERL_SANITIZED
/// Looking for leaks takes ptrace, which the lock forbids; tests run the same code in processes without a
/// lock.
extern "C" int __lsan_is_turned_off()
{
    return 1;
}
#endif

/// The C library's getcwd fails behind the lock, where the current folder has no name any more, and NVRTC
/// then reads past the end of a buffer that nobody filled. For whatever is loaded into this process such a
/// folder is called "".
extern "C" char* getcwd(char* buffer, std::size_t size) noexcept
{
    std::array<char, PATH_MAX> name{};
    if (::syscall(SYS_getcwd, name.data(), name.size()) < 0 || name[0] != '/')
        name[0] = '\0';
    const std::size_t length = std::strlen(name.data()) + 1;
    if (!buffer)
        buffer = static_cast<char*>(std::malloc(size = std::max(size, length)));
    if (!buffer || size < length) {
        errno = buffer ? ERANGE : ENOMEM;
        return nullptr;
    }
    return static_cast<char*>(std::memcpy(buffer, name.data(), length));
}

namespace sparserl {

namespace {

/// Nothing but those two stays open; 0, 1 and 2 lead nowhere, so that no library can write to the user's
/// terminal. Sanitizers report on 2.
void closeFiles(int one, int other)
{
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; fd < (SPARSERL_SANITIZED ? 2 : 3); ++fd)
        if (null >= 0 && fd != one && fd != other)
            ::dup2(null, fd);
    unsigned first = 3;
    for (const int kept : {std::min(one, other), std::max(one, other)}) {
        const auto number = static_cast<unsigned>(std::max(kept, 0));
        if (number > first)
            ::close_range(first, number - 1, 0);
        first = std::max(first, number + 1);
    }
    ::close_range(first, ~0u, 0);
}

/// No file can be opened any more.
void denyFiles(SandboxReport& report, const SandboxMeans& means)
{
    if (auto rules = FileRules::create(means))
        rules->enforce(report);
    else
        report.missing.push_back("this kernel has no Landlock");
}

/// Goes to an empty folder that has been removed already: nothing can be made in it, and nothing is left. Who
/// is killed in between leaves one of a known name, which the next one takes.
bool enterRemovedFolder(unsigned user)
{
    std::array<char, 48> folder{};
    std::snprintf(folder.data(), folder.size(), "/tmp/sparserl-root-%u", user);
    for (int attempt = 0; attempt < 16; ++attempt) {
        if (::mkdir(folder.data(), 0700) != 0 && errno != EEXIST)
            break;
        const int fd = ::open(folder.data(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        const bool removed = fd >= 0 && ::rmdir(folder.data()) == 0;
        const int why = errno;
        struct stat info = {};
        // Another runner may have been in between: whose folder was removed is what counts.
        const bool gone = fd >= 0 && ::fstat(fd, &info) == 0 && info.st_nlink == 0 && ::fchdir(fd) == 0;
        if (fd >= 0)
            ::close(fd);
        if (gone)
            return true;
        if (!removed && why != ENOENT)
            break; // somebody else's, or not empty
    }
    std::array<char, 48> other{"/tmp/sparserl-root-XXXXXX"};
    return ::mkdtemp(other.data()) && ::chdir(other.data()) == 0 && ::rmdir(other.data()) == 0;
}

/// New empty name spaces where the user may have them, and an empty folder as root.
void emptyRoot(SandboxReport& report, const SandboxMeans& means)
{
    const unsigned user = ::geteuid(); // the name space may have another number for it
    if (!leaveNetwork(report, means)) {
        report.missing.push_back(because("no empty root without a user namespace"));
        return;
    }
    if (enterRemovedFolder(user) && ::chroot(".") == 0) {
        report.active.push_back("empty root");
        report.ownRoot = true;
    } else {
        report.missing.push_back(because("the file system cannot be emptied"));
    }
}

std::uint64_t mappedBytes()
{
    // From /proc while it can still be read: libraries of NVRTC and nvJitLink make up most of it.
    std::uint64_t pages = 0;
    if (FILE* file = std::fopen("/proc/self/statm", "re")) {
        unsigned long long first = 0;
        if (std::fscanf(file, "%llu", &first) == 1)
            pages = first;
        std::fclose(file);
    }
    return pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

/// Verdicts must not depend on what whoever started the program may use: less than a runner needs is refused.
Status checkAddressSpace(rlim_t space)
{
    rlimit allowed{};
    if (::getrlimit(RLIMIT_AS, &allowed) != 0 || allowed.rlim_max == RLIM_INFINITY ||
        allowed.rlim_max >= space)
        return {};
    return fail(fmt::format("a runner needs {} of address space for its libraries and a program, but {} are "
                            "allowed (ulimit -v)",
                            formatBytes(static_cast<double>(space)),
                            formatBytes(static_cast<double>(allowed.rlim_max))),
                "Raise that limit or remove it with `ulimit -v unlimited`");
}

double cpuSecondsUsed()
{
    timespec now{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Status setLimits(const SandboxLimits& limits, std::uint64_t mapped)
{
    const rlim_t cpu = static_cast<rlim_t>(cpuSecondsUsed()) + 1 + limits.cpuSeconds;
    constexpr rlim_t stack = 256u << 20; // NVRTC raises its soft limit as far as it may.
    SPARSERL_CHECK(limitResource(RLIMIT_CORE, 0, 0));
    SPARSERL_CHECK(limitResource(RLIMIT_CPU, cpu, cpu));
    SPARSERL_CHECK(limitResource(RLIMIT_FSIZE, 0, 0));
    rlimit old{};
    ::getrlimit(RLIMIT_STACK, &old);
    const rlim_t hard = old.rlim_max == RLIM_INFINITY || old.rlim_max > stack ? stack : old.rlim_max;
    SPARSERL_CHECK(limitResource(RLIMIT_STACK, old.rlim_cur < hard ? old.rlim_cur : hard, hard));
    const rlim_t space = mapped + limits.addressSpaceBytes;
    SPARSERL_CHECK(checkAddressSpace(space));
    return limitAddressSpace(space);
}

} // namespace

Result<SandboxReport> lockDown(const SandboxLimits& limits, const SandboxMeans& means)
{
    SandboxReport report;
    const std::uint64_t mapped = mappedBytes();
    closeFiles(limits.keepDescriptor, limits.keepAlso);
    ::prctl(PR_SET_DUMPABLE, 0);
    emptyRoot(report, means);
    dropRoot(report);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // the kernel forgets it where rights change
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return fail(because("this kernel cannot forbid new privileges"));
    denyFiles(report, means);
    SPARSERL_CHECK(setLimits(limits, mapped));
    SPARSERL_TRY(report.listener, filterCalls(LockedRole::Work, CallList::Needed, means.refusal));
    report.active.push_back("seccomp");
    report.callsFiltered = report.neededCallsOnly = report.opensNothing = true;
    return report;
}

void allowCpuSeconds(std::uint64_t seconds)
{
    rlimit value{};
    if (::getrlimit(RLIMIT_CPU, &value) != 0)
        return;
    const rlim_t wanted = static_cast<rlim_t>(cpuSecondsUsed()) + 1 + seconds;
    value.rlim_cur = wanted < value.rlim_max ? wanted : value.rlim_max;
    ::setrlimit(RLIMIT_CPU, &value);
}

} // namespace sparserl

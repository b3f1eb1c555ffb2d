// SPDX-License-Identifier: Apache-2.0
#include "runner/tool_sandbox.h"

#include "runner/own_root.h"
#include "runner/sandbox_parts.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sparserl {

namespace {

constexpr std::size_t largestInput = 64u << 20;

/// Files that the loader of programs and the tool read.
constexpr std::array<const char*, 5> libraryPlaces{"/lib", "/lib64", "/usr/lib", "/usr/lib64",
                                                   "/etc/ld.so.cache"};

void allowReading(SandboxReport& report, const std::filesystem::path& tool, const SandboxMeans& means)
{
    auto rules = FileRules::create(means);
    if (!rules) {
        report.missing.push_back(report.ownRoot
                                     ? "this kernel has no Landlock"
                                     : "this kernel has no Landlock: the tool can read what its user can");
        return;
    }
    for (const char* place : libraryPlaces)
        rules->allow(place, FileRules::read);
    rules->allow(tool, FileRules::read);
    rules->enforce(report);
}

/// What is on standard input as a file in memory, at its beginning; -1 where that fails.
int inputAsFile()
{
    const int file = static_cast<int>(::syscall(SYS_memfd_create, "cubin", MFD_CLOEXEC));
    std::array<char, 65536> buffer{};
    std::size_t all = 0;
    while (file >= 0) {
        const ssize_t got = ::read(0, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0)
            break;
        all += got > 0 ? static_cast<std::size_t>(got) : 0;
        if (got < 0 || all > largestInput ||
            ::write(file, buffer.data(), static_cast<std::size_t>(got)) != got)
            return -1;
    }
    return file >= 0 && ::lseek(file, 0, SEEK_SET) == 0 ? file : -1;
}

int refuse(const std::string& sentence)
{
    std::fprintf(stderr, "%s\n", sentence.c_str());
    constexpr int couldNotBegin = 3;
    return couldNotBegin;
}

} // namespace

Result<SandboxReport> lockDownForTool(const std::filesystem::path& tool, const SandboxMeans& means)
{
    SandboxReport report;
    constexpr rlim_t memory = 1u << 30, cpuSeconds = 10, descriptors = 16;
    std::vector<std::filesystem::path> visible(libraryPlaces.begin(), libraryPlaces.end());
    visible.insert(visible.end(), {tool, "/proc"});
    if (leaveForOwnRoot(report, means))
        enterOwnRoot(visible, {}, report);
    becomeNobody(report);
    ::prctl(PR_SET_DUMPABLE, 0);        // Until the tool begins, which has nothing of the user's.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // the kernel forgets it where rights change
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return fail(because("this kernel cannot forbid new privileges"));
    allowReading(report, tool, means);
    SPARSERL_CHECK(limitResource(RLIMIT_CORE, 0, 0));
    SPARSERL_CHECK(limitResource(RLIMIT_FSIZE, 0, 0));
    SPARSERL_CHECK(limitResource(RLIMIT_CPU, cpuSeconds, cpuSeconds));
    SPARSERL_CHECK(limitResource(RLIMIT_NOFILE, descriptors, descriptors));
    SPARSERL_CHECK(limitAddressSpace(memory));
    SPARSERL_TRY(report.listener, filterCalls(LockedRole::Tool, CallList::Needed, means.refusal));
    report.active.push_back("seccomp");
    report.callsFiltered = report.neededCallsOnly = true;
    return report;
}

int becomeDisassembler(const std::filesystem::path& tool)
{
    // Opened while that is still allowed: the rights of nobody may not reach its folder.
    const int program = ::open(tool.c_str(), O_PATH | O_CLOEXEC);
    if (program < 0)
        return refuse(because(tool.string() + " cannot be opened"));
    const int file = inputAsFile();
    if (file < 0 || ::dup2(file, 0) < 0)
        return refuse("what is to be disassembled cannot be taken over");
    ::close(file);
    std::string input = "/proc/self/fd/0", name = "nvdisasm", lines = "-g", code = "-c", encodings = "-hex";
    std::array<char*, 6> arguments{name.data(),      lines.data(), code.data(),
                                   encodings.data(), input.data(), nullptr};
    std::array<char*, 1> environment{nullptr};
    if (const auto locked = lockDownForTool(tool); !locked)
        return refuse(locked.error().sentence());
    ::syscall(SYS_execveat, program, "", arguments.data(), environment.data(), AT_EMPTY_PATH);
    return refuse(because("the disassembler cannot be started"));
}

} // namespace sparserl

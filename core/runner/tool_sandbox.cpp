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

void allowReading(SandboxReport& report, const ToolLock& lock, const SandboxMeans& means)
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
    rules->allow(lock.tool, FileRules::read);
    for (const auto& place : lock.visible)
        rules->allow(place, FileRules::read);
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

std::vector<char*> pointersTo(std::vector<std::string>& words)
{
    std::vector<char*> pointers;
    pointers.reserve(words.size() + 1);
    for (std::string& word : words)
        pointers.push_back(word.data());
    pointers.push_back(nullptr);
    return pointers;
}

int becomeTool(const ToolLock& lock, const SandboxMeans& means, std::vector<std::string> arguments,
               std::vector<std::string> environment, SandboxLevel least)
{
    // Opened while that is still allowed: the rights of nobody may not reach its folder.
    const int program = ::open(lock.tool.c_str(), O_PATH | O_CLOEXEC);
    if (program < 0)
        return refuse(because(lock.tool.string() + " cannot be opened"));
    const int file = inputAsFile();
    if (file < 0 || ::dup2(file, 0) < 0)
        return refuse("what the tool is to read cannot be taken over");
    ::close(file);
    const auto words = pointersTo(arguments), variables = pointersTo(environment);
    const auto locked = lockDownForTool(lock, means);
    if (!locked)
        return refuse(locked.error().sentence());
    if (locked->level() < least)
        return refuse(
            "this machine has neither Landlock nor name spaces: the user's files would be within reach");
    ::syscall(SYS_execveat, program, "", words.data(), variables.data(), AT_EMPTY_PATH);
    return refuse(because("the tool cannot be started"));
}

} // namespace

Result<SandboxReport> lockDownForTool(const ToolLock& lock, const SandboxMeans& means)
{
    SandboxReport report;
    std::vector<std::filesystem::path> visible(libraryPlaces.begin(), libraryPlaces.end());
    visible.insert(visible.end(), lock.visible.begin(), lock.visible.end());
    visible.insert(visible.end(), {lock.tool, "/proc"});
    if (leaveForOwnRoot(report, means))
        enterOwnRoot(visible, {}, report);
    becomeNobody(report);
    ::prctl(PR_SET_DUMPABLE, 0);        // Until the tool begins, which has nothing of the user's.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // the kernel forgets it where rights change
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return fail(because("this kernel cannot forbid new privileges"));
    allowReading(report, lock, means);
    SPARSERL_CHECK(limitResource(RLIMIT_CORE, 0, 0));
    SPARSERL_CHECK(limitResource(RLIMIT_FSIZE, 0, 0));
    SPARSERL_CHECK(limitResource(RLIMIT_CPU, lock.cpuSeconds, lock.cpuSeconds));
    SPARSERL_CHECK(limitResource(RLIMIT_NOFILE, lock.descriptors, lock.descriptors));
    SPARSERL_CHECK(limitAddressSpace(lock.memoryBytes));
    SPARSERL_TRY(report.listener, filterCalls(lock.role, CallList::Needed, means.refusal));
    report.active.push_back("seccomp");
    report.callsFiltered = report.neededCallsOnly = true;
    return report;
}

int becomeDisassembler(const std::filesystem::path& tool)
{
    return becomeTool(ToolLock{tool}, {}, {"nvdisasm", "-g", "-c", "-hex", "/proc/self/fd/0"}, {},
                      SandboxLevel::Calls);
}

int becomePython(const ToolLock& lock, const SandboxMeans& means)
{
    // Isolated: no folder of the user's, no variables; nothing compiled is stored; the script is on standard
    // input.
    return becomeTool(lock, means, {lock.tool.string(), "-I", "-B", "-"},
                      {"LC_ALL=C.UTF-8", "OMP_NUM_THREADS=1", "MKL_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1"},
                      SandboxLevel::Files);
}

} // namespace sparserl

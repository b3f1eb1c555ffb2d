// SPDX-License-Identifier: Apache-2.0
#include "runner/tool_sandbox.h"

#include "runner/sandbox_parts.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <seccomp.h>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sparserl {

namespace {

constexpr std::size_t largestInput = 64u << 20;

/// Files that the loader of programs and the tool read.
void allowReading(SandboxReport& report, const std::filesystem::path& tool)
{
    auto rules = FileRules::create();
    if (!rules) {
        report.missing.push_back("this kernel has no Landlock: the tool can read what its user can");
        return;
    }
    for (const char* place : {"/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"})
        rules->allow(place, FileRules::read);
    rules->allow(tool, FileRules::read);
    if (rules->enforce())
        report.active.push_back("landlock");
    else
        report.missing.push_back(because("Landlock cannot be used"));
}

/// An allow-list; anything else fails with EACCES.
Status filterCalls()
{
    scmp_filter_ctx filter = ::seccomp_init(SCMP_ACT_ERRNO(EACCES));
    bool good = filter != nullptr;
    const auto allowIf = [&](int call, scmp_arg_cmp condition) {
        good = good && ::seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 1, condition) == 0;
    };
    for (const int call : {SCMP_SYS(execveat),
                           SCMP_SYS(read),
                           SCMP_SYS(pread64),
                           SCMP_SYS(write),
                           SCMP_SYS(writev),
                           SCMP_SYS(close),
                           SCMP_SYS(lseek),
                           SCMP_SYS(fstat),
                           SCMP_SYS(newfstatat),
                           SCMP_SYS(access),
                           SCMP_SYS(readlink),
                           SCMP_SYS(mmap),
                           SCMP_SYS(mprotect),
                           SCMP_SYS(munmap),
                           SCMP_SYS(mremap),
                           SCMP_SYS(madvise),
                           SCMP_SYS(brk),
                           SCMP_SYS(arch_prctl),
                           SCMP_SYS(set_tid_address),
                           SCMP_SYS(set_robust_list),
                           SCMP_SYS(rseq),
                           SCMP_SYS(getrandom),
                           SCMP_SYS(futex),
                           SCMP_SYS(clock_gettime),
                           SCMP_SYS(getpid),
                           SCMP_SYS(gettid),
                           SCMP_SYS(rt_sigaction),
                           SCMP_SYS(rt_sigprocmask),
                           SCMP_SYS(rt_sigreturn),
                           SCMP_SYS(exit),
                           SCMP_SYS(exit_group),
                           SCMP_SYS(sched_yield),
                           SCMP_SYS(sched_get_priority_max),
                           SCMP_SYS(sched_get_priority_min)})
        good = good && ::seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0) == 0;
    // For reading only, even where there is no Landlock: nothing that can be written, made or emptied.
    constexpr scmp_datum_t changing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
    allowIf(SCMP_SYS(openat), SCMP_A2(SCMP_CMP_MASKED_EQ, changing, 0));
    allowIf(SCMP_SYS(prlimit64), SCMP_A2(SCMP_CMP_EQ, 0));                                  // to ask
    allowIf(SCMP_SYS(tgkill), SCMP_A0(SCMP_CMP_EQ, static_cast<scmp_datum_t>(::getpid()))); // abort()
    good = good && ::seccomp_load(filter) == 0;
    if (filter)
        ::seccomp_release(filter);
    if (!good)
        return fail("seccomp cannot be used on this machine",
                    "run on a kernel with seccomp: what generated code became is never read without it");
    return {};
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

Result<SandboxReport> lockDownForTool(const std::filesystem::path& tool)
{
    SandboxReport report;
    constexpr rlim_t memory = 1u << 30, cpuSeconds = 10, descriptors = 16;
    if (!leaveNetwork(report))
        report.missing.push_back(because("no user name space"));
    dropRoot(report);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // the kernel forgets it where rights change
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return fail(because("this kernel cannot forbid new privileges"));
    allowReading(report, tool);
    SPARSERL_CHECK(limitResource(RLIMIT_CORE, 0, 0));
    SPARSERL_CHECK(limitResource(RLIMIT_FSIZE, 0, 0));
    SPARSERL_CHECK(limitResource(RLIMIT_CPU, cpuSeconds, cpuSeconds));
    SPARSERL_CHECK(limitResource(RLIMIT_NOFILE, descriptors, descriptors));
    SPARSERL_CHECK(limitAddressSpace(memory));
    SPARSERL_CHECK(filterCalls());
    report.active.push_back("seccomp");
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

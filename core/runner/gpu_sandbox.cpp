// SPDX-License-Identifier: Apache-2.0
#include "runner/gpu_sandbox.h"

#include "runner/sandbox_parts.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sched.h>
#include <seccomp.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

/// Folders that libraries are loaded from, by the environment and by what is mapped already.
std::vector<fs::path> libraryFolders()
{
    std::vector<fs::path> folders;
    for (const char* name : {"LD_LIBRARY_PATH", "SPARSERL_CUDA_DIR"})
        if (const char* value = std::getenv(name)) {
            std::string_view rest = value;
            while (!rest.empty()) {
                const auto end = std::min(rest.find(':'), rest.size());
                if (end > 0)
                    folders.emplace_back(std::string(rest.substr(0, end)));
                rest.remove_prefix(std::min(end + 1, rest.size()));
            }
        }
    if (FILE* maps = std::fopen("/proc/self/maps", "re")) {
        char line[4608];
        while (std::fgets(line, sizeof line, maps)) {
            const std::string_view text = line;
            const auto slash = text.find('/');
            const auto library = text.find(".so");
            if (slash == std::string_view::npos || library == std::string_view::npos || library < slash)
                continue;
            const fs::path folder =
                fs::path(std::string(text.substr(slash, text.find_last_not_of("\n ") + 1 - slash)))
                    .parent_path();
            if (folders.empty() || folders.back() != folder)
                folders.push_back(folder);
        }
        std::fclose(maps);
    }
    return folders;
}

void limitFiles(SandboxReport& report)
{
    auto rules = FileRules::create();
    if (!rules) {
        report.missing.push_back("this kernel has no Landlock: the cuda runner can write what its user can");
        return;
    }
    for (const char* folder :
         {"/usr", "/lib", "/lib64", "/opt", "/proc", "/sys", "/dev", "/etc/ld.so.cache", "/etc/ld.so.conf",
          "/etc/ld.so.conf.d", "/etc/nvidia", "/run/nvidia-persistenced"})
        rules->allow(folder, FileRules::read);
    for (const auto& folder : libraryFolders())
        rules->allow(folder, FileRules::read);
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/dev", error))
        if (entry.path().filename().string().starts_with("nvidia") && !entry.is_directory(error))
            rules->allow(entry.path(), FileRules::device);
    rules->allow("/dev/nvidia-caps", FileRules::device | FileRules::list);
    rules->allow("/dev/null", FileRules::device);
    // The driver names its threads.
    rules->allow("/proc/self/task", FileRules::device | FileRules::list);
    if (rules->enforce())
        report.active.push_back("landlock");
    else
        report.missing.push_back(because("Landlock cannot be used by the cuda runner"));
}

/// Refused with EPERM, as if permission was missing; everything else is the driver's business.
Status denyCalls()
{
    scmp_filter_ctx filter = ::seccomp_init(SCMP_ACT_ALLOW);
    if (!filter)
        return fail("seccomp cannot be used on this machine",
                    "run on a kernel with seccomp: generated code is never run without it");
    // Also the threads that the driver has started already.
    bool good = ::seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1) == 0;
    for (const int call : {SCMP_SYS(execve),
                           SCMP_SYS(execveat),
                           SCMP_SYS(fork),
                           SCMP_SYS(vfork),
                           SCMP_SYS(ptrace),
                           SCMP_SYS(process_vm_readv),
                           SCMP_SYS(process_vm_writev),
                           SCMP_SYS(pidfd_open),
                           SCMP_SYS(pidfd_getfd),
                           SCMP_SYS(socket),
                           SCMP_SYS(connect),
                           SCMP_SYS(bind),
                           SCMP_SYS(listen),
                           SCMP_SYS(accept),
                           SCMP_SYS(accept4),
                           SCMP_SYS(mount),
                           SCMP_SYS(umount2),
                           SCMP_SYS(pivot_root),
                           SCMP_SYS(chroot),
                           SCMP_SYS(unshare),
                           SCMP_SYS(setns),
                           SCMP_SYS(bpf),
                           SCMP_SYS(keyctl),
                           SCMP_SYS(add_key),
                           SCMP_SYS(request_key),
                           SCMP_SYS(userfaultfd),
                           SCMP_SYS(io_uring_setup),
                           SCMP_SYS(init_module),
                           SCMP_SYS(finit_module),
                           SCMP_SYS(delete_module),
                           SCMP_SYS(kexec_load),
                           SCMP_SYS(reboot),
                           SCMP_SYS(swapon),
                           SCMP_SYS(swapoff),
                           SCMP_SYS(sethostname),
                           SCMP_SYS(setuid),
                           SCMP_SYS(setgid),
                           SCMP_SYS(setresuid),
                           SCMP_SYS(setresgid),
                           SCMP_SYS(unlink),
                           SCMP_SYS(unlinkat),
                           SCMP_SYS(rename),
                           SCMP_SYS(renameat),
                           SCMP_SYS(renameat2),
                           SCMP_SYS(mkdir),
                           SCMP_SYS(mkdirat),
                           SCMP_SYS(rmdir),
                           SCMP_SYS(link),
                           SCMP_SYS(linkat),
                           SCMP_SYS(symlink),
                           SCMP_SYS(symlinkat),
                           SCMP_SYS(mknod),
                           SCMP_SYS(mknodat),
                           SCMP_SYS(chmod),
                           SCMP_SYS(fchmod),
                           SCMP_SYS(fchmodat),
                           SCMP_SYS(chown),
                           SCMP_SYS(fchown),
                           SCMP_SYS(fchownat),
                           SCMP_SYS(lchown),
                           SCMP_SYS(truncate),
                           SCMP_SYS(setxattr),
                           SCMP_SYS(fsetxattr),
                           SCMP_SYS(settimeofday),
                           SCMP_SYS(clock_settime),
                           SCMP_SYS(adjtimex)})
        good = good && ::seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0) == 0;
    // Threads, but no processes. What clone3 is asked for lies in memory that a filter cannot read.
    good = good && ::seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0) == 0 &&
           ::seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone), 1,
                              SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0)) == 0;
    // abort() of a failed assertion reaches this process only.
    const auto self = static_cast<scmp_datum_t>(::getpid());
    for (const int call : {SCMP_SYS(kill), SCMP_SYS(tgkill)})
        good = good &&
               ::seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 1, SCMP_A0(SCMP_CMP_NE, self)) == 0;
    const bool loaded = good && ::seccomp_load(filter) == 0;
    ::seccomp_release(filter);
    if (!loaded)
        return fail("seccomp cannot be used on this machine",
                    "run on a kernel with seccomp: generated code is never run without it");
    return {};
}

} // namespace

Result<SandboxReport> lockDownGpu(int level, int keepDescriptor)
{
    (void)keepDescriptor; // The parent closed everything else; what is open now is the driver's.
    SandboxReport report;
    report.missing.push_back("the cuda runner has no limit of its address space and keeps its user's rights, "
                             "because the GPU's driver needs both; only gated, assembled programs reach it");
    ::prctl(PR_SET_DUMPABLE, 0);
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return fail(because("this kernel cannot forbid new privileges"));
    report.active.push_back("no new privileges");
    SPARSERL_CHECK(limitResource(RLIMIT_CORE, 0, 0));
    if (level >= 2) {
        limitFiles(report);
        std::signal(SIGXFSZ, SIG_IGN); // A write that would let a file grow fails with EFBIG instead.
        SPARSERL_CHECK(limitResource(RLIMIT_FSIZE, 0, 0));
        report.active.push_back("no file can grow");
    } else {
        report.missing.push_back("the cuda runner can write what its user can: the driver does not work "
                                 "under Landlock here");
    }
    if (level >= 1) {
        SPARSERL_CHECK(denyCalls());
        report.active.push_back("seccomp deny-list");
    } else {
        report.missing.push_back("the cuda runner's system calls are not filtered: the driver does not work "
                                 "under the filter here");
    }
    return report;
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "runner/call_rules.h"

#include <cstdlib>
#include <fcntl.h>
#include <linux/prctl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>

namespace sparserl {

namespace {

constexpr unsigned work = 1u << static_cast<unsigned>(LockedRole::Work);
constexpr unsigned tool = 1u << static_cast<unsigned>(LockedRole::Tool);
constexpr unsigned gpu = 1u << static_cast<unsigned>(LockedRole::Gpu);
constexpr unsigned script = 1u << static_cast<unsigned>(LockedRole::Script);
constexpr unsigned all = work | tool | gpu | script;

constexpr CallCondition always{};
constexpr CallCondition equal(unsigned argument, std::uint64_t value)
{
    return {argument, wholeArgument, value};
}
constexpr CallCondition without(unsigned argument, std::uint64_t bits)
{
    return {argument, bits, 0};
}

/// The kernel looks at the lower 32 bits of these arguments only.
constexpr std::uint64_t kindOfIoctl = 0xff00, nvidiaKind = 'F' << 8, uvmNumbers = 0xfffffe00;
/// Nothing that is made, emptied or appended to.
constexpr std::uint64_t making = O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY);
constexpr std::uint64_t changing = O_ACCMODE | making;
constexpr std::uint64_t newSpaces = CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |
                                    CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_PTRACE | CLONE_PARENT;

constexpr std::string_view ownMemory = "own memory";
constexpr std::string_view ownThreads = "threads wait for each other";
constexpr std::string_view ownSignals = "own signals";
constexpr std::string_view clocks = "clocks";
constexpr std::string_view ownFiles = "open descriptors";
constexpr std::string_view looks = "metadata of files, not their contents";
constexpr std::string_view asks = "information about this process or machine";
constexpr std::string_view seldom =
    "occasionally used by drivers and their libraries; affects only this process";

constexpr CallRule rules[] = {
    {"read", all, always, ownFiles},
    {"write", all, always, ownFiles},
    {"readv", work | gpu, always, ownFiles},
    {"writev", all, always, ownFiles},
    {"pread64", tool | gpu | script, always, ownFiles},
    {"close", all, always, ownFiles},
    {"lseek", all, always, ownFiles},
    {"fstat", all, always, ownFiles},
    {"recvmsg", work | gpu, always, "jobs; only over the open socket, since none can be created"},
    {"sendmsg", work | gpu, always, "answers; only over the open socket"},
    {"poll", work | gpu | script, always, "waits for a job"},
    {"ppoll", work | gpu, always, "waits for a job"},
    {"fcntl", work | gpu, equal(1, F_GET_SEALS), "whether shared memory is sealed"},
    {"fcntl", work | gpu | script, equal(1, F_GETFL), ownFiles},
    {"fcntl", gpu, equal(1, F_SETFL), "blocking or not; no signals to others (F_SETOWN)"},
    {"fcntl", gpu | script, equal(1, F_GETFD), ownFiles},
    {"fcntl", gpu | script, equal(1, F_SETFD), "the driver closes its files at exec"},
    {"fcntl", gpu | script, equal(1, F_DUPFD_CLOEXEC), ownFiles},
    {"fcntl", gpu, equal(1, F_DUPFD), ownFiles},

    {"mmap", work, without(2, PROT_EXEC), "memory that cannot be executed"},
    {"mmap", tool | gpu | script, always, "memory, open files, libraries"},
    {"mprotect", work, without(2, PROT_EXEC), "memory that cannot be executed"},
    {"mprotect", tool | gpu | script, always, "own memory, libraries"},
    {"munmap", all, always, ownMemory},
    {"mremap", all, always, ownMemory},
    {"brk", all, always, ownMemory},
    {"madvise", all, always, ownMemory},
    {"mlock", gpu, always, "own memory that the GPU reads; RLIMIT_MEMLOCK bounds it"},
    {"mlock2", gpu, always, "own memory that the GPU reads; RLIMIT_MEMLOCK bounds it"},
    {"munlock", gpu, always, ownMemory},
    {"mincore", gpu, always, ownMemory},
    {"msync", gpu, always, ownMemory},
    {"get_mempolicy", gpu, always, "placement of own memory; drivers ask for it"},
    {"set_mempolicy", gpu, always, "placement of own memory"},
    {"mbind", gpu, always, "placement of own memory"},
    {"membarrier", gpu, always, ownThreads},

    {"futex", all, always, ownThreads},
    {"sched_yield", all, always, ownThreads},
    {"clone",
     gpu | script,
     {0, CLONE_THREAD | newSpaces, CLONE_THREAD},
     "threads; no processes, no namespaces"},
    {"set_robust_list", tool | gpu | script, always, "needed while a thread starts"},
    {"rseq", tool | gpu | script, always, "needed while a thread starts"},
    {"set_tid_address", tool | script, always, "needed while a program starts"},
    {"arch_prctl", tool | script, always, "needed while a program starts"},
    {"execveat", tool | script, always, "starts the tool; the lock stays in force"},
    {"exit", all, always, "ends the thread"},
    {"exit_group", all, always, "ends the process"},
    {"prctl", gpu, equal(0, PR_SET_NAME), "the driver names its threads"},
    {"prctl", gpu, equal(0, PR_GET_NAME), asks},
    {"prctl", gpu, equal(0, PR_SET_VMA), "allocators name their memory"},

    {"clock_gettime", all, always, clocks},
    {"clock_getres", work | gpu | script, always, clocks},
    {"gettimeofday", work | gpu | script, always, clocks},
    {"time", work | gpu | script, always, clocks},
    {"nanosleep", work | gpu | script, always, clocks},
    {"clock_nanosleep", work | gpu | script, always, clocks},
    {"times", gpu, always, clocks},

    {"rt_sigaction", all, always, ownSignals},
    {"rt_sigprocmask", all, always, ownSignals},
    {"rt_sigreturn", all, always, ownSignals},
    {"sigaltstack", work | gpu | script, always, ownSignals},
    {"restart_syscall", work | gpu, always, ownSignals},
    {"tgkill", all, equal(0, ownProcess), "abort(): signals to itself only"},
    {"kill", gpu, equal(0, ownProcess), "signals to itself only"},

    {"getpid", all, always, asks},
    {"gettid", all, always, asks},
    {"getppid", gpu | script, always, asks},
    {"getuid", gpu | script, always, asks},
    {"geteuid", gpu | script, always, asks},
    {"getgid", gpu | script, always, asks},
    {"getegid", gpu | script, always, asks},
    {"getrusage", work | gpu | script, always, asks},
    {"getrandom", all, always, "random numbers"},
    {"getcwd", work | gpu | script, always, asks},
    {"sched_getaffinity", work | gpu | script, always, "number of cores"},
    {"sched_get_priority_max", tool | gpu | script, always, asks},
    {"sched_get_priority_min", tool | gpu | script, always, asks},
    {"sched_getparam", gpu, always, "scheduling of a thread; libraries ask before they start one"},
    {"sched_getscheduler", gpu, always, "scheduling of a thread; libraries ask before they start one"},
    {"getcpu", gpu | script, always, asks},
    {"uname", gpu | script, always, asks},
    {"sysinfo", gpu | script, always, asks},
    {"getrlimit", gpu | script, always, asks},
    {"prlimit64", all, equal(0, 0), "own limits, which can only decrease"},
    {"capget", gpu, always, asks},
    {"umask", gpu | script, always, "own umask"},

    {"openat", tool | script, without(2, changing), "reads files; creates, truncates and writes nothing"},
    {"openat", gpu, {2, changing, O_RDONLY}, "reads files"},
    {"openat",
     gpu,
     {2, changing, O_RDWR},
     "reads and writes device files; creates, truncates and extends nothing"},
    {"open", gpu, {1, changing, O_RDONLY}, "reads files"},
    {"open",
     gpu,
     {1, changing, O_RDWR},
     "reads and writes device files; creates, truncates and extends nothing"},
    {"newfstatat", tool | gpu | script, always, looks},
    {"stat", gpu | script, always, looks},
    {"lstat", gpu | script, always, looks},
    {"statx", gpu | script, always, looks},
    {"statfs", gpu, always, looks},
    {"fstatfs", gpu, always, looks},
    {"access", tool | gpu | script, always, looks},
    {"faccessat", gpu, always, looks},
    {"readlink", tool | gpu | script, always, looks},
    {"readlinkat", gpu | script, always, looks},
    {"getdents64", gpu | script, always, looks},
    {"getdents", gpu, always, looks},

    {"ioctl",
     gpu,
     {1, kindOfIoctl, nvidiaKind},
     "the driver's main interface: kind F, /dev/nvidiactl and /dev/nvidiaN"},
    {"ioctl", gpu, {1, uvmNumbers, 0}, "unified memory: plain small numbers, /dev/nvidia-uvm"},
    {"ioctl", gpu, {1, 0xffffffff, 0x30000001}, "start of unified memory, /dev/nvidia-uvm"},
    {"ioctl", gpu, {1, 0xffffffff, 0x30000002}, "end of unified memory, /dev/nvidia-uvm"},

    {"eventfd", gpu, always, "the driver wakes its threads"},
    {"eventfd2", gpu, always, "the driver wakes its threads"},
    {"pipe", gpu, always, "the driver wakes its threads"},
    {"pipe2", gpu, always, "the driver wakes its threads"},
    {"dup", gpu | script, always, ownFiles},
    {"dup2", gpu | script, always, ownFiles},
    {"dup3", gpu | script, always, ownFiles},
    {"select", gpu | script, always, ownFiles},
    {"pselect6", gpu, always, ownFiles},
    {"epoll_create1", gpu, always, seldom},
    {"epoll_ctl", gpu, always, seldom},
    {"epoll_wait", gpu, always, seldom},
    {"epoll_pwait", gpu, always, seldom},
    {"close_range", gpu, always, ownFiles},
};

constexpr std::string_view never[] = {
    // Other programs and processes, and what they are given of the processor.
    "execve", "execveat", "fork", "vfork", "clone3", "ptrace", "process_vm_readv", "process_vm_writev",
    "process_madvise", "process_mrelease", "pidfd_open", "pidfd_getfd", "pidfd_send_signal", "kcmp", "tkill",
    "rt_sigqueueinfo", "rt_tgsigqueueinfo", "setpriority", "sched_setaffinity", "sched_setattr",
    "sched_setparam", "sched_setscheduler", "ioprio_set", "setrlimit", "move_pages", "migrate_pages",
    "setpgid", "setsid", "wait4", "waitid", "get_robust_list", "timer_create", "mq_notify",
    // Sockets, and what is shared with others.
    "socket", "socketpair", "connect", "bind", "listen", "accept", "accept4", "sendto", "recvfrom",
    "sendmmsg", "recvmmsg", "shutdown", "getsockname", "getpeername", "setsockopt", "getsockopt", "shmget",
    "shmat", "shmctl", "shmdt", "msgget", "msgsnd", "msgrcv", "msgctl", "semget", "semop", "semtimedop",
    "semctl", "mq_open", "mq_unlink", "mq_timedsend", "mq_timedreceive", "mq_getsetattr", "keyctl", "add_key",
    "request_key",
    // Files that change.
    "creat", "openat2", "truncate", "ftruncate", "fallocate", "unlink", "unlinkat", "rename", "renameat",
    "renameat2", "mkdir", "mkdirat", "rmdir", "link", "linkat", "symlink", "symlinkat", "mknod", "mknodat",
    "chmod", "fchmod", "fchmodat", "fchmodat2", "chown", "fchown", "fchownat", "lchown", "utime", "utimes",
    "utimensat", "futimesat", "setxattr", "lsetxattr", "fsetxattr", "removexattr", "lremovexattr",
    "fremovexattr", "flock", "copy_file_range", "sendfile", "splice", "tee", "vmsplice", "sync", "syncfs",
    "name_to_handle_at", "open_by_handle_at", "inotify_init", "inotify_init1", "inotify_add_watch",
    "fanotify_init", "fanotify_mark", "chdir", "fchdir", "chroot", "lookup_dcookie", "remap_file_pages",
    "swapon", "swapoff", "quotactl", "quotactl_fd", "acct", "cachestat",
    // What is mounted, and name spaces.
    "mount", "umount2", "pivot_root", "fsopen", "fsconfig", "fsmount", "fspick", "open_tree", "move_mount",
    "mount_setattr", "statmount", "listmount", "unshare", "setns",
    // The kernel itself.
    "bpf", "userfaultfd", "perf_event_open", "io_uring_setup", "io_uring_enter", "io_uring_register",
    "io_setup", "io_destroy", "io_submit", "io_cancel", "io_getevents", "io_pgetevents", "init_module",
    "finit_module", "delete_module", "create_module", "query_module", "get_kernel_syms", "kexec_load",
    "kexec_file_load", "reboot", "syslog", "iopl", "ioperm", "modify_ldt", "personality", "vhangup",
    "seccomp", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "lsm_set_self_attr",
    "lsm_get_self_attr", "lsm_list_modules", "memfd_secret", "uselib", "nfsservctl", "_sysctl",
    "map_shadow_stack", "set_mempolicy_home_node", "futex_wake", "futex_wait", "futex_requeue", "futex_waitv",
    // Names, users and clocks of the machine.
    "sethostname", "setdomainname", "setuid", "setgid", "setreuid", "setregid", "setresuid", "setresgid",
    "setfsuid", "setfsgid", "setgroups", "capset", "settimeofday", "clock_settime", "clock_adjtime",
    "adjtimex", "stime"};

constexpr std::string_view missing[] = {"clone3",       "openat2",        "faccessat2",  "fchmodat2",
                                        "epoll_pwait2", "io_uring_setup", "futex_waitv", "futex_wake",
                                        "futex_wait",   "futex_requeue",  "userfaultfd", "memfd_secret",
                                        "cachestat"};

/// Those of newer kernels than the library of filters.
constexpr struct
{
    std::string_view call;
    int number;
} newerCalls[] = {{"cachestat", 451},         {"fchmodat2", 452},       {"map_shadow_stack", 453},
                  {"futex_wake", 454},        {"futex_wait", 455},      {"futex_requeue", 456},
                  {"statmount", 457},         {"listmount", 458},       {"lsm_get_self_attr", 459},
                  {"lsm_set_self_attr", 460}, {"lsm_list_modules", 461}};

} // namespace

std::span<const CallRule> callRules()
{
    return rules;
}

std::span<const std::string_view> neverAllowed()
{
    return never;
}

std::span<const std::string_view> answeredAsMissing()
{
    return missing;
}

int numberOf(std::string_view call)
{
    for (const auto& newer : newerCalls)
        if (newer.call == call)
            return newer.number;
    const int number = ::seccomp_syscall_resolve_name(std::string(call).c_str());
    return number >= 0 ? number : -1;
}

std::string callName(int number)
{
    for (const auto& newer : newerCalls)
        if (newer.number == number)
            return std::string(newer.call);
    char* const name = ::seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number);
    std::string text = name ? name : "call " + std::to_string(number);
    std::free(name);
    return text;
}

} // namespace sparserl

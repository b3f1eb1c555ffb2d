// SPDX-License-Identifier: Apache-2.0
// Every system call of this processor against the lock of every role: what is let through is what
// runner/call_rules says, and docs/sandbox.md says the same. With SPARSERL_UPDATE_DOCS=1 in the environment
// the table there is written instead of compared.
#include "base/files.h"
#include "locked_child.h"

#include <QTest>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <linux/prctl.h>
#include <map>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>

using namespace sparserl;
using namespace sparserl::tests;

namespace {

constexpr int highestNumber = 600, x32Bit = 0x40000000, uretprobe = 335, uprobe = 336;
using Arguments = std::array<long, 6>;
constexpr Arguments nonsense{-1, -1, -1, -1, -1, -1};

enum class Outcome
{
    NotReached,
    Refused,
    LetThrough,
    LastTried, ///< The process ended in it, so that it was let through.
    CannotLock
};

/// Tries calls in locked processes; one that a process does not survive is followed by another process.
template <std::size_t n>
std::array<Outcome, n> probe(const Situation& situation, const std::array<int, n>& calls,
                             const std::array<Arguments, n>& arguments)
{
    Shared<std::array<Outcome, n>> outcomes;
    outcomes->fill(Outcome::NotReached);
    for (std::size_t first = 0; first < n;) {
        inChild([&] {
            // What waits is woken.
            struct sigaction nothing
            {
            };
            nothing.sa_handler = [](int) {};
            ::sigaction(SIGALRM, &nothing, nullptr);
            const itimerval often{{0, 100'000}, {0, 100'000}};
            ::setitimer(ITIMER_REAL, &often, nullptr);
            if (!lockAs(situation, Refusal::Marked)) {
                (*outcomes)[first] = Outcome::CannotLock;
                return 1;
            }
            for (std::size_t i = first; i < n; ++i) {
                const auto& a = arguments[i];
                (*outcomes)[i] = Outcome::LastTried;
                errno = 0;
                const long result = ::syscall(calls[i], a[0], a[1], a[2], a[3], a[4], a[5]);
                (*outcomes)[i] =
                    result == -1 && errno == markedError ? Outcome::Refused : Outcome::LetThrough;
            }
            return 0;
        });
        while (first < n && (*outcomes)[first] != Outcome::NotReached)
            ++first;
        if (first < n && first > 0 && (*outcomes)[first - 1] != Outcome::LastTried)
            break; // Nothing was tried at all.
        if (first == 0 || (*outcomes)[first - 1] == Outcome::CannotLock)
            break;
    }
    return *outcomes;
}

/// What the table says of a call with these arguments.
bool tableAllows(LockedRole role, int number, const Arguments& arguments, std::uint64_t process)
{
    for (const CallRule& rule : callRules()) {
        if (!rule.allows(role) || numberOf(rule.call) != number)
            continue;
        const auto value = rule.when.value == ownProcess ? process : rule.when.value;
        if (rule.when.mask == 0 ||
            (static_cast<std::uint64_t>(arguments[rule.when.argument]) & rule.when.mask) == value)
            return true;
    }
    return false;
}

bool isNamed(std::span<const std::string_view> names, int number)
{
    return std::any_of(names.begin(), names.end(),
                       [number](std::string_view name) { return numberOf(name) == number; });
}

bool hasRule(LockedRole role, int number)
{
    const auto rules = callRules();
    return std::any_of(rules.begin(), rules.end(), [&](const CallRule& rule) {
        return rule.allows(role) && numberOf(rule.call) == number;
    });
}

/// With arguments of -1 and, at steps that refuse only harmful calls, those that no list names.
bool expected(const Situation& situation, int number)
{
    if (tableAllows(situation.role, number, nonsense, 0))
        return true;
    const bool strict = situation.role != LockedRole::Gpu || situation.step >= 3;
    const bool gap = number > 334 && number < 424; // numbers that no call has
    if (!strict && number == SYS_ioctl)
        return true; // of any kind but a terminal's
    return !strict && number <= lastKnownCall && !gap && !isNamed(neverAllowed(), number) &&
           !hasRule(LockedRole::Gpu, number);
}

struct Case
{
    const char* what;
    int number;
    Arguments arguments;
    bool work, tool, gpu; ///< Let through by the roles.
    bool gpuLess;         ///< By the role Gpu at the steps 1 and 2.

    /// The role Script may do what tools may, and start threads as drivers do.
    bool script() const { return tool || (number == SYS_clone && gpu); }
};

constexpr long newThread = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
constexpr long upperBits = 1L << 40;

/// Calls whose arguments decide. No table of ours has a say here.
const std::array cases{
    Case{"memory",
         SYS_mmap,
         {0, 0, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0},
         true,
         true,
         true,
         true},
    Case{"executable memory",
         SYS_mmap,
         {0, 0, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0},
         false,
         true,
         true,
         true},
    Case{"executable memory, made so",
         SYS_mprotect,
         {0, 0, PROT_READ | PROT_EXEC, 0, 0, 0},
         false,
         true,
         true,
         true},
    Case{"open for reading", SYS_openat, {-1, 0, O_RDONLY | O_CLOEXEC, 0, 0, 0}, false, true, true, true},
    Case{"open for reading and writing",
         SYS_openat,
         {-1, 0, O_RDWR | O_CLOEXEC, 0, 0, 0},
         false,
         false,
         true,
         true},
    Case{"open for writing", SYS_openat, {-1, 0, O_WRONLY, 0, 0, 0}, false, false, false, false},
    Case{"make", SYS_openat, {-1, 0, O_RDWR | O_CREAT, 0600, 0, 0}, false, false, false, false},
    Case{"empty", SYS_openat, {-1, 0, O_RDWR | O_TRUNC, 0, 0, 0}, false, false, false, false},
    Case{"empty while reading", SYS_openat, {-1, 0, O_RDONLY | O_TRUNC, 0, 0, 0}, false, false, false, false},
    Case{"append", SYS_openat, {-1, 0, O_RDWR | O_APPEND, 0, 0, 0}, false, false, false, false},
    Case{"make without a name",
         SYS_openat,
         {-1, 0, O_RDWR | O_TMPFILE, 0600, 0, 0},
         false,
         false,
         false,
         false},
    Case{"the old open, empty", SYS_open, {0, O_RDWR | O_TRUNC, 0, 0, 0, 0}, false, false, false, false},
    Case{"type into a terminal", SYS_ioctl, {-1, TIOCSTI, 0, 0, 0, 0}, false, false, false, false},
    Case{"type into a terminal, upper bits",
         SYS_ioctl,
         {-1, upperBits | TIOCSTI, 0, 0, 0, 0},
         false,
         false,
         false,
         false},
    Case{"paste into a terminal", SYS_ioctl, {-1, TIOCLINUX, 0, 0, 0, 0}, false, false, false, false},
    Case{"take a terminal", SYS_ioctl, {-1, TIOCSCTTY, 0, 0, 0, 0}, false, false, false, false},
    Case{"signals of a file", SYS_ioctl, {-1, 0x8901, 0, 0, 0, 0}, false, false, false, true},
    Case{"a driver's call", SYS_ioctl, {-1, 0xc020462a, 0, 0, 0, 0}, false, false, true, true},
    Case{"a driver's call, sign extended",
         SYS_ioctl,
         {-1, static_cast<long>(0xffffffffc020462aULL), 0, 0, 0, 0},
         false,
         false,
         true,
         true},
    Case{"unified memory", SYS_ioctl, {-1, 27, 0, 0, 0, 0}, false, false, true, true},
    Case{"unified memory begins", SYS_ioctl, {-1, 0x30000001, 0, 0, 0, 0}, false, false, true, true},
    Case{"a thread", SYS_clone, {newThread & ~CLONE_VM, 0, 0, 0, 0, 0}, false, false, true, true},
    Case{"a process", SYS_clone, {CLONE_SIGHAND, 0, 0, 0, 0, 0}, false, false, false, false},
    Case{"a thread in a new user name space",
         SYS_clone,
         {(newThread & ~CLONE_VM) | CLONE_NEWUSER, 0, 0, 0, 0, 0},
         false,
         false,
         false,
         false},
    Case{"a process in new name spaces",
         SYS_clone,
         {CLONE_NEWUSER | CLONE_NEWNS | CLONE_SIGHAND, 0, 0, 0, 0, 0},
         false,
         false,
         false,
         false},
    Case{"signal to the parent", SYS_kill, {1, 0, 0, 0, 0, 0}, false, false, false, false},
    Case{"signal to all", SYS_kill, {-1, 0, 0, 0, 0, 0}, false, false, false, false},
    Case{"signal to the group", SYS_kill, {0, 0, 0, 0, 0, 0}, false, false, false, false},
    Case{"signal to another's thread", SYS_tgkill, {1, 1, 0, 0, 0, 0}, false, false, false, false},
    Case{"limits of its own", SYS_prlimit64, {0, RLIMIT_NOFILE, 0, 0, 0, 0}, true, true, true, true},
    Case{"limits of another", SYS_prlimit64, {1, RLIMIT_NOFILE, 1, 0, 0, 0}, false, false, false, false},
    Case{"whom a file signals", SYS_fcntl, {-1, F_SETOWN, 1, 0, 0, 0}, false, false, false, false},
    Case{"changes of a folder", SYS_fcntl, {-1, F_NOTIFY, 0, 0, 0, 0}, false, false, false, false},
    Case{"seal", SYS_fcntl, {-1, 1033, 0, 0, 0, 0}, false, false, false, false},
    Case{"lock", SYS_fcntl, {-1, F_SETLK, 0, 0, 0, 0}, false, false, false, false},
    Case{"look at seals", SYS_fcntl, {-1, 1034, 0, 0, 0, 0}, true, false, true, true},
    Case{"name a thread", SYS_prctl, {PR_SET_NAME, -1, 0, 0, 0, 0}, false, false, true, true},
    Case{"let others look", SYS_prctl, {PR_SET_DUMPABLE, 1, 0, 0, 0, 0}, false, false, false, false},
    Case{"let others trace", SYS_prctl, {PR_SET_PTRACER, -1, 0, 0, 0, 0}, false, false, false, false},
    Case{"outlive the parent", SYS_prctl, {PR_SET_PDEATHSIG, 0, 0, 0, 0, 0}, false, false, false, false},
};

/// What must never pass, in any situation and with any arguments.
const std::array mustNot{"tkill",
                         "rt_sigqueueinfo",
                         "rt_tgsigqueueinfo",
                         "pidfd_send_signal",
                         "pidfd_getfd",
                         "pidfd_open",
                         "process_vm_readv",
                         "process_vm_writev",
                         "ptrace",
                         "setpriority",
                         "sched_setaffinity",
                         "sched_setattr",
                         "sched_setparam",
                         "sched_setscheduler",
                         "ioprio_set",
                         "fchmodat2",
                         "utimensat",
                         "setxattr",
                         "lsetxattr",
                         "fsetxattr",
                         "shmget",
                         "shmat",
                         "msgget",
                         "msgsnd",
                         "msgrcv",
                         "semget",
                         "semop",
                         "semtimedop",
                         "keyctl",
                         "add_key",
                         "request_key",
                         "bpf",
                         "userfaultfd",
                         "perf_event_open",
                         "io_uring_setup",
                         "io_uring_enter",
                         "io_uring_register",
                         "mount",
                         "umount2",
                         "pivot_root",
                         "fsopen",
                         "fsconfig",
                         "fsmount",
                         "fspick",
                         "open_tree",
                         "move_mount",
                         "mount_setattr",
                         "acct",
                         "fanotify_init",
                         "fanotify_mark",
                         "kexec_load",
                         "kexec_file_load",
                         "init_module",
                         "finit_module",
                         "delete_module",
                         "name_to_handle_at",
                         "open_by_handle_at",
                         "unshare",
                         "setns",
                         "clone3",
                         "fork",
                         "vfork",
                         "execve",
                         "socket",
                         "socketpair",
                         "connect",
                         "bind",
                         "unlink",
                         "unlinkat",
                         "rename",
                         "renameat2",
                         "truncate",
                         "ftruncate",
                         "fallocate",
                         "chmod",
                         "fchmod",
                         "reboot",
                         "swapon",
                         "chroot",
                         "setuid",
                         "setresuid",
                         "capset",
                         "settimeofday",
                         "clock_settime",
                         "seccomp",
                         "openat2",
                         "creat",
                         "memfd_secret",
                         "mknodat",
                         "linkat",
                         "symlinkat"};

std::array<int, highestNumber + 1> allNumbers(int bit = 0)
{
    std::array<int, highestNumber + 1> numbers{};
    for (int i = 0; i <= highestNumber; ++i)
        numbers[static_cast<std::size_t>(i)] = i | bit;
    return numbers;
}

std::array<Arguments, highestNumber + 1> allNonsense()
{
    std::array<Arguments, highestNumber + 1> arguments;
    arguments.fill(nonsense);
    return arguments;
}

std::string table()
{
    struct Row
    {
        std::map<std::string, std::string> reasons; ///< By roles.
    };
    std::map<int, Row> rows;
    for (const CallRule& rule : callRules()) {
        std::string who;
        for (const auto& [role, name] : {std::pair{LockedRole::Work, "compile, sim, oracle"},
                                         {LockedRole::Tool, "nvdisasm"},
                                         {LockedRole::Gpu, "cuda"},
                                         {LockedRole::Script, "import"}})
            if (rule.allows(role))
                who += (who.empty() ? "" : ", ") + std::string(name);
        std::string& reason = rows[numberOf(rule.call)].reasons[who];
        if (reason.find(rule.reason) == std::string::npos)
            reason += (reason.empty() ? "" : "; ") + std::string(rule.reason);
    }
    std::string text = "| number | call | roles | purpose and limits |\n|---|---|---|---|\n";
    for (const auto& [number, row] : rows)
        for (const auto& [who, reason] : row.reasons)
            text += "| " + std::to_string(number) + " | `" + callName(number) + "` | " + who + " | " +
                    reason + " |\n";
    return text;
}

} // namespace

class SystemCallsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        for (const CallRule& rule : callRules())
            QVERIFY2(numberOf(rule.call) >= 0, std::string(rule.call).c_str());
        for (const auto& name : neverAllowed())
            QVERIFY2(numberOf(name) >= 0 || name == "stime", std::string(name).c_str());
    }

    void everyNumber_data()
    {
        QTest::addColumn<int>("index");
        const auto all = situations();
        for (std::size_t i = 0; i < all.size(); ++i)
            QTest::newRow(all[i].name().c_str()) << static_cast<int>(i);
    }
    void everyNumber()
    {
        QFETCH(const int, index);
        const Situation situation = situations()[static_cast<std::size_t>(index)];
        const auto outcomes = probe(situation, allNumbers(), allNonsense());
        int through = 0;
        for (int call = 0; call <= highestNumber; ++call) {
            const auto outcome = outcomes[static_cast<std::size_t>(call)];
            const std::string what = situation.name() + ": " + callName(call);
            QVERIFY2(outcome != Outcome::NotReached && outcome != Outcome::CannotLock, what.c_str());
            const bool passed = outcome != Outcome::Refused;
            // Newer kernels let no filter see these two. But for where the kernel itself has put them they do
            // nothing, or end the process.
            if (call == uretprobe || call == uprobe)
                continue;
            through += passed;
            QVERIFY2(passed == expected(situation, call),
                     (what + (passed ? " is let through" : " is refused")).c_str());
        }
        QVERIFY(through > 20 && through < 300);
        for (const char* name : mustNot)
            QVERIFY2(outcomes[static_cast<std::size_t>(numberOf(name))] == Outcome::Refused,
                     (situation.name() + ": " + name).c_str());
    }

    void argumentsDecide_data() { everyNumber_data(); }
    void argumentsDecide()
    {
        QFETCH(const int, index);
        const Situation situation = situations()[static_cast<std::size_t>(index)];
        std::array<int, cases.size()> calls{};
        std::array<Arguments, cases.size()> arguments{};
        for (std::size_t i = 0; i < cases.size(); ++i) {
            calls[i] = cases[i].number;
            arguments[i] = cases[i].arguments;
        }
        const auto outcomes = probe(situation, calls, arguments);
        for (std::size_t i = 0; i < cases.size(); ++i) {
            const Case& one = cases[i];
            const bool allowed = situation.role == LockedRole::Work ? one.work
                                 : situation.reads()
                                     ? (situation.role == LockedRole::Script ? one.script() : one.tool)
                                 : situation.step >= 3 ? one.gpu
                                                       : one.gpuLess;
            const std::string what = situation.name() + ": " + one.what;
            QVERIFY2(outcomes[i] == Outcome::LetThrough || outcomes[i] == Outcome::Refused, what.c_str());
            QVERIFY2((outcomes[i] == Outcome::LetThrough) == allowed, what.c_str());
        }
    }

    // Numbers of x32, and calls of 32-bit programs.
    void otherArchitectures_data() { everyNumber_data(); }
    void otherArchitectures()
    {
#ifndef __x86_64__
        QSKIP("Only x86-64 has them.");
#else
        QFETCH(const int, index);
        const Situation situation = situations()[static_cast<std::size_t>(index)];
        const auto outcomes = probe(situation, allNumbers(x32Bit), allNonsense());
        for (int call = 0; call <= highestNumber; ++call)
            QVERIFY2(outcomes[static_cast<std::size_t>(call)] == Outcome::Refused,
                     (situation.name() + ": x32 " + std::to_string(call)).c_str());
        Shared<long> answer;
        *answer = 0;
        const int status = inChild([&] {
            if (!lockAs(situation, Refusal::Marked))
                return 7;
            long result = 20; // getpid of i386
            asm volatile("int $0x80" : "+a"(result) : : "memory");
            *answer = result;
            return 0;
        });
        // A kernel without 32-bit programs has no such gate.
        const bool noGate = WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
        QVERIFY2(noGate || *answer == -markedError, std::to_string(*answer).c_str());
#endif
    }

    // Libraries see the errors that they can live with.
    void whatRefusedCallsFailWith()
    {
        for (const Situation& situation : situations()) {
            Shared<std::array<int, 3>> found;
            inChild([&] {
                if (!lockAs(situation, Refusal::Error))
                    return 1;
                ::syscall(SYS_socket, -1, -1, -1);
                (*found)[0] = errno;
                ::syscall(SYS_clone3, 0, 0);
                (*found)[1] = errno;
                ::syscall(500, 0, 0);
                (*found)[2] = errno;
                return 0;
            });
            const std::array wanted = situation.role == LockedRole::Gpu ? std::array{EPERM, ENOSYS, ENOSYS}
                                      : situation.role == LockedRole::Script
                                          ? std::array{EACCES, ENOSYS, ENOSYS}
                                          : std::array{EACCES, EACCES, EACCES};
            QVERIFY2(*found == wanted, situation.name().c_str());
        }
    }

    void documentSaysTheSame()
    {
        const std::string file = SPARSERL_SOURCE_DIR "/docs/sandbox.md";
        const std::string marker = "<!-- From here on written by tst_runner_system_calls. -->\n";
        const auto written = readFile(file);
        QVERIFY2(written, "docs/sandbox.md");
        const auto at = written->find(marker);
        QVERIFY2(at != std::string::npos, "docs/sandbox.md has lost its marker");
        const std::string right = written->substr(0, at) + marker + "\n" + table();
        if (std::getenv("SPARSERL_UPDATE_DOCS") != nullptr)
            QVERIFY(writeFileAtomic(file, right));
        else
            QVERIFY2(*written == right, "docs/sandbox.md is not what the code declares; write it with "
                                        "SPARSERL_UPDATE_DOCS=1 and this test");
    }
};

QTEST_GUILESS_MAIN(SystemCallsTest)
#include "tst_system_calls.moc"

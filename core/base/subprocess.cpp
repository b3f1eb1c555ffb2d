// SPDX-License-Identifier: Apache-2.0
#include "base/subprocess.h"

#include "base/beneath.h"
#include "base/path_folders.h"
#include "base/system_remedy.h"
#include "base/time.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sparserl {

namespace {

void closeFd(int& fd)
{
    if (fd >= 0) {
        ::close(fd);
        fd = -1;
    }
}

std::string findProgram(const std::string& name)
{
    if (name.find('/') != std::string::npos) {
        return name;
    }
    for (const auto& folder : pathFolders("/usr/bin:/bin")) {
        std::string candidate = folder.string() + "/" + name;
        if (::access(candidate.c_str(), X_OK) == 0) {
            return candidate;
        }
    }
    return name;
}

/// Everything the child needs, made before fork: between fork and exec only async-signal-safe calls are
/// allowed.
struct Prepared
{
    std::string program;
    std::vector<std::string> argv, environment;
    std::vector<char*> argvPointers, environmentPointers;
    std::string directory;
    std::array<int, 3> streams{-1, -1, -1}; ///< Child's ends; -1: inherit.
    std::vector<int> keep;                  ///< Ascending, above 2.
    int report = -1;                        ///< errno of a failed exec goes here.
};

void buildArguments(const SpawnOptions& options, Prepared& prepared)
{
    prepared.program = findProgram(options.argv.front());
    prepared.argv = options.argv;
    if (options.environment) {
        prepared.environment = *options.environment;
    } else {
        for (char** variable = environ; variable && *variable; ++variable) {
            prepared.environment.emplace_back(*variable);
        }
    }
    for (const auto& [name, value] : options.extraEnvironment) {
        std::erase_if(prepared.environment,
                      [prefix = name + "="](const std::string& entry) { return entry.starts_with(prefix); });
        prepared.environment.push_back(name + "=" + value);
    }
    for (auto& argument : prepared.argv) {
        prepared.argvPointers.push_back(argument.data());
    }
    for (auto& variable : prepared.environment) {
        prepared.environmentPointers.push_back(variable.data());
    }
    prepared.argvPointers.push_back(nullptr);
    prepared.environmentPointers.push_back(nullptr);
    prepared.directory = options.workingDirectory.string();
    prepared.keep = options.keepDescriptors;
    std::sort(prepared.keep.begin(), prepared.keep.end());
}

/// Opens what one stream needs. `parentEnd` is set for pipes.
Status openStream(const StreamEnd& target, bool input, int& childEnd, int& parentEnd)
{
    switch (target.kind) {
    case StreamEnd::Kind::Inherit:
        return {};
    case StreamEnd::Kind::Null:
        childEnd = ::open("/dev/null", (input ? O_RDONLY : O_WRONLY) | O_CLOEXEC);
        break;
    case StreamEnd::Kind::File: {
        SPARSERL_TRY(Descriptor file, openFile(target.file, input ? O_RDONLY : O_WRONLY | O_CREAT | O_APPEND,
                                               "open a stream"));
        childEnd = file.release();
        break;
    }
    case StreamEnd::Kind::Pipe: {
        std::array<int, 2> ends{};
        if (::pipe2(ends.data(), O_CLOEXEC) == 0) {
            childEnd = ends[input ? 0 : 1];
            parentEnd = ends[input ? 1 : 0];
        }
        break;
    }
    }
    if (childEnd < 0) {
        return failAt(target.file.string(), 0, std::string("cannot open a stream: ") + std::strerror(errno));
    }
    return {};
}

void setLimit(__rlimit_resource resource, std::uint64_t soft, std::uint64_t hard)
{
    rlimit current{};
    ::getrlimit(resource, &current);
    const rlim_t most = current.rlim_max == RLIM_INFINITY ? hard : std::min<rlim_t>(hard, current.rlim_max);
    const rlimit wanted{std::min<rlim_t>(soft, most), most};
    ::setrlimit(resource, &wanted);
}

void closeRange(unsigned first, unsigned last)
{
    if (first > last || ::syscall(SYS_close_range, first, last, 0) == 0) {
        return;
    }
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    const unsigned most =
        std::min<unsigned>(last, static_cast<unsigned>(std::min<rlim_t>(limit.rlim_cur, 65536)));
    for (unsigned fd = first; fd <= most; ++fd) {
        ::close(static_cast<int>(fd));
    }
}

/// Runs in the child after fork. Only async-signal-safe calls.
[[noreturn]] void becomeProgram(const SpawnOptions& options, Prepared& prepared, pid_t parent, bool detached)
{
    const auto giveUp = [&prepared] {
        const int error = errno;
        (void)!::write(prepared.report, &error, sizeof error);
        ::_exit(127);
    };
    if (detached) {
        ::setsid();
    } else if (options.ownProcessGroup) {
        ::setpgid(0, 0);
    }
    if (options.dieWithParent && !detached) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent) {
            ::_exit(127); // The parent ended before prctl: nobody would ever signal us.
        }
    }
    // Move every child end and the report pipe above 2 first, so that dup2 below cannot overwrite one of
    // them.
    for (int& fd : prepared.streams) {
        if (fd >= 0 && fd <= 2) {
            fd = ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
        }
    }
    if (prepared.report <= 2) {
        prepared.report = ::fcntl(prepared.report, F_DUPFD_CLOEXEC, 3);
    }
    for (int i = 0; i < 3; ++i) {
        if (prepared.streams[i] >= 0 && ::dup2(prepared.streams[i], i) < 0) {
            giveUp();
        }
    }
    if (!prepared.directory.empty() && ::chdir(prepared.directory.c_str()) != 0) {
        giveUp();
    }
    unsigned next = 3;
    for (std::size_t k = 0; k <= prepared.keep.size(); ++k) {
        // The report pipe is close-on-exec and must live until exec, so it counts as kept here.
        const unsigned stop = k < prepared.keep.size() ? static_cast<unsigned>(prepared.keep[k]) : ~0u;
        const auto report = static_cast<unsigned>(prepared.report);
        if (report >= next && report < stop) {
            closeRange(next, report - 1);
            next = report + 1;
        }
        closeRange(next, stop == ~0u ? stop : stop - 1);
        if (stop != ~0u) {
            ::fcntl(static_cast<int>(stop), F_SETFD, 0);
            next = stop + 1;
        }
    }
    if (options.addressSpaceBytes) {
        setLimit(RLIMIT_AS, *options.addressSpaceBytes, *options.addressSpaceBytes);
    }
    if (options.cpuSeconds) {
        setLimit(RLIMIT_CPU, *options.cpuSeconds, *options.cpuSeconds + 2);
    }
    if (options.openFiles) {
        setLimit(RLIMIT_NOFILE, *options.openFiles, *options.openFiles);
    }
    struct sigaction standard
    {
    };
    standard.sa_handler = SIG_DFL;
    for (const int signal : {SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD}) {
        ::sigaction(signal, &standard, nullptr);
    }
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execve(prepared.program.c_str(), prepared.argvPointers.data(), prepared.environmentPointers.data());
    giveUp();
    ::_exit(127);
}

std::string spawnRemedy(int error)
{
    return error == ENOENT   ? "Check that the program is installed"
           : error == EACCES ? "Check its permissions"
                             : "";
}

/// Reads what the child reported: 0 when exec happened (the pipe closed), else errno.
int readReport(int fd)
{
    int error = 0;
    ssize_t got = 0;
    do {
        got = ::read(fd, &error, sizeof error);
    } while (got < 0 && errno == EINTR);
    return got == sizeof error ? error : 0;
}

int waitForEnd(pid_t pid, int flags, int& status)
{
    int code = 0;
    do {
        code = ::waitpid(pid, &status, flags);
    } while (code < 0 && errno == EINTR);
    return code;
}

tl::unexpected<Error> cannotStart(int error)
{
    return fail(std::string("cannot start a process: ") + std::strerror(error),
                systemRemedy(error, Subject::Process));
}

} // namespace

std::string ExitStatus::sentence() const
{
    if (!signalled) {
        return fmt::format("ended with status {}", code);
    }
    const char* name = ::strsignal(code);
    return fmt::format("was killed by signal {} ({})", code, name ? name : "unknown");
}

Result<Subprocess> spawn(const SpawnOptions& options)
{
    if (options.argv.empty()) {
        return fail("no program to start");
    }
    Prepared prepared;
    buildArguments(options, prepared);
    Subprocess child;
    child.m_group = options.ownProcessGroup;
    std::array<int, 2> report{-1, -1};
    const auto cleanUp = [&] {
        for (int& fd : prepared.streams) {
            closeFd(fd);
        }
        closeFd(report[0]);
        closeFd(report[1]);
    };
    const std::array<const StreamEnd*, 3> targets{&options.input, &options.output, &options.error};
    const std::array<int*, 3> ends{&child.m_input, &child.m_output, &child.m_error};
    for (int i = 0; i < 3; ++i) {
        if (auto opened = openStream(*targets[i], i == 0, prepared.streams[i], *ends[i]); !opened) {
            cleanUp();
            return fail(opened.error());
        }
    }
    if (::pipe2(report.data(), O_CLOEXEC) != 0) {
        const int error = errno;
        cleanUp();
        return cannotStart(error);
    }
    prepared.report = report[1];
    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid == 0) {
        becomeProgram(options, prepared, parent, false);
    }
    if (pid < 0) {
        const int error = errno;
        cleanUp();
        return cannotStart(error);
    }
    if (options.ownProcessGroup) {
        ::setpgid(pid, pid); // Also here: whoever of the two is first.
    }
    child.m_pid = pid;
    closeFd(report[1]);
    const int error = readReport(report[0]);
    cleanUp();
    if (error != 0) {
        (void)child.wait();
        return failAt(prepared.program, 0, std::string("cannot start this program: ") + std::strerror(error),
                      spawnRemedy(error));
    }
    return child;
}

Result<pid_t> spawnDetached(const SpawnOptions& options)
{
    if (options.argv.empty()) {
        return fail("no program to start");
    }
    Prepared prepared;
    buildArguments(options, prepared);
    const std::array<const StreamEnd*, 3> targets{&options.input, &options.output, &options.error};
    std::array<int, 2> report{-1, -1};
    std::array<int, 2> idPipe{-1, -1};
    const auto cleanUp = [&] {
        for (int& fd : prepared.streams) {
            closeFd(fd);
        }
        for (int* fd : {&report[0], &report[1], &idPipe[0], &idPipe[1]}) {
            closeFd(*fd);
        }
    };
    for (int i = 0; i < 3; ++i) {
        // Inherited terminals and pipes would tie it to the parent's life.
        const StreamEnd target =
            targets[i]->kind == StreamEnd::Kind::Inherit ? StreamEnd::null() : *targets[i];
        if (target.kind == StreamEnd::Kind::Pipe) {
            cleanUp();
            return fail("a detached process cannot have pipes");
        }
        int unused = -1;
        if (auto opened = openStream(target, i == 0, prepared.streams[i], unused); !opened) {
            cleanUp();
            return fail(opened.error());
        }
    }
    if (::pipe2(report.data(), O_CLOEXEC) != 0 || ::pipe2(idPipe.data(), O_CLOEXEC) != 0) {
        const int error = errno;
        cleanUp();
        return cannotStart(error);
    }
    prepared.report = report[1];
    const pid_t middle = ::fork();
    if (middle == 0) {
        ::setsid();
        const pid_t pid = ::fork();
        if (pid == 0) {
            becomeProgram(options, prepared, 0, true);
        }
        (void)!::write(idPipe[1], &pid, sizeof pid);
        ::_exit(pid < 0 ? 1 : 0);
    }
    if (middle < 0) {
        const int error = errno;
        cleanUp();
        return cannotStart(error);
    }
    closeFd(report[1]);
    closeFd(idPipe[1]);
    int status = 0;
    waitForEnd(middle, 0, status);
    pid_t pid = -1;
    const bool known = ::read(idPipe[0], &pid, sizeof pid) == sizeof pid && pid > 0;
    const int error = known ? readReport(report[0]) : EAGAIN;
    cleanUp();
    if (error != 0) {
        return failAt(prepared.program, 0, std::string("cannot start this program: ") + std::strerror(error),
                      spawnRemedy(error));
    }
    return pid;
}

Subprocess::~Subprocess()
{
    if (m_pid > 0 && !poll()) {
        killGroup(SIGKILL);
        (void)wait();
    }
    closeFd(m_input);
    closeFd(m_output);
    closeFd(m_error);
}

Subprocess::Subprocess(Subprocess&& other) noexcept
{
    *this = std::move(other);
}

Subprocess& Subprocess::operator=(Subprocess&& other) noexcept
{
    std::swap(m_pid, other.m_pid);
    std::swap(m_group, other.m_group);
    std::swap(m_input, other.m_input);
    std::swap(m_output, other.m_output);
    std::swap(m_error, other.m_error);
    std::swap(m_status, other.m_status);
    return *this;
}

void Subprocess::closeInput()
{
    closeFd(m_input);
}

std::optional<ExitStatus> Subprocess::poll()
{
    if (m_status || m_pid <= 0) {
        return m_status;
    }
    int status = 0;
    const int code = waitForEnd(m_pid, WNOHANG, status);
    if (code == m_pid) {
        m_status =
            WIFSIGNALED(status) ? ExitStatus{true, WTERMSIG(status)} : ExitStatus{false, WEXITSTATUS(status)};
    } else if (code < 0) {
        m_status = ExitStatus{true, 0}; // Somebody else reaped it: it is gone, nobody knows how.
    }
    return m_status;
}

std::optional<ExitStatus> Subprocess::wait(double seconds)
{
    if (seconds < 0 && !m_status && m_pid > 0) {
        int status = 0;
        const int code = waitForEnd(m_pid, 0, status);
        m_status = code != m_pid         ? ExitStatus{true, 0}
                   : WIFSIGNALED(status) ? ExitStatus{true, WTERMSIG(status)}
                                         : ExitStatus{false, WEXITSTATUS(status)};
    }
    const double end = monotonicSeconds() + std::max(seconds, 0.0);
    for (long pause = 100'000; !poll() && m_pid > 0 && monotonicSeconds() < end;
         pause = std::min(pause * 2, 5'000'000L)) {
        const timespec time{0, pause};
        ::nanosleep(&time, nullptr);
    }
    return m_status;
}

void Subprocess::killGroup(int signal)
{
    if (m_pid <= 0) {
        return;
    }
    if (m_group) {
        // Also after the leader's end: its children may live on in the group. The id stays taken while they
        // do.
        ::kill(-m_pid, signal);
    } else if (!m_status) {
        ::kill(m_pid, signal);
    }
}

} // namespace sparserl

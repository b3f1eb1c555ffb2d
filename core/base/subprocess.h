// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace sparserl {

/// Where a standard stream of a child goes or comes from.
struct StreamEnd
{
    enum class Kind
    {
        Inherit,
        Null,
        Pipe,
        File
    };
    Kind kind = Kind::Inherit;
    std::filesystem::path file; ///< File: read for stdin, appended to for stdout and stderr.

    static StreamEnd inherit() { return {}; }
    static StreamEnd null() { return {Kind::Null, {}}; }
    static StreamEnd pipe() { return {Kind::Pipe, {}}; }
    static StreamEnd toFile(std::filesystem::path path) { return {Kind::File, std::move(path)}; }
};

struct SpawnOptions
{
    std::vector<std::string> argv; ///< argv[0] is looked up in PATH unless it has a slash.
    std::optional<std::vector<std::string>> environment; ///< "NAME=value"; nothing: the parent's.
    std::vector<std::pair<std::string, std::string>> extraEnvironment; ///< Set on top of it.
    std::filesystem::path workingDirectory;
    StreamEnd input = StreamEnd::null();
    StreamEnd output;
    StreamEnd error;
    std::vector<int>
        keepDescriptors;         ///< Stay open in the child under the same number; all others above 2 close.
    bool ownProcessGroup = true; ///< So that killGroup reaches its children too.
    bool dieWithParent = false;  ///< SIGKILL when the spawning *thread* ends (PR_SET_PDEATHSIG).
    std::optional<std::uint64_t> addressSpaceBytes; ///< RLIMIT_AS
    std::optional<std::uint64_t> cpuSeconds;        ///< RLIMIT_CPU (SIGXCPU, then SIGKILL two seconds later)
    std::optional<std::uint64_t> openFiles;         ///< RLIMIT_NOFILE
};

/// How a process ended.
struct ExitStatus
{
    bool signalled = false;
    int code = 0; ///< Exit code, or the signal's number.
    bool ok() const { return !signalled && code == 0; }
    /// "ended with status 3", "was killed by signal 9 (Killed)"
    std::string sentence() const;
};

/// A child process. The destructor kills its group and reaps it.
class Subprocess
{
public:
    ~Subprocess();
    Subprocess(Subprocess&& other) noexcept;
    Subprocess& operator=(Subprocess&& other) noexcept;

    pid_t pid() const { return m_pid; }
    /// Parent's ends of the pipes, -1 where there is none. Close-on-exec; usable with poll().
    int inputFd() const { return m_input; }
    int outputFd() const { return m_output; }
    int errorFd() const { return m_error; }
    void closeInput();

    /// The exit status if it has ended (reaped once, remembered), else nothing.
    std::optional<ExitStatus> poll();
    /// Waits at most `seconds` (negative: for ever).
    std::optional<ExitStatus> wait(double seconds = -1);
    /// Signals the whole group (or the process, where it has no group of its own). Harmless after its end.
    void killGroup(int signal);

private:
    friend Result<Subprocess> spawn(const SpawnOptions&);
    Subprocess() = default;
    pid_t m_pid = -1;
    bool m_group = false;
    int m_input = -1, m_output = -1, m_error = -1;
    std::optional<ExitStatus> m_status;
};

/// Starts a process. A program that cannot be executed is an Error here, not an exit status.
Result<Subprocess> spawn(const SpawnOptions& options);

/// Starts a process that survives its parent: new session, reparented. Pipes are not possible. Returns its
/// id.
Result<pid_t> spawnDetached(const SpawnOptions& options);

/// What runToEnd collected.
struct RunOutput
{
    ExitStatus status;
    std::string output, error; ///< At most 16 MiB each; the rest is dropped.
    bool timedOut = false;     ///< It was killed after a time limit.
    bool isSilent = false;     ///< That of its first word.
};
/// Runs to the end with `input` on stdin, both outputs collected. `seconds` < 0: no limit. It is killed, too,
/// where its standard output has said nothing after `greetingSeconds`, where that is not negative.
Result<RunOutput> runToEnd(SpawnOptions options, std::string_view input = {}, double seconds = -1,
                           double greetingSeconds = -1);

/// Writes everything, through interruptions; a closed pipe is an Error, never SIGPIPE.
Status writeAll(int fd, std::string_view bytes);
/// Reads exactly `size` bytes. Fails at end of file: "ended" with what() == "end of stream" if nothing was
/// read.
Status readExactly(int fd, void* data, std::size_t size);

/// True while a process of this id exists (it may be a zombie or belong to somebody else).
bool processExists(pid_t pid);
/// Path of the running program.
std::filesystem::path executablePath();

} // namespace sparserl

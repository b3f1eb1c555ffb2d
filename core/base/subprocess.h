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

/// The source or destination of a standard stream of a child process.
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
    std::filesystem::path file; ///< For Kind::File. Stdin reads from it; stdout and stderr append to it.

    static StreamEnd inherit() { return {}; }
    static StreamEnd null() { return {Kind::Null, {}}; }
    static StreamEnd pipe() { return {Kind::Pipe, {}}; }
    static StreamEnd toFile(std::filesystem::path path) { return {Kind::File, std::move(path)}; }
};

struct SpawnOptions
{
    std::vector<std::string> argv; ///< argv[0] is looked up in PATH unless it contains a slash.
    std::optional<std::vector<std::string>> environment; ///< "NAME=value" entries; nullopt inherits the
                                                         ///< parent's environment.
    std::vector<std::pair<std::string, std::string>> extraEnvironment; ///< Added to the environment.
    std::filesystem::path workingDirectory;
    StreamEnd input = StreamEnd::null();
    StreamEnd output;
    StreamEnd error;
    std::vector<int> keepDescriptors; ///< Descriptors that stay open in the child, with the same numbers. All
                                      ///< others above 2 are closed.
    bool ownProcessGroup = true;      ///< Lets killGroup reach the child's own children.
    bool dieWithParent = false;       ///< Sends SIGKILL when the spawning *thread* ends (PR_SET_PDEATHSIG).
    std::optional<std::uint64_t> addressSpaceBytes; ///< RLIMIT_AS
    std::optional<std::uint64_t> cpuSeconds;        ///< RLIMIT_CPU (SIGXCPU, then SIGKILL two seconds later)
    std::optional<std::uint64_t> openFiles;         ///< RLIMIT_NOFILE
};

/// How a process ended.
struct ExitStatus
{
    bool signalled = false;
    int code = 0; ///< Exit code, or signal number.
    bool ok() const { return !signalled && code == 0; }
    /// Returns a phrase such as "ended with status 3" or "was killed by signal 9 (Killed)".
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
    /// The parent's ends of the pipes, or -1 for other streams. They are close-on-exec and work with poll().
    int inputFd() const { return m_input; }
    int outputFd() const { return m_output; }
    int errorFd() const { return m_error; }
    void closeInput();

    /// Returns the exit status if the process has ended, otherwise nullopt. Reaps the process once and
    /// remembers the status.
    std::optional<ExitStatus> poll();
    /// Waits for the end of the process, but at most `seconds` (negative: forever).
    std::optional<ExitStatus> wait(double seconds = -1);
    /// Signals the whole group, or only the process if it has no group of its own. Does nothing after the
    /// process ends.
    void killGroup(int signal);

private:
    friend Result<Subprocess> spawn(const SpawnOptions&);
    Subprocess() = default;
    pid_t m_pid = -1;
    bool m_group = false;
    int m_input = -1, m_output = -1, m_error = -1;
    std::optional<ExitStatus> m_status;
};

/// Starts a process. Failure to execute the program is an Error, not an exit status.
Result<Subprocess> spawn(const SpawnOptions& options);

/// Starts a process that survives its parent, in a new session and with another parent. Pipes are not
/// possible. Returns its process id.
Result<pid_t> spawnDetached(const SpawnOptions& options);

/// The result of runToEnd.
struct RunOutput
{
    ExitStatus status;
    std::string output, error; ///< At most 16 MiB each; the rest is discarded.
    bool timedOut = false;     ///< The process was killed at the time limit.
    bool isSilent = false;     ///< The process was killed because it wrote nothing within the greeting limit.
};
/// Runs a process to its end with `input` on stdin and collects both outputs. Kills it after `seconds`
/// (negative: no limit). Also kills it if it writes nothing to stdout within `greetingSeconds` (negative: no
/// limit).
Result<RunOutput> runToEnd(SpawnOptions options, std::string_view input = {}, double seconds = -1,
                           double greetingSeconds = -1);

/// Writes all bytes and retries after interruptions. A closed pipe is an Error, never SIGPIPE.
Status writeAll(int fd, std::string_view bytes);
/// Reads exactly `size` bytes. Fails at end of file; the Error's `what` is "end of stream" if nothing was
/// read.
Status readExactly(int fd, void* data, std::size_t size);

/// True while a process with this id exists. It may be a zombie or belong to another user.
bool processExists(pid_t pid);
/// The path of the running program.
std::filesystem::path executablePath();

} // namespace sparserl

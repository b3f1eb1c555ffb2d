// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "base/time_left.h"

#include <atomic>
#include <cstdio>
#include <deque>
#include <functional>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace sparserl::cli {

/// Exit statuses that scripts rely on (docs/formats.md 6).
enum ExitStatus
{
    Done = 0,
    Failed = 1,
    WrongUsage = 2,
    Interrupted = 130
};

/// The environment of a command: output of results and progress, and whether the user pressed Ctrl-C. With
/// --json, stdout contains only JSON Lines; text and progress go to stderr. All output of a command goes
/// through this class, which makes it printable() and detects write failures.
class Context
{
public:
    bool json = false;  ///< --json was given.
    bool quiet = false; ///< --quiet: no progress on stderr.
    CancelToken cancel; ///< Set by SIGINT, SIGTERM and SIGHUP; see signals.h for a second signal.
    /// The command saves its work before it ends on a signal, and gets the time for a checkpoint. Other
    /// commands are ended after three seconds (signals.h).
    bool savesOnSignal = false;
    std::string executable; ///< Absolute path of this program. The other programs are in the same folder.
    /// Replaces this process by the program with the commands that need LibTorch, with these arguments.
    /// Returns the status only on failure.
    std::function<int(const std::vector<std::string>& words)> becomeTraining;
    /// The same with this process's own arguments.
    std::function<int()> goOnInTraining;

    /// A JSON line on stdout (only with --json).
    void emit(const nlohmann::json& object) const;
    /// Human-readable text: stdout, or stderr with --json.
    void print(const std::string& text) const;
    /// One line on stderr, which later progress overwrites on a terminal; elsewhere at most one per second.
    void progress(double fraction, const std::string& phase) const;
    void endProgress() const;
    /// One line on stderr, "sparserl: TEXT", about current events.
    void note(std::string_view text) const;
    /// Prints the error as one line on stderr and, with --json, as {"error":{...}} on stdout. Returns Failed.
    int error(const Error& failure) const;
    /// The same for an invalid command line. Returns WrongUsage.
    int wrongUsage(const Error& failure) const;
    /// Returns the status of failed work: Interrupted for an error from interruption(), because the user
    /// requested it. Prints any other error, even if a signal arrived at the same time, and returns Failed.
    int failed(const Error& failure) const;

    /// Sets what the user keeps if the command is interrupted from now on, such as "3 of 8 programs are in
    /// DIR". Replaces the text of an earlier call.
    void keeps(const std::string& what) const;
    /// Prints that the command was interrupted, followed by the text of keeps().
    void sayInterrupted() const;
    /// The line that sayInterrupted() prints, with its end. Safe in signal handlers: work that cannot be
    /// interrupted is ended by one (signals.h).
    std::string_view interruptedLine() const noexcept { return *m_interrupted.load(); }

    /// Returns the exit status after all output: `status`, or Failed if stdout or stderr could not be
    /// written.
    int finish(int status) const;

private:
    void write(std::FILE* stream, const std::string& text) const;

    mutable std::recursive_mutex m_mutex; ///< Lines come from several threads.
    mutable bool m_unwritten = false;
    mutable int m_outputError = 0; ///< The errno of the first result that was not written; not of a pipe.
    mutable double m_lastProgress = 0;
    mutable bool m_progressShown = false;
    mutable TimeLeft m_left;
    /// Lines of keeps(), the newest last. A handler may still be reading one of the older.
    mutable std::deque<std::string> m_interruptedLines{"sparserl: interrupted\n"};
    mutable std::atomic<const std::string*> m_interrupted{&m_interruptedLines.back()};
};

/// A command's body. Runs after parsing and returns an ExitStatus.
using Body = std::function<int()>;

/// Each commands/NAME.cpp, here and in app/training, defines `Body add_NAME(CLI::App& app, Context&
/// context)`. It adds its subcommand with options to `app` and returns the body to run if that subcommand is
/// selected. commands.def lists the names.
struct Command
{
    const char* name;
    Body (*add)(CLI::App& app, Context& context); ///< Null: the command belongs to sparserl-training.
};

/// The program with the commands that need LibTorch, beside this one.
constexpr const char* trainingProgram = "sparserl-training";

/// Adds the subcommand `name`, a SPARSERL_TRAINING_COMMAND of commands.def, with its description and no
/// options.
CLI::App* addTrainingCommand(CLI::App& app, std::string_view name);

/// Path of the program `name` installed beside this one, e.g. "sparserl-runner".
std::string siblingProgram(const Context& context, const std::string& name);

} // namespace sparserl::cli

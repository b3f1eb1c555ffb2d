// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/cancel.h"
#include "base/result.h"
#include "base/time_left.h"

#include <cstdio>
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

/// What every command gets: where results and progress go, and whether the user pressed Ctrl-C.
/// With --json, stdout carries JSON Lines and nothing else; text for people and progress go to stderr. All
/// text that a command writes goes through here, where it is made printable() and where failures to write are
/// noticed.
class Context
{
public:
    bool json = false;  ///< --json was given.
    bool quiet = false; ///< --quiet: no progress on stderr.
    CancelToken cancel; ///< Set by SIGINT, SIGTERM and SIGHUP; see signals.h for a second signal.
    /// The command saves what it has done before it ends on a signal: a checkpoint gets the time it needs.
    /// Everything else is ended after three seconds (signals.h).
    bool savesOnSignal = false;
    std::string executable; ///< Absolute path of this program: the others are found beside it.
    /// This process becomes the program that has the commands which need LibTorch, with these words. Returns
    /// only where it cannot, with the status.
    std::function<int(const std::vector<std::string>& words)> becomeTraining;
    /// The same with the words that this process was started with.
    std::function<int()> goOnInTraining;

    /// A JSON line on stdout (only with --json).
    void emit(const nlohmann::json& object) const;
    /// Text for people: stdout, or stderr with --json.
    void print(const std::string& text) const;
    /// One line on stderr that later progress overwrites on a terminal; at most one a second elsewhere.
    void progress(double fraction, const std::string& phase) const;
    void endProgress() const;
    /// One line on stderr, "sparserl: TEXT": what happens meanwhile.
    void note(std::string_view text) const;
    /// The error as one line on stderr and, with --json, as {"error":{...}} on stdout. Returns Failed.
    int error(const Error& failure) const;
    /// The same for a command line that is wrong in itself. Returns WrongUsage.
    int wrongUsage(const Error& failure) const;
    /// The status of work that failed: Interrupted where the error is that of interruption(), for the user
    /// asked for that; else the error is said, also when a signal came with it.
    int failed(const Error& failure) const;

    /// The status to end with after everything was written: Failed where stdout or stderr took no more.
    int finish(int status) const;

private:
    void write(std::FILE* stream, const std::string& text) const;

    mutable std::recursive_mutex m_mutex; ///< Lines come from several threads.
    mutable bool m_unwritten = false;
    mutable double m_lastProgress = 0;
    mutable bool m_progressShown = false;
    mutable TimeLeft m_left;
};

/// A command's body; runs after parsing, returns an ExitStatus.
using Body = std::function<int()>;

/// Each commands/NAME.cpp, here and in app/training, defines `Body add_NAME(CLI::App& app, Context&
/// context)`: adds its subcommand with options to `app` and returns the body to run when that subcommand was
/// chosen. commands.def lists the names.
struct Command
{
    const char* name;
    Body (*add)(CLI::App& app, Context& context); ///< Null: it is sparserl-training that has this command.
};

/// The program that has the commands which need LibTorch; beside this one.
constexpr const char* trainingProgram = "sparserl-training";

/// Adds the subcommand `name`, a SPARSERL_TRAINING_COMMAND of commands.def, with its description and no
/// options.
CLI::App* addTrainingCommand(CLI::App& app, std::string_view name);

/// Path of the program `name` installed beside this one, e.g. "sparserl-runner".
std::string siblingProgram(const Context& context, const std::string& name);

} // namespace sparserl::cli

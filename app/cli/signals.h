// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"

#include <array>
#include <csignal>

namespace sparserl::cli {

/// Names, in the environment of a program that another one has become, the signals that wait for it (as
/// numbers): its early.cpp lets them in once it can end with Interrupted. Loading its libraries takes long
/// enough to press Ctrl-C in.
constexpr const char* heldSignalsVariable = "SPARSERL_HELD_SIGNALS";

/// While it lives, the first SIGINT, SIGTERM or SIGHUP sets the context's cancel token, and one that comes
/// more than a second later ends the process: timeout(1) and terminals send several at once, which ask once.
/// What has not ended three seconds after the first is ended, but a checkpoint that is being saved gets a
/// minute; a message says so. Afterwards any signal ends the process at once with the status Interrupted:
/// nothing is touched that may be gone.
class SignalScope
{
public:
    explicit SignalScope(const Context& context);
    ~SignalScope();
    SignalScope(const SignalScope&) = delete;
    SignalScope& operator=(const SignalScope&) = delete;
    bool caught() const;
    /// This process becomes `program`, with these arguments and what was ignored before ignored again;
    /// signals that come meanwhile wait for that program. Returns only where it does not: EINTR where a
    /// signal has come already, else the errno of execv.
    int replaceProcess(const char* program, char** argv) const;

private:
    std::array<struct sigaction, 5> m_before{}; ///< As `handled` in signals.cpp.
};

/// A checkpoint is being saved from now on, or no longer.
void noteSaving(bool saving);

/// While it lives, a signal does not end the process in the middle of a line, unless nobody reads it for a
/// second.
class WholeLine
{
public:
    WholeLine();
    ~WholeLine();
    WholeLine(const WholeLine&) = delete;
    WholeLine& operator=(const WholeLine&) = delete;
};

} // namespace sparserl::cli

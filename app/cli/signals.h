// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "base/lock.h"

#include <array>
#include <csignal>

namespace sparserl::cli {

/// Environment variable with the numbers of pending signals for a program that replaces this process. Its
/// early.cpp unblocks them once it can end with Interrupted. This is necessary because loading its libraries
/// takes long enough for a Ctrl-C.
constexpr const char* heldSignalsVariable = "SPARSERL_HELD_SIGNALS";

/// During its lifetime, the first SIGINT, SIGTERM or SIGHUP sets the context's cancel token. A signal more
/// than a second later ends the process; timeout(1) and terminals send several at once, which count as one.
/// After three seconds the process is ended, except that saving a checkpoint gets a minute, with a message.
/// After its lifetime, any signal ends the process immediately with status Interrupted, without touching
/// other objects.
class SignalScope
{
public:
    explicit SignalScope(const Context& context);
    ~SignalScope();
    SignalScope(const SignalScope&) = delete;
    SignalScope& operator=(const SignalScope&) = delete;
    bool caught() const;
    /// Replaces this process by `program` with these arguments. Restores ignored signals; new signals are
    /// pending for that program. Returns only on failure: EINTR if a signal has already arrived, otherwise
    /// the errno of execv.
    int replaceProcess(const char* program, char** argv) const;

private:
    std::array<struct sigaction, 5> m_before{}; ///< In the order of `handled` in signals.cpp.
};

/// Call it when the saving of a checkpoint begins or ends.
void noteSaving(bool saving);

/// Call it with the lock of the run that this process works on, and with nullptr before the lock is released.
/// If a signal ends the process in the middle of its work, the lock's file says so.
void noteLock(const FileLock* lock);

/// During its lifetime, a signal does not end the process in the middle of an output line, unless the output
/// is not read for a second.
class WholeLine
{
public:
    WholeLine();
    ~WholeLine();
    WholeLine(const WholeLine&) = delete;
    WholeLine& operator=(const WholeLine&) = delete;
};

} // namespace sparserl::cli

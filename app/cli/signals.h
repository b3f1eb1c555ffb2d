// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"

namespace sparserl::cli {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP sets the context's cancel token, and the second ends
/// the process. What has not ended three seconds after the first is ended, but a checkpoint that is being
/// saved gets a minute; whoever waits is told. Afterwards any signal ends the process at once with the status
/// Interrupted: nothing is touched that may be gone.
class SignalScope
{
public:
    explicit SignalScope(const Context& context);
    ~SignalScope();
    SignalScope(const SignalScope&) = delete;
    SignalScope& operator=(const SignalScope&) = delete;
    bool caught() const;
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

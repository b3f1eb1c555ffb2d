// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"

namespace sparserl::cli {

/// While it lives, the first SIGINT, SIGTERM or SIGHUP sets the context's cancel token, and the second ends
/// the process. A command that has nothing to save is ended three seconds after the first. Afterwards any of
/// them ends the process at once with the status Interrupted: nothing is touched that may be gone.
class SignalScope
{
public:
    explicit SignalScope(const Context& context);
    ~SignalScope();
    SignalScope(const SignalScope&) = delete;
    SignalScope& operator=(const SignalScope&) = delete;
    bool caught() const;
};

} // namespace sparserl::cli

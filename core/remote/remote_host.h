// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace sparserl {

/// A machine to which runs are sent.
struct RemoteHost
{
    std::string name; ///< The name that is passed to ssh; usually an alias in ~/.ssh/config.
    std::string folder = "sparserl-projects"; ///< The folder for projects on the host: absolute, or relative
                                              ///< to the home folder.
    /// The program on the host: a path, or a name on the PATH of ssh's shell.
    std::string program = "sparserl";

    /// Returns "HOST" or "HOST:FOLDER".
    std::string text() const;
    bool operator==(const RemoteHost&) const = default;
};

/// Parses "HOST" or "HOST:FOLDER". Fails for texts that ssh or the remote shell could misinterpret.
Result<RemoteHost> parseRemoteHost(std::string_view text);
/// Makes the same checks for a host that was not parsed from a text.
Status checkRemoteHost(const RemoteHost& host);

} // namespace sparserl

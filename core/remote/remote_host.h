// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace sparserl {

/// A machine to which runs are sent.
struct RemoteHost
{
    std::string name;                         ///< As ssh takes it; usually an alias in ~/.ssh/config.
    std::string folder = "sparserl-projects"; ///< On the host: absolute, or below the home folder.
    std::string program = "sparserl";         ///< On the host: a name on the PATH of ssh's shell, or a path.

    /// "HOST" or "HOST:FOLDER".
    std::string text() const;
    bool operator==(const RemoteHost&) const = default;
};

/// Parses "HOST" or "HOST:FOLDER". Fails for text that ssh or the remote shell could misread.
Result<RemoteHost> parseRemoteHost(std::string_view text);
/// The same checks for a host from another source.
Status checkRemoteHost(const RemoteHost& host);

} // namespace sparserl

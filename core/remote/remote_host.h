// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace sparserl {

/// Another machine that runs are sent to.
struct RemoteHost
{
    std::string name;                         ///< As ssh takes it; an alias of ~/.ssh/config as a rule.
    std::string folder = "sparserl-projects"; ///< There: absolute, or below the home folder.
    std::string program = "sparserl";         ///< There: on the PATH of ssh's shell, or a path.

    /// "HOST" or "HOST:FOLDER".
    std::string text() const;
    bool operator==(const RemoteHost&) const = default;
};

/// "HOST" or "HOST:FOLDER"; fails with a sentence for what ssh or a shell there could misread.
Result<RemoteHost> parseRemoteHost(std::string_view text);
/// The same of a host that was put together otherwise.
Status checkRemoteHost(const RemoteHost& host);

} // namespace sparserl

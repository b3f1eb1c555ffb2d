// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "remote/remote_host.h"

#include <filesystem>
#include <vector>

namespace sparserl {

/// Where the user's hosts are kept: $XDG_CONFIG_HOME/sparserl/hosts.toml, or below ~/.config.
std::filesystem::path knownHostsFile();
/// Those that were used, the last one first. What is damaged or could be misread is left out.
std::vector<RemoteHost> readKnownHosts(const std::filesystem::path& file = knownHostsFile());
/// Puts it first; at most 20 are kept.
Status rememberHost(const RemoteHost& host, const std::filesystem::path& file = knownHostsFile());

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "remote/remote_host.h"

#include <filesystem>
#include <vector>

namespace sparserl {

/// Returns the file that lists the user's hosts: $XDG_CONFIG_HOME/sparserl/hosts.toml, where XDG_CONFIG_HOME
/// defaults to ~/.config.
std::filesystem::path knownHostsFile();
/// Reads the user's hosts, the most recently used first. Skips damaged and ambiguous entries.
std::vector<RemoteHost> readKnownHosts(const std::filesystem::path& file = knownHostsFile());
/// Returns the host of a run as the user has confirmed it on this machine (rememberHost()), with the path of
/// its program. A project can determine neither of them. Fails if the host is not confirmed.
Result<RemoteHost> confirmedHost(const std::string& name, const std::string& folder,
                                 const std::filesystem::path& file = knownHostsFile());
/// Confirms a host: moves it to the front of the list, which keeps at most 200 hosts. Preserves other
/// contents of the file. Fails, and leaves the file as it is, if the file cannot be read or parsed.
Status rememberHost(const RemoteHost& host, const std::filesystem::path& file = knownHostsFile());

} // namespace sparserl

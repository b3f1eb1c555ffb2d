// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "remote/remote_host.h"

#include <filesystem>
#include <vector>

namespace sparserl {

/// The file of the user's hosts: $XDG_CONFIG_HOME/sparserl/hosts.toml, or below ~/.config.
std::filesystem::path knownHostsFile();
/// The hosts in order of last use, newest first. Skips damaged and ambiguous entries.
std::vector<RemoteHost> readKnownHosts(const std::filesystem::path& file = knownHostsFile());
/// The host of a run as confirmed by the user on this machine (rememberHost), with the program there. A
/// project determines neither. Fails for an unconfirmed host.
Result<RemoteHost> confirmedHost(const std::string& name, const std::string& folder,
                                 const std::filesystem::path& file = knownHostsFile());
/// Moves a host to the front, which confirms it; keeps at most 200. Preserves other contents of the file.
/// Does not change a file that cannot be read or understood, and returns the reason.
Status rememberHost(const RemoteHost& host, const std::filesystem::path& file = knownHostsFile());

} // namespace sparserl

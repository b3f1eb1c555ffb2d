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
/// The host of a run, as the user has confirmed it on this machine (rememberHost), with the program that
/// stands there: what lies in a project decides neither. Fails with a sentence for one that is not confirmed.
Result<RemoteHost> confirmedHost(const std::string& name, const std::string& folder,
                                 const std::filesystem::path& file = knownHostsFile());
/// Puts it first, which confirms it; at most 200 are kept. What else the file holds stays as it is; one that
/// cannot be read or understood is not changed, and the Error says why.
Status rememberHost(const RemoteHost& host, const std::filesystem::path& file = knownHostsFile());

} // namespace sparserl

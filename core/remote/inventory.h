// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "project/files/project.h"
#include "project/run/run_config.h"
#include "remote/remote_host.h"
#include "remote/sent_policy.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sparserl {

/// Identifies a run on another machine: its name there, and the random number in the file run.identity of its
/// remote folder.
struct RunIdentity
{
    std::string nameThere, id;
    bool operator==(const RunIdentity&) const = default;
};

/// Reads the identity from a file of a run's folder (run.identity or run.claim). Returns nullopt if the file
/// does not exist.
Result<std::optional<std::string>> identityIn(const std::filesystem::path& file);

/// The contents of a remote folder, and the version of the program on that machine.
struct RemoteInventory
{
    std::string version;
    bool hasRsync = false;
    std::map<std::string, std::int64_t> files; ///< Sizes in bytes, by path below the folder.
    RunIdentity run;                           ///< The run for which runs/NAME is reserved.
    /// The run has been sent completely: run.toml and run.identity, which is sent last, exist.
    bool hasRun = false;
};

/// Lists a remote folder. Fails if the remote program has another version, because a run must continue as it
/// would on this machine. With a `run`, also prepares for sending it: creates the folder and runs/NAME, and
/// claims runs/NAME for the run's identity. If runs/NAME belongs to another run, or is not empty and has no
/// identity, fails and changes nothing.
Result<RemoteInventory> inventory(const RemoteHost& host, const std::string& folder,
                                  const RunIdentity& run = {});
/// Answers inventory() on the remote machine: writes the list to `output`. Sets `hasRsync` if rsync is on the
/// PATH.
Status tellInventory(const std::filesystem::path& folder, const RunIdentity& run, const std::string& version,
                     int output);

/// The initial policy of a run, and its place in the remote project folder. The place is named after the
/// policy's contents, because a policy may be trained again under its old name. All members are empty if the
/// run has no initial policy.
struct ShippedPolicy
{
    std::filesystem::path source;
    std::string target;
    std::vector<TreeFile> files; ///< The files below `source` to send; no other files are sent.
};
/// Returns the initial policy of a run. Fails if the folder contains no policy, or if the project must not
/// send it (requireNamedPolicy()).
Result<ShippedPolicy> policyOf(const Project& project, const RunConfig& config);

/// Removes a policy from the inventory if its remote contents do not match its name (for example after data
/// loss), so that it is sent again. Contacts the host only if the inventory contains the policy.
Status forgetDamagedPolicy(RemoteInventory& there, const RemoteHost& host, const std::string& folder,
                           const ShippedPolicy& policy);
/// Answers the request of forgetDamagedPolicy() on the remote machine: writes to `output` whether the policy
/// in this folder matches the folder's name.
Status tellPolicy(const std::filesystem::path& folder, int output);

enum class Hidden
{
    Skip, ///< Skips names that begin with a dot; these are incomplete files.
    Take
};
/// Lists all regular files below a folder, or none if the folder does not exist. Skips files that disappear
/// during the call. Fails for an unreadable entry, because a caller could not recognise an incomplete list.
Result<std::vector<TreeFile>> treeOf(const std::filesystem::path& folder, Hidden hidden);
/// Returns whether a program is on this machine's PATH.
bool isOnPath(const char* program);

} // namespace sparserl

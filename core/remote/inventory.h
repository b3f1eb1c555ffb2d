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

/// The remote name of a run, and the random number stored in its remote folder (run.identity).
struct RunIdentity
{
    std::string nameThere, id;
    bool operator==(const RunIdentity&) const = default;
};

/// The identity in a file of a run's folder (run.identity, run.claim); nullopt if there is no file.
Result<std::optional<std::string>> identityIn(const std::filesystem::path& file);

/// Contents of a remote folder, and the version of the program there.
struct RemoteInventory
{
    std::string version;
    bool hasRsync = false;
    std::map<std::string, std::int64_t> files; ///< Sizes, by path below the folder.
    RunIdentity run;                           ///< The run for which its folder is reserved.
    bool hasRun = false; ///< The run is complete: run.toml, and run.identity, which comes last.
};

/// Lists a remote folder. Fails if the program there has another version, because a run must continue as it
/// would here. With a `run`, creates the folder and runs/NAME and claims runs/NAME for the run's identity, in
/// preparation for sending. Fails before any change if runs/NAME belongs to another run, or is not empty and
/// has no identity.
Result<RemoteInventory> inventory(const RemoteHost& host, const std::string& folder,
                                  const RunIdentity& run = {});
/// Answers inventory() on `output`. `hasRsync` is determined from PATH.
Status tellInventory(const std::filesystem::path& folder, const RunIdentity& run, const std::string& version,
                     int output);

/// The initial policy of a run, and its place in the remote project folder. Named by its contents, because a
/// policy retrained under an old name is a different one. All empty if the run has none.
struct ShippedPolicy
{
    std::filesystem::path source;
    std::string target;
    std::vector<TreeFile> files; ///< Below `source`; no other files are sent.
};
/// Fails if the run's policy is not a policy, or one that the user has not named (sent_policy.h).
Result<ShippedPolicy> policyOf(const Project& project, const RunConfig& config);

/// Removes a policy from the inventory if its remote contents do not match its name (for example after data
/// loss), so it is sent again. Contacts the host only if the policy seems to exist there.
Status forgetDamagedPolicy(RemoteInventory& there, const RemoteHost& host, const std::string& folder,
                           const ShippedPolicy& policy);
/// Answers that request: whether the policy in this folder matches the folder's name.
Status tellPolicy(const std::filesystem::path& folder, int output);

enum class Hidden
{
    Skip, ///< Names that begin with a dot: incomplete files.
    Take
};
/// All regular files below a folder; none if there is no folder. Skips files that disappear meanwhile. An
/// unreadable entry is an Error, because an incomplete list would pass for a complete one.
Result<std::vector<TreeFile>> treeOf(const std::filesystem::path& folder, Hidden hidden);
/// Whether a program is on this machine's PATH.
bool isOnPath(const char* program);

} // namespace sparserl

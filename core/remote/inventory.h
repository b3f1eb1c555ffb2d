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

/// What a run is called there, and the random number that its folder there keeps (run.identity).
struct RunIdentity
{
    std::string nameThere, id;
    bool operator==(const RunIdentity&) const = default;
};

/// What a file of a run's folder (run.identity, run.claim) says of which run it is; nothing where there is no
/// such file.
Result<std::optional<std::string>> identityIn(const std::filesystem::path& file);

/// What a folder of the other side holds, and what the program there is.
struct RemoteInventory
{
    std::string version;
    bool hasRsync = false;
    std::map<std::string, std::int64_t> files; ///< Sizes, by path below the folder.
    RunIdentity run;                           ///< The folder of this run is for it, and for no other.
    bool hasRun = false; ///< It is there, whole: run.toml, and what comes last of it, run.identity.
};

/// Says what is in a folder there. Fails where another version of the program is there: a run is to go on as
/// it would here. With a `run`, the folder and runs/NAME in it are made, and claimed for the run by its
/// identity, so that it can be sent; before anything is made or changed there, this fails where runs/NAME is
/// of another run, or holds anything and does not say of which it is.
Result<RemoteInventory> inventory(const RemoteHost& host, const std::string& folder,
                                  const RunIdentity& run = {});
/// Answers inventory(): prints it on `output`. `hasRsync` is looked up on PATH.
Status tellInventory(const std::filesystem::path& folder, const RunIdentity& run, const std::string& version,
                     int output);

/// The policy that a run starts from, and its place in the project's folder there: called by what it holds,
/// as what was trained anew under an old name is another one. All empty: the run starts from none.
struct ShippedPolicy
{
    std::filesystem::path source;
    std::string target;
    std::vector<TreeFile> files; ///< Below `source`: no others are sent.
};
/// Fails where the run names what is no policy, or one that the user has not named (sent_policy.h).
Result<ShippedPolicy> policyOf(const Project& project, const RunConfig& config);

/// Takes a policy out of the inventory where what is there does not hold what its name says (a disk that lost
/// something), so that it is sent again. Asks only where it seems to be there.
Status forgetDamagedPolicy(RemoteInventory& there, const RemoteHost& host, const std::string& folder,
                           const ShippedPolicy& policy);
/// Answers that: whether the policy in this folder is what the folder's name says.
Status tellPolicy(const std::filesystem::path& folder, int output);

enum class Hidden
{
    Skip, ///< Names that begin with a dot: half-written.
    Take
};
/// Every regular file below a folder; none where there is no folder. What goes while it is read is left out;
/// what cannot be read is an Error, as a list with a hole would be taken for the whole.
Result<std::vector<TreeFile>> treeOf(const std::filesystem::path& folder, Hidden hidden);
/// Whether a program is on this machine's PATH.
bool isOnPath(const char* program);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "training/work/find_policy.h"

#include "base/beneath.h"
#include "project/run/checkpoint_files.h"
#include "project/run/default_policy.h"
#include "project/run/run_directory.h"

#include <cstdlib>

namespace sparserl {

namespace {

/// A policy in a checkpoint is used only if the checkpoint is whole.
Result<std::filesystem::path> verified(const std::filesystem::path& folder)
{
    if (glance(folder / "checkpoint.json").exists) {
        SPARSERL_TRY(auto fault, checkpointFault(folder));
        if (fault) {
            fault->remedy = insteadOfCheckpoint(folder);
            return fail(std::move(*fault));
        }
    }
    return folder;
}

} // namespace

Result<std::filesystem::path> findPolicy(const std::filesystem::path& path)
{
    if (isPolicyFolder(path))
        return verified(path);
    SPARSERL_TRY(const auto newest, newestCheckpoint(path));
    if (newest) {
        SPARSERL_TRY(auto whole, verified(newest->path)); // what is missing in it is damage, too
        if (isPolicyFolder(whole))
            return whole;
    }
    if (path == defaultPolicyName) { // What the user calls so, and what is no policy, does not hide it.
        if (const auto folder = defaultPolicyFolder())
            return verified(*folder);
        const char* const named = std::getenv(defaultPolicyVariable);
        if (named != nullptr && *named != '\0')
            return failAt(named, 0, "there is no policy here, where SPARSERL_DEFAULT_POLICY points",
                          "Name a policy, or let the variable name the folder of one");
        return fail("this installation has no default policy", noDefaultPolicy);
    }
    return failAt(path.string(), 0, "there is no policy here",
                  "Give a policy directory, a checkpoint, or a run that trains");
}

} // namespace sparserl

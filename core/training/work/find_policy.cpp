// SPDX-License-Identifier: Apache-2.0
#include "training/work/find_policy.h"

#include "base/beneath.h"
#include "project/run/checkpoint_files.h"
#include "project/run/default_policy.h"
#include "project/run/run_directory.h"

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
    if (path == defaultPolicyName && !glance(path).exists) {
        if (const auto folder = defaultPolicyFolder())
            return verified(*folder);
        return fail("this installation has no default policy", noDefaultPolicy);
    }
    SPARSERL_TRY(const auto newest, newestCheckpoint(path));
    if (newest) {
        SPARSERL_TRY(const auto whole, verified(newest->path)); // what is missing in it is damage, too
        if (isPolicyFolder(whole))
            return whole;
    }
    return failAt(path.string(), 0, "there is no policy here",
                  "Give a policy directory, a checkpoint, or a run that trains");
}

} // namespace sparserl

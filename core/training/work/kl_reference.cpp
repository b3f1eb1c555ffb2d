// SPDX-License-Identifier: Apache-2.0
#include "training/work/kl_reference.h"

#include "base/beneath.h"
#include "project/files/run_files.h"
#include "project/run/checkpoint_files.h"
#include "project/run/run_config.h"
#include "training/parameters/stage_parameters.h"
#include "training/work/find_policy.h"
#include "training/work/stage_setup.h"

namespace sparserl {

namespace {

namespace fs = std::filesystem;

constexpr const char* instead = "Set rl.kl_reference to parent, or to a checkpoint that is there";

/// The policy from which no run of `rl` has learned.
Result<fs::path> beforeRl(fs::path policy)
{
    constexpr int most = 1000; // runs that name each other in a circle
    for (int i = 0; i < most; ++i) {
        const fs::path run = policy.parent_path().parent_path(); // RUN/checkpoints/NAME
        if (!glance(run / runFile).exists)
            return policy;
        SPARSERL_TRY(const auto config, readRunConfig(run / runFile));
        if (config.stage != nameOf(StageKind::Rl))
            return policy;
        const fs::path parent = parentOf(config);
        auto found = findPolicy(parent);
        if (!found)
            return failAt(parent.string(), 0,
                          "rl.kl_reference = sft, and the policy that reinforcement learning began with is "
                          "not here: " +
                              found.error().what,
                          instead);
        policy = std::move(*found);
    }
    return failAt(policy.string(), 0, "rl.kl_reference = sft, and every ancestor is a run of rl", instead);
}

} // namespace

Result<fs::path> klReference(const std::string& choice, const fs::path& parent, const fs::path& project)
{
    if (choice == "parent")
        return parent;
    if (choice == "sft")
        return beforeRl(parent);
    const fs::path named = fs::path(choice).is_absolute() ? fs::path(choice) : project / choice;
    if (!isPolicyFolder(named))
        return failAt(named.string(), 0,
                      "rl.kl_reference is neither parent, sft nor a checkpoint with a policy", instead);
    return findPolicy(named);
}

} // namespace sparserl

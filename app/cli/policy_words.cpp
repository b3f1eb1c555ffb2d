// SPDX-License-Identifier: Apache-2.0
#include "app/cli/policy_words.h"

#include "app/cli/project_words.h"
#include "app/cli/usage.h"
#include "base/beneath.h"
#include "project/files/project.h"
#include "project/run/default_policy.h"
#include "project/run/run_directory.h"
#include "remote/sent_policy.h"
#include "training/work/find_policy.h"

#include <filesystem>

namespace sparserl::cli {

namespace {

/// A finished policy of this or another project.
std::string absolutePolicy(const Project& project, const std::string& word)
{
    namespace fs = std::filesystem;
    // A folder that happens to be called so hides neither a run nor the default policy.
    const bool isDefault = word == defaultPolicyName && !findPolicy(fs::absolute(word));
    if ((isDefault || !glance(word).exists) && glance(project.runsPath() / word).exists)
        return (project.runsPath() / word).string(); // the name of a run
    if (isDefault && defaultPolicyFolder())
        return word; // as runs keep it
    return fs::absolute(word).string();
}

} // namespace

Result<std::string> namedPolicy(const Project& project, const std::string& word, bool leaves)
{
    std::string folder = absolutePolicy(project, word);
    // A mistyped one must not leave a run behind that can never begin.
    const auto policy = findPolicy(policyPlace(folder));
    if (!policy && glance(folder).exists)
        return fail(policy.error()); // it names the file that is at fault, and what to do about it
    if (!policy) {
        auto names = runNames(project);
        names.emplace_back(defaultPolicyName);
        return failAt(
            word, 0, policy.error().what,
            nearRemedy(word, names, policy.error().remedy + "; the name of a run of the project also works"));
    }
    if (folder == defaultPolicyName)
        return folder; // It comes with the program.
    const auto named = recordNamedPolicy(folder);
    if (!named && leaves)
        return fail(named.error());
    SPARSERL_CHECK(keepCheckpoint(folder));
    return folder;
}

} // namespace sparserl::cli

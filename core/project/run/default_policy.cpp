// SPDX-License-Identifier: Apache-2.0
#include "project/run/default_policy.h"

#include "base/beneath.h"
#include "base/hash.h"
#include "base/mapped_file.h"
#include "base/subprocess.h"
#include "project/run/checkpoint_files.h"

#include <cstdlib>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

/// Where the program brings its own, whatever the environment names.
fs::path installedFolder()
{
    return executablePath().parent_path().parent_path() / "share/sparserl/policy";
}

} // namespace

std::optional<fs::path> defaultPolicyFolder()
{
    const char* const named = std::getenv(defaultPolicyVariable);
    const fs::path folder = named != nullptr && *named != '\0' ? fs::absolute(named) : installedFolder();
    if (!isPolicyFolder(folder))
        return std::nullopt;
    return resolvedPlace(folder); // In a build folder, it is a link.
}

std::string keptPolicy(const std::string& policy)
{
    if (policy.empty() || policy == defaultPolicyName)
        return policy;
    // What the environment names is a folder of the user's, which stays where it is.
    const fs::path folder =
        fs::path(policy).has_filename() ? fs::path(policy) : fs::path(policy).parent_path();
    const bool installed = resolvedPlace(folder) == resolvedPlace(installedFolder());
    return installed ? std::string(defaultPolicyName) : policy;
}

fs::path policyPlace(const std::string& kept)
{
    return kept == defaultPolicyName ? defaultPolicyFolder().value_or(fs::path(kept)) : fs::path(kept);
}

Result<std::string> digestOfPolicy(const fs::path& folder)
{
    Hasher all;
    for (const char* name : {policyNeeds[0], policyNeeds[1], "tokenizer.json"}) {
        if (!glance(folder / name).exists)
            continue; // one without a tokenizer is refused where it is loaded
        const auto mapped = MappedFile::open(folder / name);
        if (!mapped)
            return fail(mapped.error());
        all.update(std::string(name) + "\n" + sha256Hex(mapped->view()) + "\n");
        SPARSERL_CHECK(mapped->whole());
    }
    return all.hex();
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#include "project/run/default_policy.h"

#include "base/beneath.h"
#include "base/subprocess.h"
#include "project/run/checkpoint_files.h"

#include <cstdlib>

namespace sparserl {

namespace fs = std::filesystem;

std::optional<fs::path> defaultPolicyFolder()
{
    const char* const named = std::getenv(defaultPolicyVariable);
    const fs::path folder = named != nullptr && *named != '\0'
                                ? fs::absolute(named)
                                : executablePath().parent_path().parent_path() / "share/sparserl/policy";
    if (!isPolicyFolder(folder))
        return std::nullopt;
    return resolvedPlace(folder); // In a build folder, it is a link.
}

} // namespace sparserl

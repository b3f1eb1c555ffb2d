// SPDX-License-Identifier: Apache-2.0
#include "evaluation/runners/find_runner.h"

#include "base/subprocess.h"

#include <cstdlib>
#include <system_error>
#include <vector>

namespace sparserl {

namespace fs = std::filesystem;

Result<fs::path> findRunner(const fs::path& given)
{
    std::vector<fs::path> candidates;
    if (!given.empty()) {
        candidates = {given};
    } else {
        if (const char* chosen = std::getenv("SPARSERL_RUNNER"); chosen && *chosen)
            candidates.emplace_back(chosen);
        const fs::path folder = executablePath().parent_path();
        candidates.push_back(folder / "sparserl-runner");
        candidates.push_back(folder.parent_path() / "bin" / "sparserl-runner");
    }
    for (const auto& candidate : candidates) {
        std::error_code error;
        if (fs::is_regular_file(candidate, error))
            return candidate;
    }
    return fail("sparserl-runner was not found (looked for " + candidates.back().string() + ")",
                "build it, or set SPARSERL_RUNNER to its path");
}

} // namespace sparserl

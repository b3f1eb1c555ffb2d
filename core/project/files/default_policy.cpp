// SPDX-License-Identifier: Apache-2.0
#include "project/files/default_policy.h"

#include "project/run/checkpoint_files.h"

#include <cstdlib>
#include <system_error>

namespace sparserl {

namespace fs = std::filesystem;

std::optional<fs::path> defaultPolicyFolder()
{
    fs::path folder;
    if (const char* named = std::getenv("SPARSERL_DEFAULT_POLICY"); named != nullptr && *named != '\0') {
        folder = named;
    } else {
        std::error_code error;
        const fs::path program = fs::read_symlink("/proc/self/exe", error);
        if (error)
            return std::nullopt;
        folder = program.parent_path().parent_path() / "share/sparserl/policy";
    }
    if (!isPolicyFolder(folder))
        return std::nullopt;
    std::error_code error;
    const fs::path canonical = fs::canonical(folder, error); // In a build folder, it is a link.
    return error ? folder : canonical;
}

} // namespace sparserl

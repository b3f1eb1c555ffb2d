// SPDX-License-Identifier: Apache-2.0
#include "machine/cuda_tools.h"

#include "base/path_folders.h"
#include "machine/cuda_libraries.h"

#include <cstdlib>
#include <fmt/format.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace sparserl {

namespace fs = std::filesystem;

Result<fs::path> findCudaTool(std::string_view name)
{
    std::vector<fs::path> folders;
    if (const char* chosen = std::getenv("SPARSERL_CUDA_DIR"); chosen && *chosen)
        folders.insert(folders.end(), {fs::path(chosen), fs::path(chosen) / "bin"});
    for (const fs::path& libraries : cudaLibraryFolders())
        folders.push_back(libraries.parent_path() / "bin");
    for (fs::path& folder : pathFolders())
        folders.push_back(std::move(folder));
    for (const fs::path& folder : folders) {
        const fs::path program = folder / name;
        std::error_code code;
        if (fs::is_regular_file(program, code) && ::access(program.c_str(), X_OK) == 0)
            return fs::canonical(program, code);
    }
    return fail(fmt::format("this machine has no {}", name),
                fmt::format("Install the CUDA toolkit {0}, or take nvidia-cuda-{1} from PyPI (`pip download "
                            "--no-deps nvidia-cuda-{1}`, then unzip it) and put its {1} on the PATH or into "
                            "$SPARSERL_CUDA_DIR/bin",
                            cudaMajorVersion, name));
}

} // namespace sparserl

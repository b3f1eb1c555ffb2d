// SPDX-License-Identifier: Apache-2.0
#include "machine/cuda_libraries.h"

#include "base/files.h"

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <fmt/format.h>
#include <sstream>
#include <system_error>

namespace sparserl {

namespace fs = std::filesystem;

namespace {

/// Below a .deps folder or a folder of Python packages, where the wheels put their libraries.
constexpr const char* wheelFolder = "site/nvidia/cu13/lib";

fs::path programFolder()
{
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    return error ? fs::path{} : program.parent_path();
}

} // namespace

std::vector<fs::path> cudaLibraryFolders()
{
    std::vector<fs::path> folders;
    const auto add = [&](const fs::path& folder) {
        std::error_code error;
        if (fs::is_directory(folder, error) &&
            std::find(folders.begin(), folders.end(), folder) == folders.end())
            folders.push_back(folder);
    };
    if (const char* chosen = std::getenv("SPARSERL_CUDA_DIR"); chosen && *chosen) {
        add(chosen);
        add(fs::path(chosen) / "lib64");
        add(fs::path(chosen) / "lib");
    }
#ifdef SPARSERL_DEPS_DIR
    add(fs::path(SPARSERL_DEPS_DIR) / wheelFolder);
#endif
    fs::path folder = programFolder();
    for (int i = 0; i < 5 && !folder.empty(); ++i, folder = folder.parent_path()) {
        add(folder / ".deps" / wheelFolder);
        add(folder / "lib" / "sparserl" / wheelFolder); // an installation (cmake/SparserlInstall.cmake)
        if (folder == folder.parent_path())
            break;
    }
    add("/usr/local/cuda/lib64");
    std::error_code error;
    std::vector<fs::path> toolkits;
    for (const auto& entry : fs::directory_iterator("/usr/local", error))
        if (entry.path().filename().string().starts_with("cuda-" + std::to_string(cudaMajorVersion)))
            toolkits.push_back(entry.path() / "lib64");
    std::sort(toolkits.rbegin(), toolkits.rend());
    for (const auto& toolkit : toolkits)
        add(toolkit);
    return folders;
}

void* OpenedLibrary::symbol(const char* name) const
{
    return handle ? dlsym(handle, name) : nullptr;
}

Result<OpenedLibrary> openCudaLibrary(std::string_view name)
{
    const std::string file(name);
    std::string tried;
    for (const auto& folder : cudaLibraryFolders()) {
        const fs::path path = folder / file;
        std::error_code error;
        if (!fs::exists(path, error)) {
            tried += (tried.empty() ? "" : ", ") + folder.string();
            continue;
        }
        if (void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
            return OpenedLibrary{handle, path};
        const char* reason = dlerror();
        tried +=
            (tried.empty() ? "" : ", ") + path.string() + " (" + (reason ? reason : "cannot be opened") + ")";
    }
    if (void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL))
        return OpenedLibrary{handle, file};
    return fail(
        file + " was not found" + (tried.empty() ? std::string{} : " (looked in " + tried + ")"),
        fmt::format("{}, or set SPARSERL_CUDA_DIR to a CUDA {} toolkit", installAgain, cudaMajorVersion));
}

std::string nvidiaModuleVersion()
{
    const auto text = readFile("/proc/driver/nvidia/version", 1 << 16);
    if (!text)
        return {};
    std::istringstream words(text->substr(0, text->find('\n')));
    for (std::string word; words >> word;) {
        if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos)
            return word;
    }
    return {};
}

} // namespace sparserl

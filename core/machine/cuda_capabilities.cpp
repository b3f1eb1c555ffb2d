// SPDX-License-Identifier: Apache-2.0
#include "machine/cuda_capabilities.h"

#include "base/capital.h"
#include "base/files.h"
#include "base/format.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/subprocess.h"
#include "machine/cuda_libraries.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <sstream>

namespace sparserl {

std::vector<std::string> splitText(const std::string& text, char separator)
{
    std::vector<std::string> parts;
    std::istringstream in(text);
    for (std::string part; std::getline(in, part, separator);) {
        const auto begin = part.find_first_not_of(" \t\r");
        const auto end = part.find_last_not_of(" \t\r");
        parts.push_back(begin == std::string::npos ? "" : part.substr(begin, end - begin + 1));
    }
    return parts;
}

namespace {

namespace fs = std::filesystem;
using Level = Capability::Level;

constexpr int leastDriver = 580; ///< What CUDA 13 needs.
constexpr int leastMajor = 8;    ///< Ampere
constexpr const char* simulatedInstead = "kernels run on the simulated device";

std::string environment(const char* name)
{
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

/// First of the loader's usual folders that holds the library; nothing is loaded.
std::optional<fs::path> findLibrary(const std::string& name, std::vector<fs::path> folders)
{
    for (const std::string& folder : splitText(environment("LD_LIBRARY_PATH"), ':'))
        folders.emplace_back(folder);
    for (const char* folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64",
                               "/usr/lib", "/usr/lib/wsl/lib", "/usr/local/nvidia/lib64", "/usr/local/lib"})
        folders.emplace_back(folder);
    for (const fs::path& folder : folders) {
        std::error_code code;
        if (!folder.empty() && fs::exists(folder / name, code))
            return folder / name;
    }
    return std::nullopt;
}

bool isElf(const fs::path& path)
{
    const auto file = MappedFile::open(path);
    return file && file->view().starts_with("\x7f"
                                            "ELF");
}

struct ProbedGpu
{
    std::string name, driver;
    int major = 0, minor = 0;
    double memory = 0;
};

/// What the driver said when it was tried.
struct Probe
{
    bool tried = false; ///< The runner came up and answered.
    std::vector<ProbedGpu> gpus;
    std::string what, remedy; ///< Why there are none.
};

Probe probeDriver(const fs::path& runner)
{
    Probe probe;
    SpawnOptions options;
    options.argv = {runner.string(), "--gpus"};
    const auto run = runToEnd(options, {}, 15);
    if (!run)
        return probe;
    if (run->timedOut) {
        probe.tried = true;
        probe.what = "the NVIDIA driver does not answer";
        probe.remedy = "See whether nvidia-smi answers; restart the machine if it does not.";
        return probe;
    }
    const auto json = parseJson(run->output);
    if (!json || !json->is_object())
        return probe;
    probe.tried = true;
    probe.what = jsonValue(*json, "what", std::string());
    probe.remedy = jsonValue(*json, "remedy", std::string());
    if (const auto list = json->find("gpus"); list != json->end() && list->is_array()) {
        for (const auto& one : *list)
            probe.gpus.push_back({jsonValue(one, "name", std::string()),
                                  jsonValue(one, "driver", std::string()), jsonValue(one, "major", 0),
                                  jsonValue(one, "minor", 0), jsonValue(one, "memory", 0.0)});
    }
    return probe;
}

std::string asSentence(std::string text)
{
    text = withCapital(std::move(text));
    if (!text.empty() && text.back() != '.')
        text += '.';
    return text;
}

Capability driverCapability(const Probe& probe)
{
    Capability c{"driver", "NVIDIA driver", Level::Ok, {}, {}, {}};
    const std::string version = nvidiaModuleVersion();
    const auto library = findLibrary("libcuda.so.1", {});
    c.detail = library ? library->string() : "";
    if (!probe.gpus.empty()) {
        c.sentence = fmt::format("Driver {} is running.", probe.gpus.front().driver);
    } else if (version.empty() && !library) {
        c.level = Level::Missing;
        c.sentence = fmt::format("No NVIDIA driver is installed, so {}.", simulatedInstead);
        c.remedy = fmt::format("To measure on a GPU, install driver {} or newer.", leastDriver);
    } else if (!library) {
        c.level = Level::Broken;
        c.sentence =
            fmt::format("The kernel module of driver {} is loaded but libcuda.so.1 is missing, so {}.",
                        version, simulatedInstead);
        c.remedy = "Install the driver's user-space libraries (in a container: start it with GPU support).";
    } else if (probe.tried) {
        c.level = Level::Broken;
        c.sentence = asSentence(fmt::format("{}, so {}", probe.what, simulatedInstead));
        c.remedy = asSentence(probe.remedy);
    } else {
        c.level = Level::Note;
        c.sentence = "libcuda.so.1 is there but was not tried, since sparserl-runner did not start.";
        c.remedy = "Build the target sparserl-runner, or reinstall the package.";
    }
    return c;
}

Capability gpuCapability(const Probe& probe)
{
    Capability c{"gpu", "GPU", Level::Ok, {}, {}, {}};
    if (probe.gpus.empty()) {
        c.level = Level::Missing;
        c.sentence = fmt::format("There is no NVIDIA GPU that can be used, so {} and times are simulated.",
                                 simulatedInstead);
        c.remedy = "Nothing to do; a machine with an Ampere or newer GPU measures real times.";
        return c;
    }
    const ProbedGpu* good = nullptr;
    std::size_t usable = 0;
    for (const ProbedGpu& gpu : probe.gpus) {
        if (gpu.major < leastMajor)
            continue;
        ++usable;
        if (!good)
            good = &gpu;
    }
    const ProbedGpu& first = probe.gpus.front();
    if (!good) {
        c.level = Level::Broken;
        c.sentence = fmt::format("{} is older than Ampere (compute capability {}.{}), so {}.", first.name,
                                 first.major, first.minor, simulatedInstead);
        c.remedy = "Use a GPU with compute capability 8.0 or higher.";
        return c;
    }
    c.detail =
        fmt::format("compute capability {}.{}, {}", good->major, good->minor, formatBytes(good->memory));
    c.sentence = usable == 1 ? fmt::format("{} was found.", good->name)
                             : fmt::format("{} GPUs were found, the first is {}.", usable, good->name);
    return c;
}

Capability libraryCapability(const char* key, const char* title, const std::string& file, const char* lack,
                             const std::vector<fs::path>& folders)
{
    Capability c{key, title, Level::Ok, {}, {}, {}};
    const auto found = findLibrary(file, folders);
    const std::string remedy = fmt::format("To fix this, {}, or set SPARSERL_CUDA_DIR to a CUDA {} toolkit.",
                                           installAgain, cudaMajorVersion);
    if (!found) {
        c.level = Level::Missing;
        c.sentence = fmt::format("{} was not found, so {}.", file, lack);
        c.remedy = remedy;
    } else if (!isElf(*found)) {
        c.level = Level::Broken;
        c.detail = found->string();
        c.sentence = fmt::format("{} exists but is not a library, so {}.", file, lack);
        c.remedy = remedy;
    } else {
        c.detail = found->string();
        c.sentence = fmt::format("{} was found.", file);
    }
    return c;
}

Capability nvrtcCapability(const std::vector<fs::path>& folders)
{
    Capability c =
        libraryCapability("nvrtc", "NVRTC (CUDA compiler)", fmt::format("libnvrtc.so.{}", cudaMajorVersion),
                          "programs cannot be compiled and nothing can be judged", folders);
    if (c.level != Level::Ok)
        return c;
    // The compiler loads a second library at its first use; a copy without it fails only then.
    std::error_code code;
    bool builtins = false;
    const fs::path folder = fs::path(c.detail).parent_path();
    for (fs::directory_iterator it(folder, code), end; !code && it != end; it.increment(code))
        builtins = builtins || it->path().filename().string().starts_with("libnvrtc-builtins.so");
    if (!builtins) {
        c.level = Level::Broken;
        c.sentence =
            "libnvrtc is there but libnvrtc-builtins is missing beside it, so programs cannot be compiled.";
        c.remedy = fmt::format("To fix this, {}, or reinstall the CUDA toolkit.", installAgain);
        return c;
    }
    const fs::path headers = folder.parent_path() / "include";
    const auto lacks = [&](std::string_view name) {
        return std::none_of(toolkitHeaderRoots.begin(), toolkitHeaderRoots.end(), [&](std::string_view root) {
            return fs::is_regular_file(headers / root / name, code);
        });
    };
    std::vector<std::string_view> needed(toolkitHeaders.begin(), toolkitHeaders.end());
    needed.insert(needed.end(), {"nv/target", "crt/mma.h"});
    if (const auto missing = std::find_if(needed.begin(), needed.end(), lacks); missing != needed.end()) {
        c.level = Level::Broken;
        c.sentence = fmt::format("libnvrtc is there but the header {} is not in {}, so programs that include "
                                 "it, also by another header, cannot be judged; others are.",
                                 *missing, headers.string());
        c.remedy = fmt::format("To fix this, {}, or reinstall the CUDA toolkit.", installAgain);
    }
    return c;
}

} // namespace

std::vector<Capability> cudaCapabilities(const fs::path& runner, const std::vector<fs::path>& folders)
{
    const Probe probe = probeDriver(runner);
    std::vector<Capability> all{
        driverCapability(probe), gpuCapability(probe), nvrtcCapability(folders),
        libraryCapability(
            "nvjitlink", "nvJitLink (assembler)", fmt::format("libnvJitLink.so.{}", cudaMajorVersion),
            "no program can be assembled, so nothing can be judged, neither on a GPU nor on the simulator",
            folders)};
    // Without a GPU nobody misses the baseline's library.
    if (!probe.gpus.empty())
        all.push_back(libraryCapability("cusparse", "cuSPARSE (baseline)", "libcusparse.so.12",
                                        "kernels on the GPU have no baseline to be compared with", folders));
    return all;
}

} // namespace sparserl

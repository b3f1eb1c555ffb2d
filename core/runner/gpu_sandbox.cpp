// SPDX-License-Identifier: Apache-2.0
#include "runner/gpu_sandbox.h"

#include "base/subprocess.h"
#include "machine/cuda_libraries.h"
#include "runner/own_root.h"
#include "runner/sandbox_parts.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <span>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace sparserl {

namespace {

namespace fs = std::filesystem;

/// Folders that libraries and headers are read from, by the environment, by where this program looks for
/// CUDA, and by what is mapped already.
std::vector<fs::path> libraryFolders()
{
    std::vector<fs::path> folders;
    for (const fs::path& folder : cudaLibraryFolders()) {
        folders.push_back(folder);
        folders.push_back(folder.parent_path() / "include");
    }
    for (const char* name : {"LD_LIBRARY_PATH", "SPARSERL_CUDA_DIR"})
        if (const char* value = std::getenv(name)) {
            std::string_view rest = value;
            while (!rest.empty()) {
                const auto end = std::min(rest.find(':'), rest.size());
                if (end > 0)
                    folders.emplace_back(std::string(rest.substr(0, end)));
                rest.remove_prefix(std::min(end + 1, rest.size()));
            }
        }
    if (FILE* maps = std::fopen("/proc/self/maps", "re")) {
        char line[4608];
        while (std::fgets(line, sizeof line, maps)) {
            const std::string_view text = line;
            const auto slash = text.find('/');
            const auto library = text.find(".so");
            if (slash == std::string_view::npos || library == std::string_view::npos || library < slash)
                continue;
            const fs::path folder =
                fs::path(std::string(text.substr(slash, text.find_last_not_of("\n ") + 1 - slash)))
                    .parent_path();
            if (folders.empty() || folders.back() != folder)
                folders.push_back(folder);
        }
        std::fclose(maps);
    }
    return folders;
}

/// Of /proc: about itself and the machine, nothing of other processes.
constexpr std::array procPlaces{"/proc/self",    "/proc/driver",      "/proc/cpuinfo", "/proc/meminfo",
                                "/proc/devices", "/proc/modules",     "/proc/version", "/proc/stat",
                                "/proc/sys",     "/proc/filesystems", "/proc/cmdline", "/proc/mounts",
                                "/proc/uptime",  "/proc/loadavg",     "/proc/bus",     "/proc/net/unix"};
constexpr std::array systemPlaces{"/usr",
                                  "/lib",
                                  "/lib64",
                                  "/opt",
                                  "/sys",
                                  "/etc/ld.so.cache",
                                  "/etc/ld.so.conf",
                                  "/etc/ld.so.conf.d",
                                  "/etc/nvidia",
                                  "/run/nvidia-persistenced"};
constexpr std::array plainDevices{"/dev/zero", "/dev/urandom", "/dev/random"};

/// Device files of the driver, by name.
std::vector<fs::path> gpuDevices()
{
    std::vector<fs::path> devices{"/dev/null"};
    std::error_code error;
    for (const auto& entry : fs::directory_iterator("/dev", error))
        if (entry.path().filename().string().starts_with("nvidia"))
            devices.push_back(entry.path());
    return devices;
}

void limitFiles(SandboxReport& report, const SandboxMeans& means)
{
    auto rules = FileRules::create(means);
    if (!rules) {
        report.missing.push_back(
            report.ownRoot && report.apart
                ? "this kernel has no Landlock"
                : "this kernel has no Landlock: the cuda runner can read the user's files and "
                  "change their contents, but it cannot create, empty or lengthen files");
        return;
    }
    for (const auto& places :
         {std::span<const char* const>(systemPlaces), std::span<const char* const>(procPlaces),
          std::span<const char* const>(plainDevices)})
        for (const char* place : places)
            rules->allow(place, FileRules::read);
    for (const auto& folder : libraryFolders())
        rules->allow(folder, FileRules::read);
    rules->allow("/dev", FileRules::list);
    for (const auto& device : gpuDevices())
        rules->allow(device, FileRules::device | FileRules::list);
    // The driver names its threads.
    rules->allow("/proc/self/task", FileRules::device | FileRules::list);
    rules->enforce(report);
}

/// 0, 1 and 2 lead nowhere, so that no library can write to the user's terminal. Sanitizers report on 2.
void closeStandardStreams()
{
    const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = 0; null >= 0 && fd < (SPARSERL_SANITIZED ? 2 : 3); ++fd)
        ::dup2(null, fd);
    if (null > 2)
        ::close(null);
}

} // namespace

bool encloseGpu(int step, SandboxReport& report, const SandboxMeans& means)
{
    if (step < strictestGpuLock)
        return false;
    if (leaveForOwnRoot(report, means)) {
        std::vector<fs::path> visible(systemPlaces.begin(), systemPlaces.end());
        for (const auto& more : {libraryFolders(), gpuDevices(), {executablePath()}})
            visible.insert(visible.end(), more.begin(), more.end());
        visible.insert(visible.end(), plainDevices.begin(), plainDevices.end());
        visible.emplace_back("/proc"); // Of others it says nothing to another user or from a user name space.
        enterOwnRoot(visible, {"/tmp", "/dev/shm"}, report); // Drivers may share memory with threads by name.
    }
    becomeNobody(report);
    ::prctl(PR_SET_DUMPABLE, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL); // the kernel forgets it where rights change
    return report.ownRoot || report.apart;
}

Status lockDownGpu(int step, SandboxReport& report, const SandboxMeans& means)
{
    report.missing.push_back(
        "the cuda runner has no limit of its address space, because the GPU's driver needs "
        "that; only gated, assembled programs reach it");
    closeStandardStreams();
    ::prctl(PR_SET_DUMPABLE, 0);
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return fail(because("this kernel cannot forbid new privileges"));
    report.active.push_back("no new privileges");
    SPARSERL_CHECK(limitResource(RLIMIT_CORE, 0, 0));
    if (step < strictestGpuLock)
        report.missing.push_back(
            "the cuda runner keeps its user's rights: the driver does not work without them "
            "here");
    if (step >= 2) {
        limitFiles(report, means);
    } else {
        report.missing.push_back(
            "the cuda runner can read every file that its user can, and change the contents of the user's "
            "files: the driver does not work under Landlock here");
    }
    if (step == 0) {
        report.missing.push_back("the cuda runner's system calls are not filtered: the driver does not work "
                                 "under the filter here");
        return {};
    }
    std::signal(SIGXFSZ, SIG_IGN); // A write to a file fails with EFBIG instead.
    SPARSERL_CHECK(limitResource(RLIMIT_FSIZE, 0, 0));
    report.active.push_back("no file can grow");
    const auto list = step >= 3 ? CallList::Needed : CallList::NotHarmful;
    auto filtered = filterCalls(LockedRole::Gpu, list, means.refusal);
    if (!filtered && means.refusal == Refusal::Witnessed)
        filtered = filterCalls(LockedRole::Gpu, list); // A kernel that asks nobody.
    SPARSERL_TRY(report.listener, std::move(filtered));
    report.callsFiltered = true;
    report.neededCallsOnly = list == CallList::Needed;
    if (report.neededCallsOnly) {
        report.active.push_back("seccomp");
    } else {
        report.active.push_back("seccomp deny-list");
        report.missing.push_back(
            "the cuda runner may make system calls that drivers are not known to need: the "
            "driver does not work without them here");
    }
    return {};
}

} // namespace sparserl

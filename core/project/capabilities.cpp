// SPDX-License-Identifier: Apache-2.0
#include "project/capabilities.h"

#include "base/files.h"
#include "base/format.h"
#include "base/subprocess.h"
#include "compile/cuda_libraries.h"
#include "project/index.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <linux/landlock.h>
#include <optional>
#include <sched.h>
#include <sstream>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace sparserl {
namespace {

namespace fs = std::filesystem;
using Level = Capability::Level;

constexpr int leastDriver = 580;     ///< What CUDA 13 needs.
constexpr double leastCompute = 8.0; ///< Ampere
constexpr double gigabyte = 1024.0 * 1024 * 1024;

std::string environment(const char* name)
{
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::vector<std::string> split(const std::string& text, char separator)
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

/// First of the loader's usual folders that holds the library; nothing is loaded.
std::optional<fs::path> findLibrary(const std::string& name, std::vector<fs::path> folders)
{
    for (const std::string& folder : split(environment("LD_LIBRARY_PATH"), ':'))
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

struct Gpu
{
    std::string name, driver;
    double compute = 0; ///< 0: unknown
    std::string memory;
};

/// What nvidia-smi says, else what the kernel module says (without compute capability and memory).
std::vector<Gpu> findGpus()
{
    std::vector<Gpu> gpus;
    SpawnOptions options;
    options.argv = {"nvidia-smi", "--query-gpu=name,driver_version,compute_cap,memory.total",
                    "--format=csv,noheader"};
    const auto output = runToEnd(options, {}, 5);
    if (output && output->status.ok()) {
        for (const std::string& line : split(output->output, '\n')) {
            const auto fields = split(line, ',');
            if (fields.size() < 4)
                continue;
            Gpu gpu{fields[0], fields[1], 0, fields[3]};
            std::from_chars(fields[2].data(), fields[2].data() + fields[2].size(), gpu.compute);
            gpus.push_back(std::move(gpu));
        }
        return gpus;
    }
    std::error_code code;
    for (fs::directory_iterator it("/proc/driver/nvidia/gpus", code), end; !code && it != end;
         it.increment(code)) {
        const auto text = readFile(it->path() / "information", 1 << 16);
        if (!text)
            continue;
        for (const std::string& line : split(*text, '\n')) {
            if (line.starts_with("Model:"))
                gpus.push_back({split(line, ':').at(1), {}, 0, {}});
        }
    }
    return gpus;
}

/// "580.82.07" of the kernel module, or empty.
std::string driverVersion(const std::vector<Gpu>& gpus)
{
    if (!gpus.empty() && !gpus.front().driver.empty())
        return gpus.front().driver;
    const auto text = readFile("/proc/driver/nvidia/version", 1 << 16);
    if (!text)
        return {};
    std::istringstream words(text->substr(0, text->find('\n')));
    for (std::string word; words >> word;) {
        if (!word.empty() && word.find('.') != std::string::npos &&
            word.find_first_not_of("0123456789.") == std::string::npos)
            return word;
    }
    return {};
}

constexpr const char* simulatedInstead = "kernels run on the simulated device";

Capability driverCapability(const std::vector<Gpu>& gpus)
{
    Capability c{"driver", "NVIDIA driver", Level::Ok, {}, {}, {}};
    const std::string version = driverVersion(gpus);
    const auto library = findLibrary("libcuda.so.1", {});
    if (version.empty() && !library) {
        c.level = Level::Missing;
        c.sentence = fmt::format("No NVIDIA driver is installed, so {}.", simulatedInstead);
        c.remedy = fmt::format("To measure on a GPU, install driver {} or newer.", leastDriver);
        return c;
    }
    c.detail = library ? library->string() : "";
    int major = 0;
    std::from_chars(version.data(), version.data() + version.size(), major);
    if (!library) {
        c.level = Level::Broken;
        c.sentence =
            fmt::format("The kernel module of driver {} is loaded but libcuda.so.1 is missing, so {}.",
                        version, simulatedInstead);
        c.remedy = "Install the driver's user-space libraries (in a container: start it with GPU support).";
    } else if (version.empty()) {
        c.level = Level::Broken;
        c.sentence = fmt::format("libcuda.so.1 is there but no driver is running, so {}.", simulatedInstead);
        c.remedy =
            "Load the kernel module (reboot after an update), or give the container access to the GPU.";
    } else if (major < leastDriver) {
        c.level = Level::Broken;
        c.sentence = fmt::format("Driver {} is too old for CUDA {}, so {}.", version, cudaMajorVersion,
                                 simulatedInstead);
        c.remedy = fmt::format("Update the driver to {} or newer.", leastDriver);
    } else {
        c.sentence = fmt::format("Driver {} is running.", version);
    }
    return c;
}

Capability gpuCapability(const std::vector<Gpu>& gpus)
{
    Capability c{"gpu", "GPU", Level::Ok, {}, {}, {}};
    if (gpus.empty()) {
        c.level = Level::Missing;
        c.sentence =
            fmt::format("There is no NVIDIA GPU here, so {} and times are simulated.", simulatedInstead);
        c.remedy = "Nothing to do; a machine with an Ampere or newer GPU measures real times.";
        return c;
    }
    std::vector<std::string> good, old;
    for (const Gpu& gpu : gpus)
        (gpu.compute > 0 && gpu.compute < leastCompute ? old : good).push_back(gpu.name);
    c.detail = gpus.front().memory;
    if (good.empty()) {
        c.level = Level::Broken;
        c.sentence = fmt::format("{} is older than Ampere (compute capability {}), so {}.", old.front(),
                                 gpus.front().compute, simulatedInstead);
        c.remedy = "Use a GPU with compute capability 8.0 or higher.";
    } else {
        c.sentence = gpus.size() == 1
                         ? fmt::format("{} was found.", good.front())
                         : fmt::format("{} GPUs were found, the first is {}.", gpus.size(), good.front());
    }
    return c;
}

Capability libraryCapability(const char* key, const char* title, const std::string& file, const char* lack)
{
    Capability c{key, title, Level::Ok, {}, {}, {}};
    const auto found = findLibrary(file, cudaLibraryFolders());
    const std::string remedy =
        fmt::format("Run packaging/setup, or set SPARSERL_CUDA_DIR to a CUDA {} toolkit.", cudaMajorVersion);
    if (!found) {
        c.level = Level::Missing;
        c.sentence = fmt::format("{} was not found, so {}.", file, lack);
        c.remedy = remedy;
    } else if (!isElf(*found)) {
        c.level = Level::Broken;
        c.detail = found->string();
        c.sentence = fmt::format("{} is there but is no library, so {}.", file, lack);
        c.remedy = remedy;
    } else {
        c.detail = found->string();
        c.sentence = fmt::format("{} was found.", file);
    }
    return c;
}

Capability nvrtcCapability()
{
    Capability c =
        libraryCapability("nvrtc", "NVRTC (CUDA compiler)", fmt::format("libnvrtc.so.{}", cudaMajorVersion),
                          "programs cannot be compiled and nothing can be judged");
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
        c.remedy = "Run packaging/setup again, or reinstall the CUDA toolkit.";
    }
    return c;
}

Capability torchCapability()
{
    Capability c{"libtorch", "LibTorch", Level::Ok, {}, {}, {}};
    if (const auto maps = readFile("/proc/self/maps", 64 << 20)) {
        const std::size_t at = maps->find("libtorch_cpu.so");
        if (at != std::string::npos) {
            const std::size_t begin = maps->rfind(' ', at) + 1;
            c.detail = maps->substr(begin, maps->find('\n', at) - begin);
            c.sentence = "LibTorch is loaded; policies can be trained.";
            return c;
        }
    }
    // The window has no LibTorch itself: training programs do, and starting one is the honest test.
    const fs::path beside = executablePath().parent_path() / "sparserl";
    std::error_code code;
    if (executablePath() == beside) {
        c.level = Level::Missing;
        c.sentence = "This program was built without LibTorch: it judges and reads, but cannot train.";
        c.remedy = "Build with SPARSERL_WITH_TORCH=ON after packaging/setup.";
        return c;
    }
    if (!fs::exists(beside, code)) {
        c.level = Level::Missing;
        c.sentence = "The program sparserl is not beside this one, so nothing can be trained from here.";
        c.remedy = "Build the target sparserl, or reinstall the package.";
        return c;
    }
    c.detail = beside.string();
    SpawnOptions options;
    options.argv = {beside.string(), "--version"};
    const auto output = runToEnd(options, {}, 20);
    if (output && output->status.ok()) {
        c.sentence = "The training program starts with its LibTorch.";
    } else {
        c.level = Level::Broken;
        const auto lines = split(output ? output->error : output.error().what, '\n');
        c.sentence = fmt::format("The training program does not start{}{}.", lines.empty() ? "" : ": ",
                                 lines.empty() ? std::string() : lines.front());
        c.remedy = "Run packaging/setup to install LibTorch again.";
    }
    return c;
}

Capability displayCapability()
{
    Capability c{"display", "Display", Level::Ok, {}, {}, {}};
    const std::string wayland = environment("WAYLAND_DISPLAY");
    const std::string x11 = environment("DISPLAY");
    std::error_code code;
    if (!wayland.empty()) {
        const fs::path socket = fs::path(environment("XDG_RUNTIME_DIR")) / wayland;
        if (fs::exists(socket, code)) {
            c.sentence = fmt::format("A Wayland display ({}) is there.", wayland);
            return c;
        }
    }
    if (!x11.empty()) {
        const std::size_t colon = x11.rfind(':');
        const std::string number =
            colon == std::string::npos ? "" : x11.substr(colon + 1, x11.find('.', colon) - colon - 1);
        if (colon != 0 || fs::exists("/tmp/.X11-unix/X" + number, code)) {
            c.sentence = fmt::format("An X11 display ({}) is set.", x11);
            return c;
        }
        c.level = Level::Broken;
        c.sentence =
            fmt::format("DISPLAY is {} but no X server listens there, so the window cannot open.", x11);
        c.remedy = "Start a desktop session, or use `packaging/run --headless` and the command line.";
        return c;
    }
    c.level = Level::Missing;
    c.sentence = "There is no display, so the window cannot open; the command line does the same work.";
    c.remedy = "Use `packaging/run --headless` and `sparserl`, or log in with `ssh -X`.";
    return c;
}

Capability diskCapability(const fs::path& folder)
{
    Capability c{"disk", "Disk", Level::Ok, {}, {}, folder.string()};
    struct statvfs space
    {
    };
    struct statfs type
    {
    };
    if (::statvfs(folder.c_str(), &space) != 0 || ::statfs(folder.c_str(), &type) != 0) {
        c.level = Level::Broken;
        c.sentence = fmt::format("The folder {} cannot be used.", folder.string());
        c.remedy = "Choose a project folder that exists and can be written to.";
        return c;
    }
    const double available = static_cast<double>(space.f_bavail) * static_cast<double>(space.f_frsize);
    c.sentence = fmt::format("{} are free in {}.", formatBytes(available), folder.string());
    // NFS, SMB, CIFS, SMB2, FUSE: locks and SQLite's shared memory are not reliable there.
    constexpr std::array<long, 5> networks{0x6969, 0x517b, static_cast<long>(0xff534d42),
                                           static_cast<long>(0xfe534d42), 0x65735546};
    const long magic = static_cast<long>(type.f_type);
    if (::access(folder.c_str(), W_OK) != 0) {
        c.level = Level::Broken;
        c.sentence = fmt::format("The folder {} is read-only.", folder.string());
        c.remedy = "Copy the project to a folder of yours.";
    } else if (available < 2 * gigabyte) {
        c.level = Level::Broken;
        c.remedy = "Free some space: checkpoints and caches of a run take a few gigabytes.";
    } else if (std::find(networks.begin(), networks.end(), magic) != networks.end()) {
        c.level = Level::Note;
        c.sentence += " It is a network or user-space file system, on which locks may not be reliable.";
        c.remedy = "Keep projects on a local disk.";
    }
    return c;
}

Capability memoryCapability()
{
    Capability c{"memory", "Memory and cores", Level::Ok, {}, {}, {}};
    double total = 0, available = 0;
    if (const auto text = readFile("/proc/meminfo", 1 << 16)) {
        for (const std::string& line : split(*text, '\n')) {
            std::istringstream words(line);
            std::string name;
            double kilobytes = 0;
            words >> name >> kilobytes;
            if (name == "MemTotal:")
                total = kilobytes * 1024;
            else if (name == "MemAvailable:")
                available = kilobytes * 1024;
        }
    }
    if (const auto limit = readFile("/sys/fs/cgroup/memory.max", 64)) {
        double bytes = 0;
        if (std::from_chars(limit->data(), limit->data() + limit->size(), bytes).ec == std::errc() &&
            bytes > 0) {
            total = std::min(total, bytes);
            available = std::min(available, bytes);
        }
    }
    cpu_set_t set;
    CPU_ZERO(&set);
    const int cores = ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    c.sentence = fmt::format("{} of {} are available, with {} processor core{}.", formatBytes(available),
                             formatBytes(total), cores, cores == 1 ? "" : "s");
    if (available < 2 * gigabyte) {
        c.level = Level::Note;
        c.remedy = "Training the quickstart needs about 2 GiB; close other programs first.";
    }
    return c;
}

Capability runnerCapability(const fs::path& runner)
{
    Capability c{"runner", "Kernel runner", Level::Ok, {}, {}, runner.string()};
    if (::access(runner.c_str(), X_OK) == 0) {
        c.sentence = "sparserl-runner is in place; generated kernels run outside this program.";
    } else {
        c.level = Level::Missing;
        c.sentence = "sparserl-runner is missing, so no kernel can be judged.";
        c.remedy = "Build the target sparserl-runner, or reinstall the package.";
    }
    return c;
}

Capability sandboxCapability()
{
    Capability c{"sandbox", "Sandbox", Level::Ok, {}, {}, {}};
    const long landlock = ::syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    const bool seccomp = readFile("/proc/sys/kernel/seccomp/actions_avail", 4096).has_value();
    if (landlock > 0 && seccomp) {
        c.sentence = "Landlock and seccomp lock the runners in.";
        c.detail = fmt::format("Landlock ABI {}", landlock);
    } else if (seccomp) {
        c.level = Level::Note;
        c.sentence = "seccomp locks the runners in; this kernel has no Landlock, so files are kept away by "
                     "other means.";
        c.remedy = "Nothing to do; a kernel with Landlock (5.13 or newer, enabled) adds a second fence.";
    } else {
        c.level = Level::Broken;
        c.sentence = "This kernel has no seccomp, so generated kernels cannot be locked in.";
        c.remedy = "Use a kernel with seccomp filters, which every current distribution has.";
    }
    return c;
}

Capability indexCapability()
{
    Capability c{"sqlite", "SQLite", Level::Ok, fmt::format("SQLite {} keeps the index.", sqliteVersion()),
                 {},       {}};
    if (const std::string warning = sqliteWarning(); !warning.empty()) {
        c.level = Level::Note;
        c.sentence = warning + ".";
    }
    return c;
}

} // namespace

std::string_view nameOf(Level level)
{
    constexpr std::array<std::string_view, 4> names{"ok", "note", "missing", "broken"};
    return names[static_cast<std::size_t>(level)];
}

std::vector<Capability> probeCapabilities(const CapabilityOptions& options)
{
    std::error_code code;
    const fs::path folder = options.project.empty() ? fs::current_path(code) : options.project;
    const fs::path runner =
        options.runner.empty() ? executablePath().parent_path() / "sparserl-runner" : options.runner;
    const std::vector<Gpu> gpus = findGpus();
    return {driverCapability(gpus),
            gpuCapability(gpus),
            nvrtcCapability(),
            libraryCapability("nvjitlink", "nvJitLink (assembler)",
                              fmt::format("libnvJitLink.so.{}", cudaMajorVersion),
                              "register and shared-memory use are unknown and no kernel can run on a GPU"),
            torchCapability(),
            displayCapability(),
            diskCapability(folder),
            memoryCapability(),
            runnerCapability(runner),
            sandboxCapability(),
            indexCapability()};
}

} // namespace sparserl

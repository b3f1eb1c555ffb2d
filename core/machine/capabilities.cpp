// SPDX-License-Identifier: Apache-2.0
#include "machine/capabilities.h"

#include "base/files.h"
#include "base/format.h"
#include "base/limits.h"
#include "base/subprocess.h"
#include "machine/cuda_capabilities.h"
#include "machine/cuda_libraries.h"
#include "machine/sandbox_probe.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <sched.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace sparserl {
namespace {

namespace fs = std::filesystem;
using Level = Capability::Level;

constexpr double gigabyte = 1024.0 * 1024 * 1024;

std::string environment(const char* name)
{
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

Capability torchCapability()
{
    Capability c{"libtorch", "LibTorch", Level::Ok, {}, {}, {}};
#ifndef SPARSERL_WITH_TORCH
    c.level = Level::Missing;
    c.sentence = "This program was built without LibTorch: it judges and reads, but cannot train.";
    c.remedy = "Build it with SPARSERL_WITH_TORCH=ON.";
#else
    // Only the training program has LibTorch, and starting it is the honest test.
    const fs::path folder = executablePath().parent_path();
    std::error_code code;
    for (const char* name : {"sparserl", "sparserl-training"}) {
        if (!fs::exists(folder / name, code)) {
            c.level = Level::Missing;
            c.sentence = fmt::format(
                "The program {} is not beside this one, so nothing can be trained from here.", name);
            c.remedy = fmt::format("Build the target {}, or reinstall the package.", name);
            return c;
        }
    }
    SpawnOptions options;
    options.argv = {(folder / "sparserl-training").string(), "libtorch"};
    const auto output = runToEnd(options, {}, 20);
    if (output && output->status.ok()) {
        c.detail = output->output.substr(0, output->output.find('\n'));
        c.sentence = "LibTorch is loaded; policies can be trained.";
    } else {
        c.level = Level::Broken;
        const auto lines = splitText(output ? output->error : output.error().what, '\n');
        c.sentence = fmt::format("The training program does not start{}{}.", lines.empty() ? "" : ": ",
                                 lines.empty() ? std::string() : lines.front());
        c.remedy =
            addressSpaceLimit()
                ? "Raise the limit of memory with `ulimit -v`, or remove it with `ulimit -v unlimited`."
                : fmt::format("To get LibTorch again, {}.", installAgain);
    }
#endif
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
        c.remedy = "Start a desktop session, or work in the terminal: `sparserl job PROJECT` trains, "
                   "evaluates and exports.";
        return c;
    }
    c.level = Level::Missing;
    c.sentence = "There is no display, so the window cannot open; the command line does the same work.";
    c.remedy = "Work in the terminal (`sparserl job PROJECT` trains, evaluates and exports), or log in with "
               "`ssh -X`.";
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
    const MachineMemory memory = machineMemory().value_or(MachineMemory());
    const auto total = static_cast<double>(memory.total), available = static_cast<double>(memory.available);
    cpu_set_t set;
    CPU_ZERO(&set);
    const int cores = ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    c.sentence = fmt::format("{} of {} are available, with {} processor core{}.", formatBytes(available),
                             formatBytes(total), cores, cores == 1 ? "" : "s");
    constexpr double least = 5 * gigabyte; // libraries, and what a runner sets aside for a program
    if (const auto limit = addressSpaceLimit(); limit && static_cast<double>(*limit) < least) {
        c.level = Level::Note;
        c.sentence +=
            fmt::format(" But {}, and judging takes up to {}.", addressSpaceSentence(), formatBytes(least));
        c.remedy = "Raise the limit with `ulimit -v`, or remove it with `ulimit -v unlimited`.";
    } else if (available < 2 * gigabyte) {
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

Capability sandboxCapability(const fs::path& runner)
{
    Capability c{"sandbox", "Sandbox", Level::Ok, {}, {}, {}};
    const auto roles = probeSandboxes(runner);
    if (!roles) {
        c.level = Level::Missing;
        c.sentence = "The strength of the lock on generated kernels is unknown, because sparserl-runner did "
                     "not report it.";
        c.remedy = "Build the target sparserl-runner, or reinstall the package.";
        return c;
    }
    const auto least = [](const RoleSandbox& a, const RoleSandbox& b) { return a.level < b.level; };
    const auto lowest = std::min_element(roles->begin(), roles->end(), least);
    const SandboxLevel level = lowest == roles->end() ? SandboxLevel::None : lowest->level;
    c.sentence = fmt::format("Processes that run programs are locked: {}.", sandboxWords(*roles));
    c.detail = meaningOf(level);
    if (level == SandboxLevel::None) {
        c.level = Level::Broken;
        c.sentence = "This kernel cannot filter system calls, so generated kernels cannot be locked in.";
        c.remedy = "Use a kernel with seccomp filters, which every current distribution has.";
    } else if (level != SandboxLevel::Full) {
        c.level = Level::Note;
        c.remedy =
            level == SandboxLevel::Files
                ? "Nothing to do; a kernel with Landlock (5.13 or newer, enabled) and user namespaces "
                  "gives a second fence."
                : "Use a kernel with Landlock (5.13 or newer, enabled) or allow user namespaces, so that "
                  "your files are out of reach.";
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
    std::vector<Capability> all =
        cudaCapabilities(runner, options.cudaFolders.empty() ? cudaLibraryFolders() : options.cudaFolders);
    for (Capability& capability :
         std::array{torchCapability(), displayCapability(), diskCapability(folder), memoryCapability(),
                    runnerCapability(runner), sandboxCapability(runner)})
        all.push_back(std::move(capability));
    return all;
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// One thing a machine has or lacks, as a sentence. Lacking something is a normal state.
struct Capability
{
    enum class Level
    {
        Ok,
        Note,
        Missing,
        Broken
    };
    std::string key; ///< "driver", "gpu", "nvrtc", "nvjitlink", "libtorch", "display", "disk", "memory", ...
    std::string title; ///< "NVIDIA driver"
    Level level = Level::Ok;
    std::string sentence; ///< What is there, or what is not and what that means.
    std::string remedy;   ///< What to do about it; empty where nothing is needed.
    std::string detail;   ///< Path or version, for support.
};
std::string_view nameOf(Capability::Level level); ///< "ok", "note", "missing", "broken"

/// Where to look and for whom; the defaults suit this machine.
struct CapabilityOptions
{
    std::filesystem::path project; ///< Disk space is looked up here; empty: the current folder.
    std::filesystem::path runner;  ///< Path of sparserl-runner; empty: beside the running program.
    std::vector<std::filesystem::path>
        cudaFolders; ///< Where NVIDIA's libraries are; empty: cudaLibraryFolders().
};

/// Probes this machine. Takes well under a second; loads libraries in a child process where they could
/// misbehave. What the index needs is another folder's (indexCapability).
std::vector<Capability> probeCapabilities(const CapabilityOptions& options = {});

} // namespace sparserl

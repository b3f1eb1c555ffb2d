// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sparserl {

/// One feature that this machine has or lacks, as a sentence. A missing feature is a normal state.
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
    std::string sentence; ///< Says what exists, or what is missing and what the consequences are.
    std::string remedy;   ///< Says what the user can do; empty if nothing is needed.
    std::string detail;   ///< Path or version, for support.
};
std::string_view nameOf(Capability::Level level); ///< "ok", "note", "missing", "broken"

/// Locations to probe. The defaults suit this machine.
struct CapabilityOptions
{
    std::filesystem::path project; ///< Folder whose disk space is reported; empty: the current folder.
    std::filesystem::path runner;  ///< Path of sparserl-runner; empty: next to the running program.
    std::vector<std::filesystem::path>
        cudaFolders; ///< Folders of NVIDIA's libraries; empty: cudaLibraryFolders().
};

/// Probes this machine. Takes well under a second. Libraries that could misbehave are loaded in a child
/// process. indexCapability(), in another folder, probes the requirements of the index.
std::vector<Capability> probeCapabilities(const CapabilityOptions& options = {});

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace sparserl {

/// Bytes of address space that this process and what it starts may use (ulimit -v), where that is limited.
std::optional<std::uint64_t> addressSpaceLimit();

/// "this process may use 512.0 MiB of memory (ulimit -v)", or empty where nothing limits it: to be named
/// wherever memory ran out.
std::string addressSpaceSentence();

/// Memory of the machine, or of the part of it that the control group of a container may use, in bytes.
struct MachineMemory
{
    std::int64_t total = 0, available = 0; ///< `available`: what programs could still get without swapping.
};

/// As the kernel tells it (MemTotal and MemAvailable of meminfo, memory.max of the group); nothing where it
/// does not.
std::optional<MachineMemory> machineMemory(const std::filesystem::path& proc = "/proc",
                                           const std::filesystem::path& group = "/sys/fs/cgroup");

} // namespace sparserl

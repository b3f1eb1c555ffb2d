// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace sparserl {

/// Bytes of address space available to this process and its children (ulimit -v), or nullopt if unlimited.
std::optional<std::uint64_t> addressSpaceLimit();

/// Returns "this process may use 512.0 MiB of memory (ulimit -v)", or an empty text if there is no limit.
/// Include it in every out-of-memory message.
std::string addressSpaceSentence();

/// The memory in bytes of the machine, or of the container's control group if the group has a limit.
struct MachineMemory
{
    std::int64_t total = 0, available = 0; ///< `available` can be obtained without swapping.
};

/// The memory that the kernel reports (MemTotal and MemAvailable in meminfo, memory.max of the group), or
/// nullopt.
std::optional<MachineMemory> machineMemory(const std::filesystem::path& proc = "/proc",
                                           const std::filesystem::path& group = "/sys/fs/cgroup");

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/sandbox.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace sparserl {

/// An external program that reads untrusted input, and its limits.
struct ToolLock
{
    std::filesystem::path tool;
    /// Paths that the tool may read, besides system libraries and the tool itself.
    std::vector<std::filesystem::path> visible{};
    LockedRole role = LockedRole::Tool;
    std::uint64_t memoryBytes = std::uint64_t(1) << 30, cpuSeconds = 10, descriptors = 16;
};

/// Locks this process for a tool: nvdisasm, which reads the compiled form of a model's program, or the user's
/// Python, which runs a task's text. The process loses the network and its rights, and it can no longer
/// change anything. With Landlock, it may read only system libraries, the tool, `visible` and its own
/// descriptors. The system calls of the role are allowed, including the one that starts the tool. Memory,
/// time and descriptors are limited. Descriptors 0, 1 and 2 stay open. Fails if seccomp does not work; other
/// missing measures are only reported.
Result<SandboxReport> lockDownForTool(const ToolLock& lock, const SandboxMeans& means = {});

/// Reads a file from standard input (at most 64 MiB), locks this process and replaces it by `tool` with the
/// arguments `-g -c -hex` and that file. If the tool cannot start, prints a sentence to standard error and
/// returns an exit status.
int becomeDisassembler(const std::filesystem::path& tool);

/// The same for Python and a script on standard input. Python gets no environment variables from the user.
/// Refuses to start if Python could reach the user's files (SandboxLevel::Files).
int becomePython(const ToolLock& lock, const SandboxMeans& means);

} // namespace sparserl

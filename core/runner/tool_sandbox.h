// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/sandbox.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace sparserl {

/// An external program that reads what nobody trusts, and its limits.
struct ToolLock
{
    std::filesystem::path tool;
    std::vector<std::filesystem::path> visible{}; ///< What it may read besides system libraries and itself.
    LockedRole role = LockedRole::Tool;
    std::uint64_t memoryBytes = std::uint64_t(1) << 30, cpuSeconds = 10, descriptors = 16;
};

/// Locks this process for such a program: nvdisasm, which reads the compiled form of a model's program, or
/// the user's Python, which runs a task's text. The process loses network, rights and every means to change
/// anything. With Landlock, it may read only system libraries, the tool, `visible` and its own descriptors.
/// The system calls of the role are allowed, including the one that starts the tool. Memory, time and
/// descriptors are limited. 0, 1 and 2 stay open. Fails if seccomp does not work; other missing measures are
/// only reported.
Result<SandboxReport> lockDownForTool(const ToolLock& lock, const SandboxMeans& means = {});

/// Reads a file from standard input (at most 64 MiB), locks this process and replaces it by `tool` with the
/// arguments `-g -c -hex` and that file. Returns only if the tool could not start: an exit status, with a
/// sentence on standard error.
int becomeDisassembler(const std::filesystem::path& tool);

/// The same with a script on standard input and a Python, which gets nothing of the environment. Refuses to
/// start it if the user's files would not be out of its reach (SandboxLevel::Files).
int becomePython(const ToolLock& lock, const SandboxMeans& means);

} // namespace sparserl

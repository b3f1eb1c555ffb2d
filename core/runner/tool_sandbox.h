// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/sandbox.h"

#include <filesystem>

namespace sparserl {

/// Locks this process for an external program that reads the compiled form of a model's program (nvdisasm).
/// The process loses network, rights and every means to change anything. With Landlock, it may read only
/// system libraries, `tool` and its own descriptors. Some thirty system calls are allowed, including the one
/// that starts the tool. Memory, time and descriptors are limited. 0, 1 and 2 stay open. Fails if seccomp
/// does not work; other missing measures are only reported.
Result<SandboxReport> lockDownForTool(const std::filesystem::path& tool, const SandboxMeans& means = {});

/// Reads a file from standard input (at most 64 MiB), locks this process and replaces it by `tool` with the
/// arguments `-g -c -hex` and that file. Returns only if the tool could not start: an exit status, with a
/// sentence on standard error.
int becomeDisassembler(const std::filesystem::path& tool);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/sandbox.h"

#include <filesystem>

namespace sparserl {

/// For a foreign program that reads what a model's program was made into (nvdisasm): this process gives up
/// network, rights and all that changes anything, may read system libraries, `tool` and its own descriptors
/// only (where there is Landlock), gets some thirty system calls, among them the one that begins the tool,
/// and limits of memory, time and descriptors. 0, 1 and 2 stay open. seccomp must work; the rest degrades.
Result<SandboxReport> lockDownForTool(const std::filesystem::path& tool, const SandboxMeans& means = {});

/// Reads a file from standard input (at most 64 MiB), locks this process and becomes `tool`, whose arguments
/// are `-g -c -hex` and that file. Returns an exit status only where it could not begin, with a sentence on
/// standard error.
int becomeDisassembler(const std::filesystem::path& tool);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/sandbox_level.h"

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace sparserl::cli {

/// Adds --require-sandbox, which every command that judges programs has. Processes with a sandbox weaker than
/// `least` are not used.
inline void addRequireSandbox(CLI::App& command, SandboxLevel& least)
{
    std::vector<std::string> names;
    names.reserve(sandboxLevels.size());
    for (const SandboxLevel level : sandboxLevels)
        names.emplace_back(nameOf(level));
    command
        .add_option_function<std::string>(
            "--require-sandbox", [&least](const std::string& name) { least = *sandboxLevelFromName(name); },
            "Refuse to run programs in a sandbox weaker than this level (`sparserl doctor` names the level)")
        ->check(CLI::IsMember(names))
        ->default_str(std::string(nameOf(least)));
}

} // namespace sparserl::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"

#include <span>

namespace sparserl::cli {

/// What both programs of the command line do: they parse, run the body of the chosen command, and end with
/// its status. A command of `commands` without `add` belongs to sparserl-training: this process becomes that
/// program as soon as the command's name is read, with the same arguments.
int runProgram(int argc, char** argv, std::span<const Command> commands);

/// As `--version` prints it.
const char* programVersion();

} // namespace sparserl::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"

#include <span>

namespace sparserl::cli {

/// The common main function of both command-line programs: parses, runs the body of the selected command, and
/// ends with its status. A command in `commands` without `add` belongs to sparserl-training: after reading
/// the command's name, this process is replaced by that program with the same arguments.
int runProgram(int argc, char** argv, std::span<const Command> commands);

/// The version, as `--version` prints it.
const char* programVersion();

} // namespace sparserl::cli

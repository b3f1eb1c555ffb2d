// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"

namespace sparserl::cli {

/// Each commands/device_NAME.cpp defines `Body add_device_NAME(CLI::App& device, Context& context)`. It adds
/// `sparserl device NAME` to `device` and returns the body to run if it is selected. CMakeLists.txt lists the
/// names.
#define SPARSERL_DEVICE_COMMAND(NAME) Body add_device_##NAME(CLI::App& device, Context& context);
#include "device_command_list.inc"
#undef SPARSERL_DEVICE_COMMAND

} // namespace sparserl::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace sparserl::cli {

/// Adds the options that select the judging device, for commands that accept any program.
inline void addDevice(CLI::App& command, std::string& device)
{
    command.add_option("--device", device, "Where they run")
        ->check(CLI::IsMember({"sim", "cuda", "auto"}))
        ->capture_default_str();
}
inline void addModel(CLI::App& command, std::string& model)
{
    command
        .add_option("--model", model,
                    "Device to simulate: h200, generic, or a file of `sparserl device calibrate`")
        ->capture_default_str();
}

} // namespace sparserl::cli

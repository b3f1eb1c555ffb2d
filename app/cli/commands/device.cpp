// SPDX-License-Identifier: Apache-2.0
#include "app/cli/device_commands.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <utility>
#include <vector>

namespace sparserl::cli {

Body add_device(CLI::App& app, Context& context)
{
    CLI::App* command = app.add_subcommand("device", "Show and test the devices that kernels run on.");
    command->require_subcommand(1);
    using Part = std::pair<CLI::App*, Body>;
    auto parts = std::make_shared<std::vector<Part>>();
#define SPARSERL_DEVICE_COMMAND(NAME)                                                                        \
    {                                                                                                        \
        const std::size_t before = command->get_subcommands({}).size();                                      \
        Body body = add_device_##NAME(*command, context);                                                    \
        parts->emplace_back(command->get_subcommands({}).at(before), std::move(body));                       \
    }
#include "device_command_list.inc"
#undef SPARSERL_DEVICE_COMMAND
    return [parts]() -> int {
        for (const auto& [part, body] : *parts) {
            if (part->parsed())
                return body();
        }
        return WrongUsage;
    };
}

} // namespace sparserl::cli

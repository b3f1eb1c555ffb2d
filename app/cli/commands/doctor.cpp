// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"
#include "evaluation/operators/operator_capability.h"
#include "machine/capabilities.h"
#include "project/index/index.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace sparserl::cli {

Body add_doctor(CLI::App& app, Context& context)
{
    CLI::App* command =
        app.add_subcommand("doctor", "List what this machine has and lacks, and how to fix it.");
    auto project = std::make_shared<std::string>();
    command->add_option("--project", *project,
                        "Look at the disk of this project (default: the current folder).");
    return [project, &context]() -> int {
        CapabilityOptions options;
        options.project = *project;
        options.runner = siblingProgram(context, "sparserl-runner");
        auto all = probeCapabilities(options);
        all.push_back(indexCapability());
        all.push_back(operatorCapability(options.runner));
        for (const Capability& item : all) {
            context.emit({{"key", item.key},
                          {"title", item.title},
                          {"level", nameOf(item.level)},
                          {"sentence", item.sentence},
                          {"remedy", item.remedy},
                          {"detail", item.detail}});
            if (!context.json) {
                context.print(fmt::format("{:<8} {}: {}{}{}", nameOf(item.level), item.title, item.sentence,
                                          item.remedy.empty() ? "" : " ", item.remedy));
            }
        }
        return Done;
    };
}

} // namespace sparserl::cli

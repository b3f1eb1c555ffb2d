// SPDX-License-Identifier: Apache-2.0
#include "app/cli/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cassert>
#include <string_view>
#include <utility>

namespace sparserl::cli {

namespace {

constexpr std::pair<std::string_view, const char*> descriptions[] = {
#define SPARSERL_COMMAND(NAME)
#define SPARSERL_TRAINING_COMMAND(NAME, DESCRIPTION) {#NAME, DESCRIPTION},
#include "app/cli/commands.def"
#undef SPARSERL_COMMAND
#undef SPARSERL_TRAINING_COMMAND
};

} // namespace

CLI::App* addTrainingCommand(CLI::App& app, std::string_view name)
{
    const auto* const found = std::find_if(std::begin(descriptions), std::end(descriptions),
                                           [&](const auto& one) { return one.first == name; });
    assert(found != std::end(descriptions));
    return app.add_subcommand(std::string(name), found->second);
}

} // namespace sparserl::cli

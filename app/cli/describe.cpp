// SPDX-License-Identifier: Apache-2.0
#include "app/cli/describe.h"

#include "app/cli/help_text.h"
#include "app/cli/usage.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace sparserl::cli {
namespace {

nlohmann::json described(CLI::Option& option)
{
    nlohmann::json names = nlohmann::json::array();
    for (const std::string& letter : option.get_snames())
        names.push_back("-" + letter);
    for (const std::string& name : option.get_lnames())
        names.push_back("--" + name);
    nlohmann::json json{{"names", std::move(names)}, {"help", helpOf(option)}};
    if (option.get_positional())
        json["positional"] = option.get_name(true);
    if (option.get_expected_max() > 0) {
        const std::string type = option.get_type_name();
        json["value"] = type.substr(0, type.find(':'));
        json["several"] = option.get_expected_max() > 1;
    }
    if (const auto choices = choicesOf(option); !choices.empty())
        json["choices"] = choices;
    if (const auto words = suggestionsOf(option); !words.empty())
        json["suggestions"] = words;
    if (const auto kind = nameKindOf(option); !kind.empty())
        json["completes"] = kind;
    if (!option.get_default_str().empty())
        json["default"] = option.get_default_str();
    if (option.get_required())
        json["required"] = true;
    return json;
}

} // namespace

nlohmann::json described(CLI::App& app)
{
    nlohmann::json json{{"name", app.get_name()},
                        {"help", app.get_description()},
                        {"options", nlohmann::json::array()},
                        {"commands", nlohmann::json::array()}};
    for (CLI::Option* option : app.get_options())
        json["options"].push_back(described(*option));
    for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
        json["commands"].push_back(described(*command));
    return json;
}

} // namespace sparserl::cli

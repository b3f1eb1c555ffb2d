// SPDX-License-Identifier: Apache-2.0
#include "app/cli/help_text.h"

#include "app/cli/usage.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <regex>
#include <set>
#include <string_view>
#include <vector>

namespace sparserl::cli {

namespace {

/// "TEXT", "sim|cuda", "N" or "NUMBER", of CLI11's "TEXT", "TEXT:{sim,cuda}", "UINT:..." and "FLOAT:...".
std::string valueText(const CLI::Option& option)
{
    if (const auto choices = choicesOf(option); !choices.empty())
        return fmt::format("{}", fmt::join(choices, "|"));
    const std::string type = option.get_type_name();
    if (type.starts_with("INT") || type.starts_with("UINT"))
        return "N";
    return type.starts_with("FLOAT") ? "NUMBER" : type.substr(0, type.find(':'));
}

/// "From 1 to 100.", or nothing where every number is taken.
std::string rangeText(const CLI::Option& option)
{
    const std::string type = option.get_type_name();
    if (type.ends_with(":POSITIVE"))
        return "Above 0.";
    const auto range = declaredRange(option);
    if (!range)
        return {};
    constexpr std::size_t telling = 12; // digits; more stand for "as large as fits"
    return range->second.size() > telling ? std::string()
                                          : fmt::format("From {} to {}.", range->first, range->second);
}

std::string namesOf(const std::set<CLI::Option*>& options)
{
    std::vector<std::string> names;
    names.reserve(options.size());
    for (const CLI::Option* option : options)
        names.push_back(option->get_name());
    return fmt::format("{}", fmt::join(names, ", "));
}

/// May be given alone, and after its name.
bool isBoth(const CLI::Option& option)
{
    return option.get_positional() && option.nonpositional();
}

class HelpFormatter : public CLI::Formatter
{
public:
    std::string make_option(const CLI::Option* option, bool positional) const override
    {
        const bool repeats = isBoth(*option) && !positional;
        std::string what = repeats ? fmt::format("The same as {}.", option->get_name(true)) : helpOf(*option);
        if (!option->get_default_str().empty() && !repeats)
            what += fmt::format(" Default: {}.", option->get_default_str());
        std::string name = make_option_name(option, positional);
        if (option->get_expected_max() > 0 && !positional)
            name += " " + valueText(*option);
        if (option->get_expected_max() == CLI::detail::expected_max_vector_size)
            name += " ...";
        if (option->get_required() && !repeats)
            name += " REQUIRED";
        std::stringstream out;
        CLI::detail::format_help(out, std::move(name), what, get_column_width());
        return out.str();
    }

    /// What a command with commands of its own takes comes before them, and is needed (`control RUN pause`).
    /// It is not required() only because CLI11 would take the command for it.
    std::string make_usage(const CLI::App* app, std::string name) const override
    {
        static const std::regex named(R"(\[OPTIONS\] \[([^\]]+)\] SUBCOMMAND)");
        const CLI::App* above = app->get_parent();
        if (const std::string own = " " + app->get_name(); above != nullptr && name.ends_with(own))
            for (const CLI::Option* option :
                 above->get_options([](const CLI::Option* each) { return each->get_positional(); }))
                name.insert(name.size() - own.size(), " " + option->get_name(true));
        return std::regex_replace(CLI::Formatter::make_usage(app, std::move(name)), named,
                                  "[OPTIONS] $1 SUBCOMMAND");
    }
};

std::string ended(std::string text)
{
    return text.empty() || text.back() == '.' ? text : text + '.';
}

} // namespace

std::shared_ptr<CLI::FormatterBase> helpFormatter()
{
    return std::make_shared<HelpFormatter>();
}

std::string helpOf(const CLI::Option& option)
{
    std::string text = ended(option.get_description());
    if (const std::string range = rangeText(option); !range.empty())
        text += " " + range;
    if (!option.get_needs().empty())
        text += fmt::format(" Needs {}.", namesOf(option.get_needs()));
    if (!option.get_excludes().empty())
        text += fmt::format(" Not with {}.", namesOf(option.get_excludes()));
    return text;
}

void endSentences(CLI::App& app)
{
    app.description(ended(app.get_description()));
    for (CLI::Option* option : app.get_options())
        option->description(ended(option->get_description()));
    for (CLI::App* command : app.get_subcommands({}))
        endSentences(*command);
}

} // namespace sparserl::cli

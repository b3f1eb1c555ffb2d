// SPDX-License-Identifier: Apache-2.0
#include "app/cli/usage.h"

#include "app/cli/options_check.h"
#include "base/format.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <regex>
#include <sstream>
#include <utility>

namespace sparserl::cli {
namespace {

/// The command that the words led to, and those above it, the program first.
std::vector<const CLI::App*> parsedCommands(const CLI::App& root)
{
    std::vector<const CLI::App*> all{&root};
    for (auto subs = root.get_subcommands(); !subs.empty(); subs = all.back()->get_subcommands())
        all.push_back(subs.back());
    return all;
}

std::vector<std::string> namesOf(const std::vector<const CLI::App*>& commands)
{
    std::vector<std::string> names;
    names.reserve(commands.size());
    for (const CLI::App* command : commands)
        names.push_back(command->get_name());
    return names;
}

/// Of the option "--matrx=a" or "-matrix": "matrx" and "matrix".
std::string_view withoutDashes(std::string_view word)
{
    word = word.substr(0, word.find('='));
    while (word.starts_with('-'))
        word.remove_prefix(1);
    return word;
}

Error unknownOption(const std::vector<const CLI::App*>& commands, const std::string& word)
{
    std::vector<std::string> longNames;
    bool isShort = false;
    for (const CLI::App* command : commands)
        for (const CLI::Option* option : command->get_options()) {
            longNames.insert(longNames.end(), option->get_lnames().begin(), option->get_lnames().end());
            for (const std::string& letter : option->get_snames())
                isShort = isShort || letter == withoutDashes(word);
        }
    const std::string help = fmt::format("Run `{} --help` for its options", fullName(*commands.back()));
    const std::string_view plain = withoutDashes(word);
    const std::string near = isShort ? "-" + std::string(plain) : nearestWord(plain, longNames);
    return {fmt::format("{} has no option {}", fullName(*commands.back()),
                        word.starts_with("--") || isShort ? word.substr(0, word.find('=')) : word),
            {},
            0,
            near.empty() ? help : fmt::format("Did you mean {}{}?", isShort ? "" : "--", near)};
}

/// The word is no subcommand of `app`; which one, or whose, may be meant.
Error noCommand(const CLI::App& app, const std::string& word)
{
    const auto names = namesOf(commandsOf(app));
    std::string remedy = nearRemedy(word, names, fmt::format("It has {}", fmt::join(names, ", ")));
    for (const CLI::App* command : commandsOf(app)) // "pause" belongs to `sparserl control`
        if (const auto below = namesOf(commandsOf(*command));
            std::find(below.begin(), below.end(), word) != below.end())
            remedy = fmt::format("`{}` has it: see `{} --help`", fullName(*command), fullName(*command));
    return {fmt::format("{} has no command \"{}\"", fullName(app), word), {}, 0, std::move(remedy)};
}

std::optional<Error> unknownWord(const CLI::App& root)
{
    const auto commands = parsedCommands(root);
    const CLI::App& last = *commands.back();
    for (const std::string& word : root.remaining(true)) {
        if (word == "--")
            continue;
        if (word.size() > 1 && word.starts_with('-'))
            return unknownOption(commands, word);
        const auto names = namesOf(commandsOf(last));
        // A command after "--" is no command: what is missing is said.
        if (std::find(names.begin(), names.end(), word) != names.end())
            return std::nullopt;
        if (!names.empty())
            return noCommand(last, word);
        return Error{fmt::format("\"{}\" was not expected by {}", word, fullName(last)),
                     {},
                     0,
                     fmt::format("Run `{} --help` for what it takes", fullName(last))};
    }
    return std::nullopt;
}

/// A value that is not one of those that its option takes.
std::optional<Error> unknownValue(const CLI::App& root)
{
    for (const CLI::App* command : parsedCommands(root))
        for (const CLI::Option* option : command->get_options()) {
            const auto choices = choicesOf(*option);
            if (choices.empty())
                continue;
            for (const std::string& value : option->results())
                if (std::find(choices.begin(), choices.end(), value) == choices.end())
                    return Error{fmt::format("{} is \"{}\", and must be one of {}", option->get_name(), value,
                                             fmt::join(choices, ", ")),
                                 {},
                                 0,
                                 nearRemedy(value, choices, {})};
        }
    return std::nullopt;
}

/// "1000000.000000" as people write it.
std::string plainNumber(std::string text)
{
    if (text.find('.') == std::string::npos)
        return text;
    text.erase(text.find_last_not_of('0') + 1);
    return text.ends_with('.') ? text.substr(0, text.size() - 1) : text;
}

/// "Value 0 not in range 1.000000 to 1000000.000000" with the numbers as people write them.
std::string plainRange(const std::string& what)
{
    static const std::regex range(R"(Value (\S+) not in range (\S+) to (\S+))");
    std::smatch found;
    if (!std::regex_search(what, found, range))
        return what;
    const std::string value = found[1].str();
    const bool isNumber = value.find_first_not_of("+-.0123456789eE") == std::string::npos;
    return fmt::format(fmt::runtime(isNumber ? "{}{} is not in the range from {} to {}{}"
                                             : "{}\"{}\" is not a number from {} to {}{}"),
                       found.prefix().str(), value, plainNumber(found[2].str()), plainNumber(found[3].str()),
                       found.suffix().str());
}

/// What a command takes that may be said in two ways, and was in none.
std::optional<Error> missingWord(const CLI::App& command)
{
    const auto options = command.get_options();
    // An option that may be given several words takes all that follow it.
    const auto greedy = std::ranges::find_if(options, [](const CLI::Option* option) {
        return !option->get_positional() && option->get_items_expected_max() > 1 && option->count() > 1;
    });
    for (const CLI::Option* option : command.get_options())
        if (option->get_required() && option->count() == 0 && option->get_positional() &&
            option->nonpositional())
            return Error{fmt::format("{} is required", option->get_name(true)),
                         {},
                         0,
                         fmt::format("Give it alone, or after {}; `{} --help` says more", option->get_name(),
                                     fullName(command))};
    for (const CLI::Option* option : options)
        if (greedy != options.end() && option->get_required() && option->count() == 0 &&
            option->get_positional())
            return Error{fmt::format("{} is required", option->get_name(true)),
                         {},
                         0,
                         fmt::format("{} took '{}', too: give {} before it", (*greedy)->get_name(),
                                     (*greedy)->results().back(), option->get_name(true))};
    return std::nullopt;
}

} // namespace

std::vector<std::string> choicesOf(const CLI::Option& option)
{
    // CLI::IsMember says them in the option's type: "TEXT:{sim,cuda,auto}".
    const std::string type = option.get_type_name();
    const std::size_t begin = type.find(":{");
    if (begin == std::string::npos || !type.ends_with('}'))
        return {};
    std::vector<std::string> choices(1);
    for (const char c : type.substr(begin + 2, type.size() - begin - 3)) {
        if (c == ',')
            choices.emplace_back();
        else
            choices.back() += c;
    }
    return choices;
}

std::optional<std::pair<std::string, std::string>> declaredRange(const CLI::Option& option)
{
    // CLI::Range says it in the option's type: "INT:INT in [0 - 1024]".
    static const std::regex range(R"( in \[(\S+) - (\S+)\]$)");
    const std::string type = option.get_type_name();
    std::smatch found;
    if (!std::regex_search(type, found, range))
        return std::nullopt;
    return std::pair(plainNumber(found[1].str()), plainNumber(found[2].str()));
}

namespace {

/// The name of the validator that holds suggestions, and the word that it answers with them. Nobody types it.
constexpr const char *suggestions = "suggestions", *question = "\1suggestions";

} // namespace

CLI::Option* suggests(CLI::Option* option, std::function<std::vector<std::string>()> words)
{
    const auto answer = [words = std::move(words)](std::string& word) {
        return word == question ? fmt::format("{}", fmt::join(words(), "\n")) : std::string();
    };
    return option->check(CLI::Validator(answer, std::string(), suggestions));
}

std::vector<std::string> suggestionsOf(CLI::Option& option)
{
    try {
        std::istringstream answer((*option.get_validator(suggestions))(question));
        std::vector<std::string> words;
        for (std::string word; std::getline(answer, word);)
            words.push_back(word);
        return words;
    } catch (const CLI::OptionNotFound&) {
        return {};
    }
}

CLI::Option* takesNames(CLI::Option* option, std::string_view kind)
{
    const auto takesAll = [](std::string&) { return std::string(); };
    return option->check(CLI::Validator(takesAll, std::string(), "names of " + std::string(kind)));
}

std::string_view nameKindOf(CLI::Option& option)
{
    for (const std::string_view kind : nameKinds) {
        try {
            option.get_validator("names of " + std::string(kind));
            return kind;
        } catch (const CLI::OptionNotFound&) {
            continue;
        }
    }
    return {};
}

std::vector<const CLI::App*> commandsOf(const CLI::App& app)
{
    return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string fullName(const CLI::App& app)
{
    return app.get_parent() == nullptr ? app.get_name() : fullName(*app.get_parent()) + " " + app.get_name();
}

std::string nearRemedy(std::string_view word, const std::vector<std::string>& candidates,
                       const std::string& otherwise)
{
    const std::string near = nearestWord(word, candidates);
    return near.empty() ? otherwise : fmt::format("Did you mean {}?", near);
}

Error usageError(const CLI::App& root, const CLI::ParseError& wrong)
{
    if (dynamic_cast<const CLI::ValidationError*>(&wrong) != nullptr) {
        if (auto value = unknownValue(root))
            return *value;
    }
    if (auto word = unknownWord(root))
        return *word;
    std::string what = plainRange(wrong.what());
    if (dynamic_cast<const CLI::ConversionError*>(&wrong) != nullptr) {
        try { // CLI11 says only that it "could not convert".
            checkValues(root);
        } catch (const CLI::ConversionError& clearer) {
            what = clearer.what();
        }
    }
    if (dynamic_cast<const CLI::RequiredError*>(&wrong) != nullptr) {
        const CLI::App& last = *parsedCommands(root).back();
        if (const auto names = namesOf(commandsOf(last)); !names.empty() && last.get_subcommands().empty()) {
            // `control pasue`: the parser took the word for the run.
            for (const CLI::Option* option : last.get_options())
                if (option->get_positional() && option->count() == 1 &&
                    !nearestWord(option->results().front(), names).empty())
                    return noCommand(last, option->results().front());
            return {fmt::format("{}: a subcommand is required", fullName(last)),
                    {},
                    0,
                    fmt::format("It has {}", fmt::join(names, ", "))};
        }
        if (auto missing = missingWord(*parsedCommands(root).back()))
            return *missing;
    }
    return {std::move(what),
            {},
            0,
            fmt::format("Run `{} --help` for more information", fullName(*parsedCommands(root).back()))};
}

} // namespace sparserl::cli

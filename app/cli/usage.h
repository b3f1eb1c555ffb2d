// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
class ParseError;
} // namespace CLI

namespace sparserl::cli {

/// A value that its option cannot take: thrown by validators that have more to say than CLI11 would.
struct WrongValue
{
    Error error;
};

/// The words that an option takes, where they are a fixed set (CLI::IsMember); else none.
std::vector<std::string> choicesOf(const CLI::Option& option);
/// The option may take other words, too, such as a file; these are offered by completions. They are asked for
/// only then. Gives the option.
CLI::Option* suggests(CLI::Option* option, std::function<std::vector<std::string>()> words);
/// Those words; none where nothing is suggested.
std::vector<std::string> suggestionsOf(CLI::Option& option);
/// The subcommands that are declared, parsed or not.
std::vector<const CLI::App*> commandsOf(const CLI::App& app);
/// "sparserl corpus sample"
std::string fullName(const CLI::App& app);

/// What is wrong with a command line that CLI11 refused. A command, an option or a value of a fixed set that
/// is unknown comes before all that is missing, and with what is near it of those that are declared at its
/// place.
Error usageError(const CLI::App& root, const CLI::ParseError& wrong);

/// "Did you mean WORD?" with the nearest of the candidates, or `otherwise` where none is near.
std::string nearRemedy(std::string_view word, const std::vector<std::string>& candidates,
                       const std::string& otherwise);

} // namespace sparserl::cli

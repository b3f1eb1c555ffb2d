// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLI {
class App;
class Option;
class ParseError;
} // namespace CLI

namespace sparserl::cli {

/// Thrown by validators for an invalid value, with a more detailed message than CLI11's.
struct WrongValue
{
    Error error;
};

/// The words that an option with a fixed set of words accepts (CLI::IsMember); none for any other option.
std::vector<std::string> choicesOf(const CLI::Option& option);
/// The least and the greatest number that CLI::Range allows an option, if it has one.
std::optional<std::pair<std::string, std::string>> declaredRange(const CLI::Option& option);
/// Sets words that completions offer, although the option also accepts others, such as a file. They are
/// requested only for completions. Returns the option.
CLI::Option* suggests(CLI::Option* option, std::function<std::vector<std::string>()> words);
/// The suggested words, or none.
std::vector<std::string> suggestionsOf(CLI::Option& option);
/// Makes completions offer names from the project for this option. `kind`: one of `nameKinds`. Returns the
/// option.
CLI::Option* takesNames(CLI::Option* option, std::string_view kind);
/// The kind that takesNames() set, or an empty text.
std::string_view nameKindOf(CLI::Option& option);
/// The kinds of names that `sparserl --complete KIND` lists. If an option has several kinds, the first one in
/// this list applies.
constexpr std::string_view nameKinds[] = {"policies", "parameters", "matrices", "runs"};
/// The declared subcommands, parsed or not.
std::vector<const CLI::App*> commandsOf(const CLI::App& app);
/// "sparserl corpus sample"
std::string fullName(const CLI::App& app);

/// Explains why CLI11 refused a command line. An unknown command, option or choice, which is reported with
/// the closest declared name, takes precedence over missing options.
Error usageError(const CLI::App& root, const CLI::ParseError& wrong);

/// Returns "Did you mean WORD?" with the closest candidate, or `otherwise` if no candidate is close.
std::string nearRemedy(std::string_view word, const std::vector<std::string>& candidates,
                       const std::string& otherwise);

} // namespace sparserl::cli

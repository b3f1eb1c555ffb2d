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

/// The words of an option with a fixed set (CLI::IsMember), otherwise none.
std::vector<std::string> choicesOf(const CLI::Option& option);
/// The least and the greatest number that CLI::Range allows an option, if it has one.
std::optional<std::pair<std::string, std::string>> declaredRange(const CLI::Option& option);
/// Sets words that completions offer, although the option also accepts others, such as a file. They are
/// requested only for completions. Returns the option.
CLI::Option* suggests(CLI::Option* option, std::function<std::vector<std::string>()> words);
/// The suggested words, or none.
std::vector<std::string> suggestionsOf(CLI::Option& option);
/// Completions offer names of the project for this option; `kind` is one of `nameKinds`. Returns the option.
CLI::Option* takesNames(CLI::Option* option, std::string_view kind);
/// The kind, or nothing.
std::string_view nameKindOf(CLI::Option& option);
/// What `sparserl --complete KIND` lists. If an option has several kinds, the first of them counts.
constexpr std::string_view nameKinds[] = {"policies", "parameters", "matrices", "runs"};
/// The declared subcommands, parsed or not.
std::vector<const CLI::App*> commandsOf(const CLI::App& app);
/// "sparserl corpus sample"
std::string fullName(const CLI::App& app);

/// The fault in a command line that CLI11 refused. Reports an unknown command, option or choice before
/// missing ones, with the closest declared name.
Error usageError(const CLI::App& root, const CLI::ParseError& wrong);

/// "Did you mean WORD?" with the closest candidate, or `otherwise` if none is close.
std::string nearRemedy(std::string_view word, const std::vector<std::string>& candidates,
                       const std::string& otherwise);

} // namespace sparserl::cli

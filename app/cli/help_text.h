// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

namespace CLI {
class App;
class FormatterBase;
class Option;
} // namespace CLI

namespace sparserl::cli {

/// Formats the output of `--help`: "N" for whole numbers, "NUMBER" for other numbers, "sim|cuda" for fixed
/// words, and ranges and defaults in sentences.
std::shared_ptr<CLI::FormatterBase> helpFormatter();

/// An option's description as sentences, with its range and the options it needs or excludes.
std::string helpOf(const CLI::Option& option);

/// Adds a full stop to the descriptions of the command, of its subcommands, and of their options.
void endSentences(CLI::App& app);

} // namespace sparserl::cli

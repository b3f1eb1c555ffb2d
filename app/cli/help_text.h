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

/// What `--help` prints: "N" for whole numbers, "NUMBER" for others, "sim|cuda" for fixed words, and ranges
/// and defaults in sentences.
std::shared_ptr<CLI::FormatterBase> helpFormatter();

/// An option's description as sentences, with its range and the options it needs or excludes.
std::string helpOf(const CLI::Option& option);

/// Gives every description of the command and of those below it a full stop.
void endSentences(CLI::App& app);

} // namespace sparserl::cli

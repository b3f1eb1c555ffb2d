// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sparserl::cli {

/// Converts command-line words for the parser, so that each option receives the user's text:
/// - "lnk/../x", also after "--option=", where lnk is a symbolic link: resolves it as the kernel does. As a
///   text, it would mean x beside the link, unlike in every other program.
/// - "[x]" is marked, because CLI11 would read it as a list.
std::vector<std::string> parserWords(int argc, const char* const* argv);

/// Makes the options of a command and its subcommands remove the mark.
void takeMarksOff(CLI::App& app);
/// Returns a text, which may quote words, without the marks.
std::string withoutMarks(std::string text);

} // namespace sparserl::cli

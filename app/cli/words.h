// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace sparserl::cli {

/// The words of a command line as the parser has to get them, so that each option gets what the user typed:
/// - "lnk/../x", also behind "--option=", where lnk is a symbolic link: what the kernel finds there. Taken as
///   text it would be x beside the link, another folder than that of every other program.
/// - "[x]" is marked: CLI11 takes it for a list.
std::vector<std::string> parserWords(int argc, const char* const* argv);

/// Lets the options of a command and of those below it take the mark off again.
void takeMarksOff(CLI::App& app);
/// The same of a text that quotes words.
std::string withoutMarks(std::string text);

} // namespace sparserl::cli

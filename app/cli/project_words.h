// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class Option;
}

namespace sparserl {
class Project;
}

namespace sparserl::cli {

/// A word on the command line that names nothing that is there: thrown while options are read, for what is
/// wrong is no matter of usage (the status is Failed).
struct NotThere
{
    Error error;
};

/// The project that holds the current folder, if any. One that cannot be read is an Error: what its names
/// stand for is not known.
Result<std::optional<Project>> projectHere();

/// The names of the project's runs.
std::vector<std::string> runNames(const Project& project);

/// The folder of a run that a word names: a folder as it is, else the run of this name in the project that
/// holds the current folder. Any other word as it is, unless a run's name is near: then an Error says which.
Result<std::string> runFolderOf(const std::string& word);

/// What an option that names a run is for.
enum class RunWord
{
    There, ///< The run is there: a name that is near to one of a run is a slip.
    New    ///< It may be one that is made.
};

/// The option takes the name of a run, too, where its command takes the folder of one. Gives the option.
CLI::Option* takesRun(CLI::Option* option, RunWord word = RunWord::There);

} // namespace sparserl::cli

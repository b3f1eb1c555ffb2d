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

/// Thrown while options are parsed if a word names something that does not exist. This is not an error of
/// usage; the status is Failed.
struct NotThere
{
    Error error;
};

/// The project around the current folder, if any. An unreadable project is an Error, because its names are
/// unknown.
Result<std::optional<Project>> projectHere();

/// The names of the project's runs.
std::vector<std::string> runNames(const Project& project);

/// The run folder for a word: an existing folder, or the run of this name in the project around the current
/// folder. Returns any other word unchanged, unless it is close to a run's name: then the Error suggests that
/// name.
Result<std::string> runFolderOf(const std::string& word);

/// The purpose of an option that names a run.
enum class RunWord
{
    There, ///< The run must exist: a similar name is treated as a typing error.
    New    ///< The run may be created.
};

/// Makes an option also accept the name of a run if its command accepts a run folder. Returns the option.
CLI::Option* takesRun(CLI::Option* option, RunWord word = RunWord::There);

} // namespace sparserl::cli

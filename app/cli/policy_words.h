// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <string>

namespace sparserl {
class Project;
}

namespace sparserl::cli {

/// The policy for a word (a checkpoint, a run directory, the name of a run of the project, a policy
/// directory), as run.toml keeps it: an absolute path, or the word "default". Pins it, so its run does not
/// remove it, and records it as named by this user. `leaves`: it will be sent to another machine, so a
/// failure to record it is an Error. An Error if there is no policy.
Result<std::string> namedPolicy(const Project& project, const std::string& word, bool leaves);

} // namespace sparserl::cli

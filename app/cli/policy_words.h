// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <string>

namespace sparserl {
class Project;
}

namespace sparserl::cli {

/// Returns the policy for a word (a checkpoint, a run directory, the name of a run of the project, a policy
/// directory) in the form in which run.toml stores it: an absolute path, or the word "default". Pins the
/// policy, so that its run does not remove it, and records that this user named it. `leaves`: the policy will
/// be sent to another machine, so a failure to record it is an Error. Fails if there is no policy.
Result<std::string> namedPolicy(const Project& project, const std::string& word, bool leaves);

} // namespace sparserl::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"

#include <string>

namespace sparserl {
class Project;
}

namespace sparserl::cli {

/// The policy that a word names (a checkpoint, a run directory, the name of one of the project's runs, a
/// policy directory), as run.toml keeps it: absolute. It is pinned, so that its run does not remove it, and
/// recorded as named by this user; `leaves`: it is to be sent to another machine, so that it matters where
/// that fails. An Error where there is no policy.
Result<std::string> namedPolicy(const Project& project, const std::string& word, bool leaves);

} // namespace sparserl::cli

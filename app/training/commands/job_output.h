// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/cli/commands.h"
#include "training/job_runner.h"

#include <cstddef>
#include <string>

namespace sparserl::cli {

/// Runs a job in the foreground: what each stage does on stdout, progress on stderr, with --json the journal
/// entries. Returns Done, Interrupted (after a sentence about where it stands) or the status of an error.
int runShownJob(const Context& context, Project& project, const Job& job);

} // namespace sparserl::cli

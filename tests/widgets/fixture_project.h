// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "project/files/project.h"
#include "project/run/run_directory.h"
#include "widgets/common/session.h"

#include <filesystem>
#include <memory>
#include <vector>

namespace sparserl::test {

/// Workers that "live" as long as this object: they hold the locks of their runs.
struct LiveRuns
{
    std::vector<std::unique_ptr<RunSession>> sessions;
};

/// A project with generated matrices and runs in every state: SFT, PPO with a spike and a NaN, one failed,
/// one interrupted, one paused by the user, an evaluation; programs from the corpus with made-up but
/// plausible verdicts.
Result<LiveRuns> makeProject(const std::filesystem::path& path);

/// The same, open in a session, as a test of pages begins.
Result<std::unique_ptr<ProjectSession>> openMadeProject(const std::filesystem::path& path, LiveRuns& live);

/// 200 runs with 500 metric points each and a few matrices: what start-up is measured on.
Status makeLargeProject(const std::filesystem::path& path);

} // namespace sparserl::test

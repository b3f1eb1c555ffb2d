// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "base/result.h"
#include "project/files/project.h"
#include "project/run/run_config.h"
#include "training/parameters/stage_parameters.h"

#include <filesystem>
#include <string>
#include <vector>

// No LibTorch here: the window shows jobs and the command line checks them before anything heavy starts.

namespace sparserl {

/// One stage of a job: a run of its own under runs/.
struct JobStage
{
    std::string run;    ///< Name of the run directory.
    std::string preset; ///< Where its parameters begin: a built-in preset or a file.
    /// Run of this job whose policy it starts from, or (not in a file) an absolute path; empty: from scratch.
    std::string parent;
    std::string title;
    std::vector<std::string> assignments; ///< "KEY=VALUE", applied to the preset in order.
};

/// A chain of stages, and which of them the best kernel is exported from: file job.toml of a project.
struct Job
{
    std::string title;
    std::vector<JobStage> stages;
    std::string exportRun; ///< Run whose best kernel is exported at the end; empty: none.
};

/// Reads job.toml. Fails with file and line for broken TOML, and with the stage's name where a stage has no
/// preset, a name that is taken, or a parent that does not come before it.
Result<Job> readJob(const std::filesystem::path& file);

/// The same from text; `file` is what errors name. Keys other than title, stage and export are not looked at.
Result<Job> parseJob(const std::string& text, const std::string& file);

/// Puts `prefix` before every run's name and `assignments` behind those of every stage that knows the key:
/// the same job under another name, for another seed say. A key that no stage knows is an Error.
Result<Job> variantOf(Job job, const std::string& prefix, const std::vector<std::string>& assignments);

/// The complete configuration of a stage's run in a project.
Result<RunConfig> runConfigOf(const JobStage& stage, const Project& project);

} // namespace sparserl

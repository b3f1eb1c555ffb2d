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

// This header does not use LibTorch: the window shows jobs, and the command line checks them before expensive
// initialisation.

namespace sparserl {

/// One stage of a job: a separate run under runs/.
struct JobStage
{
    std::string run;    ///< Name of the run directory.
    std::string preset; ///< Source of its parameters: a built-in preset or a file.
    /// Run of this job that provides its initial policy, or (not in a file) an absolute path; empty: from
    /// scratch.
    std::string parent;
    std::string title;
    std::vector<std::string> assignments; ///< "KEY=VALUE", applied to the preset in order.
};

/// A chain of stages, and the run that provides the exported kernel: file job.toml of a project.
struct Job
{
    std::string title;
    std::vector<JobStage> stages;
    std::string exportRun; ///< Run whose best kernel is exported at the end; empty: none.
};

/// Reads job.toml. Fails with file and line for invalid TOML, and with the stage's name if a stage has no
/// preset, a duplicate name, or a parent that does not precede it.
Result<Job> readJob(const std::filesystem::path& file);

/// The same from text. `file` is used in errors. Keys other than title, stage and export are ignored.
Result<Job> parseJob(const std::string& text, const std::string& file);

/// The same job under another name, for example for another seed: adds `prefix` to every run's name and
/// appends `assignments` to every stage that knows the key. A key unknown to all stages is an Error.
Result<Job> variantOf(Job job, const std::string& prefix, const std::vector<std::string>& assignments);

/// The complete configuration of a stage's run in a project.
Result<RunConfig> runConfigOf(const JobStage& stage, const Project& project);

} // namespace sparserl

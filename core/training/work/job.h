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

// This header does not use LibTorch, because the window shows jobs, and the command line checks jobs before
// expensive initialisation.

namespace sparserl {

/// One stage of a job. It has its own run under runs/.
struct JobStage
{
    std::string run;    ///< Name of the run directory.
    std::string preset; ///< Source of the parameters: a built-in preset or a file.
    /// The run of this job that provides the initial policy, or (but not in a file) an absolute path. Empty:
    /// starts from scratch.
    std::string parent;
    std::string title;
    std::vector<std::string> assignments; ///< Each is "KEY=VALUE"; applied to the preset in this order.
};

/// A chain of stages, and the run whose kernel is exported. Stored as job.toml of a project.
struct Job
{
    std::string title;
    std::vector<JobStage> stages;
    std::string exportRun; ///< Run whose best kernel is exported at the end; empty: no export.
};

/// Reads job.toml. For invalid TOML, the Error gives file and line. If a stage has no preset, a name that is
/// not unique, or a parent that does not precede it, the Error names the stage.
Result<Job> readJob(const std::filesystem::path& file);

/// Parses the text of a job. `file` is for errors. Ignores keys other than title, stage and export.
Result<Job> parseJob(const std::string& text, const std::string& file);

/// Returns a variant of a job, for example for another seed: adds `prefix` to the name of every run, and
/// appends each assignment to every stage that has the key. Fails for a key that no stage has.
Result<Job> variantOf(Job job, const std::string& prefix, const std::vector<std::string>& assignments);

/// Returns the complete configuration of the run for a stage in a project.
Result<RunConfig> runConfigOf(const JobStage& stage, const Project& project);

} // namespace sparserl

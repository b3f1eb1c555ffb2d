// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "training/evaluated/evaluation_tables.h"
#include "training/work/job.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// This header does not use LibTorch, because the command line checks a table before expensive initialisation.

namespace sparserl {

/// One line of an ablation table of a paper: a policy and its evaluation.
struct AblationCell
{
    std::string name;
    std::string run; ///< Name of the run in the job that evaluates the policy.
    /// The paper's values in the order of Ablation::paperColumns; nullopt where the paper has no value.
    std::vector<std::optional<double>> paper;
};

/// A table of a paper with the runs that reproduce it. It comes from a file in projects/ablations or from a
/// file of the user. A stage that several cells share (such as a fine-tuned policy) occurs once.
struct Ablation
{
    std::string name, title, source;
    std::string note; ///< How the runs differ from those of the paper.
    Job job;
    std::vector<std::string> paperColumns;
    std::vector<AblationCell> cells;
};

/// Returns the ablations that are included in the program.
Result<std::vector<Ablation>> builtInAblations();
/// Finds an ablation by its name, or reads a file. The Error lists the names, or gives the faulty line.
Result<Ablation> findAblation(const std::string& nameOrFile);

/// Returns one job with the runs of the table for every seed, which are named "NAME-sSEED-RUN". Each
/// assignment applies to every stage that has the parameter.
Result<Job> ablationJob(const Ablation& ablation, std::span<const std::int64_t> seeds,
                        const std::vector<std::string>& assignments);
/// Returns the name of a cell's run in the job of ablationJob().
std::string ablationRun(const Ablation& ablation, const AblationCell& cell, std::int64_t seed);

/// Returns a table with one line per cell: the results (mean and range over the seeds) beside the paper's
/// values. `results` holds, for each cell, one result per seed.
TextTable ablationTable(const Ablation& ablation, std::span<const std::vector<EvaluationResult>> results);

} // namespace sparserl

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

// No LibTorch here: the command line checks a table before anything heavy starts.

namespace sparserl {

/// One line of a paper's ablation: a policy as an evaluation of it finds it.
struct AblationCell
{
    std::string name;
    std::string run; ///< Of the job, of the stage evaluate.
    /// What the paper says, in the order of Ablation::paperColumns; nothing where it has no number.
    std::vector<std::optional<double>> paper;
};

/// A table of a paper as runs that can be repeated here: a file of projects/ablations, or one of the user's.
/// What cells share (a fine-tuned policy, say) is one stage.
struct Ablation
{
    std::string name, title, source;
    std::string note; ///< What is not as in the paper.
    Job job;
    std::vector<std::string> paperColumns;
    std::vector<AblationCell> cells;
};

/// Those that come with the program.
Result<std::vector<Ablation>> builtInAblations();
/// By name or file. Fails with the names there are; for a file with the line of what is wrong.
Result<Ablation> findAblation(const std::string& nameOrFile);

/// The runs of the table for every seed, in one job: "NAME-sSEED-RUN". The assignments go to every stage that
/// has the parameter.
Result<Job> ablationJob(const Ablation& ablation, std::span<const std::int64_t> seeds,
                        const std::vector<std::string>& assignments);
/// What the run of a cell is called in that job.
std::string ablationRun(const Ablation& ablation, const AblationCell& cell, std::int64_t seed);

/// A line for each cell: what was found (mean of the seeds, and from where to where) beside what the paper
/// says. `results`: of each cell those of its seeds.
TextTable ablationTable(const Ablation& ablation, std::span<const std::vector<EvaluationResult>> results);

} // namespace sparserl

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

// This header does not use LibTorch: the command line checks a table before expensive initialisation.

namespace sparserl {

/// One line of a paper's ablation: a policy and its evaluation.
struct AblationCell
{
    std::string name;
    std::string run; ///< Name of a run of stage evaluate in the job.
    /// The paper's values in the order of Ablation::paperColumns; nullopt if it has none.
    std::vector<std::optional<double>> paper;
};

/// A table of a paper as reproducible runs: a file of projects/ablations, or one of the user's. Stages shared
/// by several cells (such as a fine-tuned policy) occur once.
struct Ablation
{
    std::string name, title, source;
    std::string note; ///< Deviations from the paper.
    Job job;
    std::vector<std::string> paperColumns;
    std::vector<AblationCell> cells;
};

/// The ablations included in the program.
Result<std::vector<Ablation>> builtInAblations();
/// Finds an ablation by name or file. The Error lists the names, or gives the faulty line of a file.
Result<Ablation> findAblation(const std::string& nameOrFile);

/// The runs of the table for every seed, in one job: "NAME-sSEED-RUN". The assignments apply to every stage
/// with that parameter.
Result<Job> ablationJob(const Ablation& ablation, std::span<const std::int64_t> seeds,
                        const std::vector<std::string>& assignments);
/// The name of a cell's run in that job.
std::string ablationRun(const Ablation& ablation, const AblationCell& cell, std::int64_t seed);

/// One line per cell: the results (mean and range over the seeds) beside the paper's values. `results`: per
/// cell, those of its seeds.
TextTable ablationTable(const Ablation& ablation, std::span<const std::vector<EvaluationResult>> results);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sparserl {

/// The task in words, as the encoder reads it behind a matrix (SparseRL A.29; the wording is ours): SpMM with
/// so many dense columns, or SpMV for 1.
std::string sftPrompt(std::int64_t denseColumns = 1);

/// What a policy that was trained with the prompt `trained` reads in a run with so many dense columns: the
/// same prompt for them. None and prompts of others stay.
std::string promptFor(const std::string& trained, std::int64_t denseColumns);

/// Of the task of a run: dense_columns for SpMM, 1 for SpMV; of a run of both those of its first targets, 1.
std::int64_t denseColumnsOf(const ParameterSet& parameters);
/// The columns of all targets that a matrix has in a run: two for both tasks.
std::vector<std::int64_t> allDenseColumnsOf(const ParameterSet& parameters);
/// Whether a run is of both tasks.
bool isOfBothTasks(const ParameterSet& parameters);

/// For which share of the matrices of a step, from 0, a policy without a prompt of its own is shown that:
/// falls linearly from 1 to 0 over sft.prompt_until of the steps with sft.prompt = fading, else 0.
double promptShareAt(const ParameterSet& parameters, std::int64_t step);

} // namespace sparserl

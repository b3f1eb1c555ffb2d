// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"

#include <cstdint>
#include <string_view>

namespace sparserl {

/// The task in words, as the encoder reads it behind a matrix (SparseRL A.29; the wording is ours).
std::string_view sftPrompt();

/// For which share of the matrices of a step, from 0, a policy without a prompt of its own is shown that:
/// falls linearly from 1 to 0 over sft.prompt_until of the steps with sft.prompt = fading, else 0.
double promptShareAt(const ParameterSet& parameters, std::int64_t step);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"
#include "corpus/estimate_device.h"

#include <vector>

namespace sparserl {

/// Candidates for SpMV, best first: parameters of every family that can pay are laid out over a grid, an
/// estimate of their time on a large GPU (spmv_estimate.h) orders them, and what is alike is thinned out so
/// that the first few dozen are worth timing. The score is a falling function of the estimate relative to the
/// best.
std::vector<Candidate> recommendSpmv(const MatrixFeatures& features, const SpmvDevice& device);

} // namespace sparserl

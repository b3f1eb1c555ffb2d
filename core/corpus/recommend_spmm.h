// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"

namespace sparserl {

/// The rules of docs/kernels.md 3 for C = A B with `denseColumns` columns, best first.
std::vector<Candidate> recommendSpmm(const MatrixFeatures& features, std::int64_t denseColumns);

} // namespace sparserl

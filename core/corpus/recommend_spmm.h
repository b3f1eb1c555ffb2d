// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/corpus.h"

namespace sparserl {

/// The rules of kernels.md C.4 for C = A B with `denseColumns` columns, best first.
std::vector<Candidate> recommendSpmm(const MatrixFeatures& features, std::int64_t denseColumns);

} // namespace sparserl

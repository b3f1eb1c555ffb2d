// SPDX-License-Identifier: Apache-2.0
#include "corpus/recommend_spmm.h"

#include "matrix/features.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace sparserl {

std::vector<Candidate> recommendSpmm(const MatrixFeatures& features, std::int64_t denseColumns)
{
    std::vector<Candidate> all;
    all.push_back({"M1",
                   {{"block", 128}, {"merge", 1}, {"unroll", 4}},
                   0.5,
                   fmt::format("{} columns, mean row length {:.1f}", denseColumns, features.rowMean)});
    return all;
}

} // namespace sparserl

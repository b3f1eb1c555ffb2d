// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "matrix/assemble.h"
#include "matrix/csr.h"

#include <vector>

namespace sparserl::test {

/// A dense matrix as rows of numbers, zeros left out.
inline Csr fromDense(const std::vector<std::vector<float>>& dense, int cols = -1)
{
    Csr out;
    out.rows = static_cast<std::int32_t>(dense.size());
    out.cols = cols >= 0 ? cols : dense.empty() ? 0 : static_cast<std::int32_t>(dense.front().size());
    for (const auto& row : dense) {
        for (std::size_t c = 0; c < row.size(); ++c) {
            if (row[c] != 0) {
                out.col.push_back(static_cast<std::int32_t>(c));
                out.val.push_back(row[c]);
            }
        }
        out.rowPtr.push_back(static_cast<std::int32_t>(out.col.size()));
    }
    return out;
}

inline std::vector<std::vector<float>> toDense(const Csr& a)
{
    std::vector<std::vector<float>> out(a.rows, std::vector<float>(a.cols, 0));
    for (int r = 0; r < a.rows; ++r) {
        for (int k = a.rowPtr[r]; k < a.rowPtr[r + 1]; ++k) {
            out[r][a.col[k]] = a.val[k];
        }
    }
    return out;
}

/// Random pattern with uneven rows, some of them empty; values are 1, 2, 3, ... so that each is unique.
inline Csr ragged(std::uint64_t seed, int rows, int cols, double density)
{
    Rng rng(seed);
    std::vector<std::vector<float>> dense(rows, std::vector<float>(cols, 0));
    float next = 1;
    for (auto& row : dense) {
        const double share = rng.chance(0.2) ? 0 : density * rng.uniform(0, 2);
        for (auto& value : row) {
            if (rng.chance(share)) {
                value = next++;
            }
        }
    }
    return fromDense(dense, cols);
}

} // namespace sparserl::test

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "matrix/csr.h"

namespace sparserl {

/// 2,000 x 2,000 with about ten entries a row, for the benchmarks of policies.
inline Csr someMatrix(std::uint64_t seed)
{
    Rng rng(seed);
    Csr m;
    m.rows = m.cols = 2000;
    for (int r = 0; r < m.rows; ++r) {
        for (int c = int(rng.below(200)); c < m.cols; c += 1 + int(rng.below(400))) {
            m.col.push_back(c);
            m.val.push_back(1.0f);
        }
        m.rowPtr.push_back(int(m.col.size()));
    }
    return m;
}

} // namespace sparserl

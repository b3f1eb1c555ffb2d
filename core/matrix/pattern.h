// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/cache.h"

#include <memory>
#include <optional>

namespace sparserl {

/// The data that a viewer draws: the pyramid for the overview, and the matrix for finer detail. It is
/// immutable, so threads may share it.
class MatrixPattern
{
public:
    /// Maps a matrix from the cache. A matrix of a gigabyte opens in milliseconds.
    static Result<std::shared_ptr<const MatrixPattern>> open(const MatrixCache& cache,
                                                             const std::string& digest);
    /// Creates a pattern from a matrix in memory.
    explicit MatrixPattern(Csr matrix);
    MatrixPattern(const MatrixPattern&) = delete;
    MatrixPattern& operator=(const MatrixPattern&) = delete;

    const CsrView& matrix() const { return m_view; }
    const DensityPyramid& pyramid() const { return m_pyramid; }

private:
    MatrixPattern(MappedMatrix mapped, DensityPyramid pyramid);
    std::optional<MappedMatrix> m_mapped;
    Csr m_held;
    CsrView m_view; ///< A view of one of the two matrices above.
    DensityPyramid m_pyramid;
};

} // namespace sparserl

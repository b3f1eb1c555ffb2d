// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/cache.h"

#include <memory>
#include <optional>

namespace sparserl {

/// What a viewer draws: the pyramid for the first picture, the matrix for what the pyramid is too coarse for.
/// Never changes, so threads may share it.
class MatrixPattern
{
public:
    /// A matrix of the cache, mapped: a file of a gigabyte opens in milliseconds.
    static Result<std::shared_ptr<const MatrixPattern>> open(const MatrixCache& cache,
                                                             const std::string& digest);
    /// A matrix in memory.
    explicit MatrixPattern(Csr matrix);
    MatrixPattern(const MatrixPattern&) = delete;
    MatrixPattern& operator=(const MatrixPattern&) = delete;

    const CsrView& matrix() const { return m_view; }
    const DensityPyramid& pyramid() const { return m_pyramid; }

private:
    MatrixPattern(MappedMatrix mapped, DensityPyramid pyramid);
    std::optional<MappedMatrix> m_mapped;
    Csr m_held;
    CsrView m_view; ///< Into one of the two.
    DensityPyramid m_pyramid;
};

} // namespace sparserl

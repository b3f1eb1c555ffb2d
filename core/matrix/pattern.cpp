// SPDX-License-Identifier: Apache-2.0
#include "matrix/pattern.h"

namespace sparserl {

Result<std::shared_ptr<const MatrixPattern>> MatrixPattern::open(const MatrixCache& cache,
                                                                 const std::string& digest)
{
    SPARSERL_TRY(auto mapped, cache.map(digest));
    SPARSERL_TRY(auto pyramid, cache.loadPyramid(digest));
    if (pyramid.rows != mapped.view().rows || pyramid.cols != mapped.view().cols)
        pyramid = buildDensityPyramid(mapped.view()); // somebody exchanged a file
    SPARSERL_CHECK(mapped.whole());
    return std::shared_ptr<const MatrixPattern>(new MatrixPattern(std::move(mapped), std::move(pyramid)));
}

MatrixPattern::MatrixPattern(Csr matrix)
    : m_held(std::move(matrix))
    , m_view(m_held)
    , m_pyramid(buildDensityPyramid(m_view))
{
}

MatrixPattern::MatrixPattern(MappedMatrix mapped, DensityPyramid pyramid)
    : m_mapped(std::move(mapped))
    , m_view(m_mapped->view())
    , m_pyramid(std::move(pyramid))
{
}

} // namespace sparserl

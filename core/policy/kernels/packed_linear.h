// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

namespace sparserl {

/// Computes y = x W^T for many small batches of rows. W is packed once for the vector width of the processor.
/// A BLAS library packs W in every call, which took a fifth of the time of a decoding step. The result of a
/// row does not depend on the other rows.
class PackedLinear
{
public:
    PackedLinear() = default;
    /// Packs a copy of `weight` [out, in], which is row-major. May throw std::bad_alloc.
    PackedLinear(const float* weight, std::int64_t out, std::int64_t in);

    std::int64_t out() const { return m_out; }
    std::int64_t in() const { return m_in; }

    /// Computes y [rows, out] = x [rows, in] W^T, or adds the product to y if `accumulate`. Rows are
    /// contiguous.
    void apply(const float* x, std::int64_t rows, float* y, bool accumulate) const;

private:
    std::int64_t m_out = 0, m_in = 0;
    /// Panels of two vectors of outputs each, [panels, in, outputs], padded with zeros and aligned to a cache
    /// line. Copies of this object share them.
    std::shared_ptr<float> m_panels;
};

} // namespace sparserl

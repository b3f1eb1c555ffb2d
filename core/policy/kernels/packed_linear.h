// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

namespace sparserl {

/// y = x W^T for many small batches of rows. W is laid out once as the processor's vectors read it; a
/// library's product lays it out at each call, which for the rows of one decoding step was a fifth of all
/// time. A row's result does not depend on the rows beside it.
class PackedLinear
{
public:
    PackedLinear() = default;
    /// Copies `weight` [out, in], row-major. Throws std::bad_alloc.
    PackedLinear(const float* weight, std::int64_t out, std::int64_t in);

    std::int64_t out() const { return m_out; }
    std::int64_t in() const { return m_in; }

    /// y [rows, out] = x [rows, in] W^T, or y += that where `accumulate`. Rows lie behind one another.
    void apply(const float* x, std::int64_t rows, float* y, bool accumulate) const;

private:
    std::int64_t m_out = 0, m_in = 0;
    /// Panels of as many outputs as two vectors hold, [panels, in, outputs], the last one filled with zeros;
    /// begins at a cache line. Copies share it.
    std::shared_ptr<float> m_panels;
};

} // namespace sparserl

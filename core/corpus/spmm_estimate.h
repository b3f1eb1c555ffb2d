// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/family.h"
#include "corpus/spmm_work.h"

#include <vector>

namespace sparserl {

/// Gives a rough estimate of the time of an SpMM program from the features of the matrix. SpmvEstimate is the
/// counterpart for SpMV.
class SpmmEstimate
{
public:
    SpmmEstimate(const MatrixFeatures& features, std::int64_t denseColumns, const SpmvDevice& device,
                 ElementType type = ElementType::F32);

    /// Returns the estimate in microseconds, or a very large number if the family does not apply. `complete`
    /// contains all parameters.
    double microseconds(const SpmmRules& family, const FamilyParameters& complete) const;
    /// Returns the terms whose weighted sum is the estimate. Each is in microseconds. They are in the order
    /// of NAMES in tests/benchmarks/spmm_estimate_fit.py. Empty if the family does not apply.
    std::vector<double> terms(const SpmmRules& family, const FamilyParameters& complete) const;

private:
    SpmvMatrix m_matrix;
    double m_columns;
};

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/family.h"
#include "corpus/spmm_work.h"

#include <vector>

namespace sparserl {

/// A rough time of one SpMM program from the features of the matrix, as SpmvEstimate has one for SpMV.
class SpmmEstimate
{
public:
    SpmmEstimate(const MatrixFeatures& features, std::int64_t denseColumns, const SpmvDevice& device,
                 ElementType type = ElementType::F32);

    /// Microseconds; a very large number where the family does not apply. `complete` has every parameter.
    double microseconds(const SpmmRules& family, const FamilyParameters& complete) const;
    /// What the estimate is a weighted sum of, in microseconds each, in the order of NAMES of
    /// tests/benchmarks/spmm_estimate_fit.py. Empty where the family does not apply.
    std::vector<double> terms(const SpmmRules& family, const FamilyParameters& complete) const;

private:
    SpmvMatrix m_matrix;
    double m_columns;
};

} // namespace sparserl

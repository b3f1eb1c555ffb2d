// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/family.h"
#include "corpus/spmv_work.h"

#include <vector>

namespace sparserl {

/// A rough time of one SpMV program on a large GPU from the features of the matrix: launches, the longest
/// chain of dependent loads, bytes moved, instructions issued (SpmvRules::work). It orders candidates; it is
/// no prediction.
class SpmvEstimate
{
public:
    SpmvEstimate(const MatrixFeatures& features, const SpmvDevice& device,
                 ElementType type = ElementType::F32)
        : m_matrix(features, device, type)
    {
    }

    /// Microseconds; a very large number where the family does not apply. `complete` has every parameter.
    double microseconds(const SpmvRules& family, const FamilyParameters& complete) const;
    /// What the estimate is a weighted sum of, in microseconds each (EstimateFit::weights). Empty where the
    /// family does not apply.
    std::vector<double> terms(const SpmvRules& family, const FamilyParameters& complete) const;
    /// How heavy the tail of the row lengths of a large matrix is: 0 for even rows and for small matrices.
    /// Times grow with an exponential of it, a family's own (EstimateFit::tail).
    double tail() const;

private:
    SpmvMatrix m_matrix;
};

/// What the terms are multiplied by for the values of parameters.
double factorOf(const EstimateFit& fit, const FamilyParameters& complete);
/// The fit of a family that is for these parameters.
const EstimateFit& fitOf(const std::vector<EstimateFit>& fits, const FamilyParameters& complete);
/// Microseconds of these terms; a very large number for none.
double weighted(const std::vector<double>& terms, const EstimateFit& fit, const FamilyParameters& complete,
                double tail);
/// SpmvEstimate::tail
double tailOf(const SpmvMatrix& matrix);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/family.h"
#include "corpus/spmv_work.h"

#include <vector>

namespace sparserl {

/// A rough estimate of the time of one SpMV program on a large GPU. It is computed from the features of the
/// matrix: launches, the longest chain of dependent loads, bytes moved, instructions issued
/// (SpmvRules::work). It serves to order candidates and is not a prediction.
class SpmvEstimate
{
public:
    SpmvEstimate(const MatrixFeatures& features, const SpmvDevice& device,
                 ElementType type = ElementType::F32)
        : m_matrix(features, device, type)
    {
    }

    /// Microseconds, or a very large number if the family does not apply. `complete` contains all parameters.
    double microseconds(const SpmvRules& family, const FamilyParameters& complete) const;
    /// The terms whose weighted sum (EstimateFit::weights) is the estimate, in microseconds each. Empty if
    /// the family does not apply.
    std::vector<double> terms(const SpmvRules& family, const FamilyParameters& complete) const;
    /// The weight of the tail of a large matrix's row lengths: 0 for rows of equal length and for small
    /// matrices. Times grow exponentially with it, with an exponent for each family (EstimateFit::tail).
    double tail() const;

private:
    SpmvMatrix m_matrix;
};

/// The factor for the parameter values, by which the terms are multiplied.
double factorOf(const EstimateFit& fit, const FamilyParameters& complete);
/// The fit of a family for these parameters.
const EstimateFit& fitOf(const std::vector<EstimateFit>& fits, const FamilyParameters& complete);
/// Microseconds of these terms. A very large number if there are none.
double weighted(const std::vector<double>& terms, const EstimateFit& fit, const FamilyParameters& complete,
                double tail);
/// SpmvEstimate::tail() of a matrix.
double tailOf(const SpmvMatrix& matrix);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "corpus/family.h"
#include "corpus/spmv_work.h"

#include <vector>

namespace sparserl {

/// Gives a rough estimate of the time of an SpMV program on a large GPU. From the features of the matrix,
/// SpmvRules::work computes launches, the longest chain of dependent loads, bytes moved and instructions
/// issued. The estimate serves to order candidates and is not a prediction.
class SpmvEstimate
{
public:
    SpmvEstimate(const MatrixFeatures& features, const SpmvDevice& device,
                 ElementType type = ElementType::F32)
        : m_matrix(features, device, type)
    {
    }

    /// Returns the estimate in microseconds, or a very large number if the family does not apply. `complete`
    /// contains all parameters.
    double microseconds(const SpmvRules& family, const FamilyParameters& complete) const;
    /// Returns the terms whose weighted sum (EstimateFit::weights) is the estimate. Each is in microseconds.
    /// Empty if the family does not apply.
    std::vector<double> terms(const SpmvRules& family, const FamilyParameters& complete) const;
    /// Returns a measure for the tail of a large matrix's row lengths: 0 if the coefficient of variation of
    /// the lengths is at most 1, and 0 for a small matrix. The logarithm of the time grows linearly with it,
    /// by the factor EstimateFit::tail.
    double tail() const;

private:
    SpmvMatrix m_matrix;
};

/// Returns the factor for the parameter values, by which the terms are multiplied.
double factorOf(const EstimateFit& fit, const FamilyParameters& complete);
/// Returns the fit of a family that applies to these parameters.
const EstimateFit& fitOf(const std::vector<EstimateFit>& fits, const FamilyParameters& complete);
/// Converts terms to microseconds. Returns a very large number if there are no terms.
double weighted(const std::vector<double>& terms, const EstimateFit& fit, const FamilyParameters& complete,
                double tail);
/// Returns SpmvEstimate::tail() for a matrix.
double tailOf(const SpmvMatrix& matrix);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "machine/device_model.h"
#include "matrix/features.h"
#include "target/element_type.h"
#include "verdict/record.h"

#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// The inputs for predicting the time of a program on a matrix.
struct TimeTraits
{
    std::vector<double> matrix;  ///< From MatrixSpace::place().
    std::vector<double> program; ///< programTraits()
    std::string family;          ///< As identified by the corpus, or empty.
    double estimate = 0;         ///< familyEstimate()
};

/// The matrix features that affect times, normalized to mean 0 and deviation 1 over a set of matrices: close
/// places mean similar matrices.
class MatrixSpace
{
public:
    explicit MatrixSpace(const std::vector<MatrixFeatures>& matrices);
    std::vector<double> place(const MatrixFeatures& matrix) const;

private:
    std::vector<double> m_mean, m_deviation;
};

/// Clusters of places by k-means (Lloyd's algorithm, k-means++ initialisation): the cluster number of each
/// place, below `groups`. Deterministic.
std::vector<std::int64_t> nearGroups(const std::vector<std::vector<double>>& places, std::int64_t groups,
                                     std::uint64_t seed);

/// Features of a program from its text, its plan and the resources in its verdict: numbers of roughly equal
/// weight.
std::vector<double> programTraits(std::string_view text, const VerdictRecord& record);

/// ln of the corpus's time estimate for the family (SpmvEstimate, SpmmEstimate) divided by that for the
/// reference program's family, with default parameters; 0 if there is none.
double familyEstimate(const std::string& family, const MatrixFeatures& matrix, const DeviceModel& device,
                      ElementType type = ElementType::F32);

} // namespace sparserl

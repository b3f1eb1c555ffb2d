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

/// What the time of a program on a matrix is predicted from.
struct TimeTraits
{
    std::vector<double> matrix;  ///< Of MatrixSpace::place().
    std::vector<double> program; ///< programTraits()
    std::string family;          ///< As the corpus identifies it, or empty.
    double estimate = 0;         ///< familyEstimate()
};

/// The features of matrices that times depend on, each brought to mean 0 and deviation 1 over some matrices:
/// near one another is alike.
class MatrixSpace
{
public:
    explicit MatrixSpace(const std::vector<MatrixFeatures>& matrices);
    std::vector<double> place(const MatrixFeatures& matrix) const;

private:
    std::vector<double> m_mean, m_deviation;
};

/// Groups of near places by k-means (Lloyd's algorithm from a start of k-means++): for each place the number
/// of its group, below `groups`. Deterministic.
std::vector<std::int64_t> nearGroups(const std::vector<std::vector<double>>& places, std::int64_t groups,
                                     std::uint64_t seed);

/// What a program is like, from its text, its plan and its verdict's resources: numbers of about equal
/// weight.
std::vector<double> programTraits(std::string_view text, const VerdictRecord& record);

/// ln of the corpus's estimate of the family's time (SpmvEstimate, SpmmEstimate) over that of the family of
/// the reference program, with parameters as the families first have them; 0 where there is none.
double familyEstimate(const std::string& family, const MatrixFeatures& matrix, const DeviceModel& device,
                      ElementType type = ElementType::F32);

} // namespace sparserl

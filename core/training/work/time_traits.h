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

/// The features of a program and a matrix from which a time is predicted.
struct TimeTraits
{
    std::vector<double> matrix;  ///< Result of MatrixSpace::place().
    std::vector<double> program; ///< Result of programTraits().
    std::string family;          ///< As identified by the corpus, or empty.
    double estimate = 0;         ///< Result of familyEstimate().
};

/// The matrix features that affect times, normalised to mean 0 and deviation 1 over a set of matrices. A
/// matrix is a place in this space; matrices at close places are similar.
class MatrixSpace
{
public:
    explicit MatrixSpace(const std::vector<MatrixFeatures>& matrices);
    std::vector<double> place(const MatrixFeatures& matrix) const;

private:
    std::vector<double> m_mean, m_deviation;
};

/// Groups places by k-means (Lloyd's algorithm, initialised by k-means++). Returns the group number of each
/// place, below `groups`. Deterministic.
std::vector<std::int64_t> nearGroups(const std::vector<std::vector<double>>& places, std::int64_t groups,
                                     std::uint64_t seed);

/// Returns features of a program from its text, its plan and the resources in its verdict, as numbers of
/// roughly equal weight.
std::vector<double> programTraits(std::string_view text, const VerdictRecord& record);

/// Returns ln(a / b), where a and b are the corpus's time estimates (SpmvEstimate, SpmmEstimate) for the
/// family and for the family of the reference program, with default parameters. Returns 0 if one is missing.
double familyEstimate(const std::string& family, const MatrixFeatures& matrix, const DeviceModel& device,
                      ElementType type = ElementType::F32);

} // namespace sparserl

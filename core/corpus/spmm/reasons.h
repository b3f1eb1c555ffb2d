// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/features.h"
#include "target/target_id.h"

#include <string>

namespace sparserl::spmm {

// Reasons for or against families, for display.
std::string reasonOfLengths(const MatrixFeatures& features, const TargetVariant& variant);
std::string reasonOfPadding(const MatrixFeatures& features, const TargetVariant& variant);
std::string reasonOfLongestRow(const MatrixFeatures& features, const TargetVariant& variant);

} // namespace sparserl::spmm

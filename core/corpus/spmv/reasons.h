// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/features.h"

#include <string>

namespace sparserl::spmv {

// Reasons for or against families, for display.
std::string reasonOfMeanLength(const MatrixFeatures& features); ///< For rows of similar length.
std::string
reasonOfPadding(const MatrixFeatures& features); ///< For formats that pad rows to the length of longer rows.
std::string reasonOfLongestRow(const MatrixFeatures& features);   ///< For rows of any length.
std::string reasonOfColumnLength(const MatrixFeatures& features); ///< For families that reuse columns.

} // namespace sparserl::spmv

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/features.h"

#include <string>

namespace sparserl::spmv {

// What decides for or against families, for people.
std::string reasonOfMeanLength(const MatrixFeatures& features);   ///< Rows of one kind.
std::string reasonOfPadding(const MatrixFeatures& features);      ///< Rows padded to longer ones.
std::string reasonOfLongestRow(const MatrixFeatures& features);   ///< Rows of any length.
std::string reasonOfColumnLength(const MatrixFeatures& features); ///< Columns that are reused.

} // namespace sparserl::spmv

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/features.h"

#include <cstdint>
#include <string>

namespace sparserl::spmm {

// What decides for or against families, for people.
std::string reasonOfLengths(const MatrixFeatures& features, std::int64_t columns);
std::string reasonOfPadding(const MatrixFeatures& features, std::int64_t columns);
std::string reasonOfLongestRow(const MatrixFeatures& features, std::int64_t columns);

} // namespace sparserl::spmm

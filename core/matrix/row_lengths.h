// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/features.h"

#include <span>

namespace sparserl {

/// As rowLengthHistogram of a matrix, from its row pointers alone: a mapped file's columns are not read.
std::vector<RowLengthBin> rowLengthHistogram(std::span<const std::int32_t> rowPtr);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "base/result.h"

#include <cstdint>
#include <vector>

namespace sparserl {

/// Returns the numbers of columns of B in a run: dense_columns, then those in more_columns; none for a run
/// with only SpMV. Fails if more_columns is not a list of such numbers, or is given without SpMM.
Result<std::vector<std::int64_t>> denseColumnsOf(const ParameterSet& parameters);

} // namespace sparserl

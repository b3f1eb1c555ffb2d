// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/parameters.h"
#include "base/result.h"

#include <cstdint>
#include <vector>

namespace sparserl {

/// The numbers of columns of B in a run: dense_columns, then those of more_columns; none for SpMV alone.
/// Fails if more_columns is not a list of numbers of columns, or is given without SpMM.
Result<std::vector<std::int64_t>> denseColumnsOf(const ParameterSet& parameters);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/csr.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace sparserl {

/// A matrix in words and numbers, for models that read text alone: its features, the quantiles of its row
/// lengths, and entries drawn from `seed` in row order. At most `entries` of them; all if there are no more.
/// About 60 characters for a feature and 12 for an entry.
std::string matrixText(const Csr& matrix, std::size_t entries, std::uint64_t seed);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "matrix/csr.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace sparserl {

/// Describes a matrix in words and numbers, for models that read only text: features, quantiles of the row
/// lengths, and entries in row order. If the matrix has more than `entries` entries, that many are drawn at
/// random with `seed`. A feature takes about 60 characters, an entry about 12.
std::string matrixText(const Csr& matrix, std::size_t entries, std::uint64_t seed);

} // namespace sparserl

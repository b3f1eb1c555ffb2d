// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "matrix/csr.h"

#include <filesystem>
#include <span>
#include <vector>

namespace sparserl {

/// Computes y = A x in double precision. Adds the products of each row in the order of their columns. `x` has
/// one element per column of the matrix.
std::vector<double> multiply(const Csr& matrix, std::span<const double> x);

/// Returns the vector x_j = 1 / (1 + j), which `sparserl multiply` uses by default.
std::vector<double> harmonicVector(std::int64_t size);

/// Reads numbers from a text file in which white space or commas separate them. Lines that start with % or #
/// are comments. Skips a Matrix Market array header and its size line.
Result<std::vector<double>> readVector(const std::filesystem::path& path);

} // namespace sparserl

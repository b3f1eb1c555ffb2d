// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "matrix/csr.h"

#include <filesystem>
#include <span>
#include <vector>

namespace sparserl {

/// y = A x in double precision. Sums rows in order, entries by column. x has `cols` elements.
std::vector<double> multiply(const Csr& matrix, std::span<const double> x);

/// x_j = 1 / (1 + j): the vector of `sparserl multiply`.
std::vector<double> harmonicVector(std::int64_t size);

/// Reads numbers from a text file, separated by white space. Lines that start with % or # are comments. Skips
/// a Matrix Market array header and its size line.
Result<std::vector<double>> readVector(const std::filesystem::path& path);

} // namespace sparserl

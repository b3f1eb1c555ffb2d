// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "matrix/csr.h"

#include <filesystem>
#include <span>
#include <vector>

namespace sparserl {

/// y = A x in double precision, rows in order, entries in order of columns. x has `cols` elements.
std::vector<double> multiply(const Csr& matrix, std::span<const double> x);

/// x_j = 1 / (1 + j): the vector of `sparserl multiply`.
std::vector<double> harmonicVector(std::int64_t size);

/// Numbers from a text file (white space or line breaks between them; lines starting with % or # are
/// comments; a Matrix Market array header is skipped with its size line).
Result<std::vector<double>> readVector(const std::filesystem::path& path);

} // namespace sparserl

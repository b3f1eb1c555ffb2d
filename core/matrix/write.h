// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "matrix/csr.h"

#include <filesystem>
#include <string>

namespace sparserl {

/// Returns a matrix as Matrix Market text (coordinate real general). Values have enough digits to restore the
/// same floats, or doubles if the matrix has doubles. Every line of `comment` becomes a comment line.
std::string formatMatrixMarket(const Csr& matrix, const std::string& comment = {});
/// Writes a matrix as such text to a file, which is replaced atomically. Uses gzip if the name ends in ".gz".
Status writeMatrixMarket(const std::filesystem::path& path, const Csr& matrix,
                         const std::string& comment = {});

} // namespace sparserl

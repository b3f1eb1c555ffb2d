// SPDX-License-Identifier: Apache-2.0
// Reads matrices from files: the bundle's matrix.csr, and the user's Matrix Market files.
#pragma once

#include "conversion.h"

namespace sparserl_bundle {

/// A matrix in compressed sparse row form that owns its arrays.
struct Matrix
{
    std::int32_t rows = 0, cols = 0;
    std::vector<std::int32_t> row_ptr{0}, col;
    std::vector<real> val;

    Csr view() const { return {rows, cols, row_ptr.data(), col.data(), val.data()}; }
};

/// Reads a file that starts with "SRPSCSR1" (matrix.csr), "SRPSCSR2" (the same with doubles) or
/// "%%MatrixMarket" (coordinate; real, integer or pattern; any symmetry; adds entries at the same position).
/// Throws std::runtime_error with a message.
Matrix read_matrix(const std::string& path);

/// Returns FNV-1a over row_ptr, col and val.
std::uint64_t checksum(const Matrix& matrix);

} // namespace sparserl_bundle

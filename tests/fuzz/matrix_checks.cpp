// SPDX-License-Identifier: Apache-2.0
#include "matrix_checks.h"

#include "fuzz.h"
#include "matrix/values.h"
#include "matrix/write.h"

#include <cmath>
#include <cstring>

namespace sparserl::fuzz {

namespace {

/// Bit for bit: a value that is read again as its neighbour is a fault.
bool sameValues(const Csr& a, const Csr& b)
{
    return a.val.size() == b.val.size() &&
           (a.val.empty() || std::memcmp(a.val.data(), b.val.data(), a.val.size() * sizeof(float)) == 0);
}

void checkSource(const MatrixFile& file, std::size_t bytes)
{
    const Csr& matrix = file.matrix;
    const MatrixSource& source = file.source;
    FUZZ_CHECK(matrix.valid());
    for (const float value : matrix.val)
        FUZZ_CHECK(std::isfinite(value));
    FUZZ_CHECK(source.compressed || source.textBytes <= static_cast<std::int64_t>(bytes) + 1);
    FUZZ_CHECK(source.format == "matrix-market" || source.format == "smtx" || source.format == "scipy-npz" ||
               source.format == "npy" || source.format == "petsc" || source.format == "harwell-boeing");
    FUZZ_CHECK(source.duplicates >= 0 && source.explicitZeros >= 0 && source.storedEntries >= 0);
    // Every stored entry took a byte of the text at least; symmetry doubles.
    FUZZ_CHECK(source.format == "scipy-npz" || // Its arrays may be compressed; their memory is bounded.
               matrix.nnz() + source.duplicates <= 2 * source.textBytes);
}

} // namespace

void checkMatrixText(std::string_view text, const std::string& name)
{
    ReadOptions options;
    options.memory = matrixMemory;
    const auto read = readMatrixFromBytes(text, name, options);
    if (!read) {
        checkError(read.error());
        return;
    }
    checkSource(*read, text.size());
    const auto again = readMatrixFromBytes(formatMatrixMarket(read->matrix, "again"), "again.mtx", options);
    FUZZ_CHECK(again.has_value());
    FUZZ_CHECK(again->matrix.rows == read->matrix.rows && again->matrix.cols == read->matrix.cols);
    FUZZ_CHECK(again->matrix.rowPtr == read->matrix.rowPtr && again->matrix.col == read->matrix.col);
    FUZZ_CHECK(sameValues(again->matrix, read->matrix));
    FUZZ_CHECK(digest(again->matrix) == digest(read->matrix));
    if (read->source.seededValues && read->source.symmetry == "general") {
        Csr seeded = read->matrix;
        fillSeededValues(seeded);
        FUZZ_CHECK(sameValues(seeded, read->matrix));
    }
}

} // namespace sparserl::fuzz

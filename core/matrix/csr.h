// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/element_type.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sparserl {

/// A sparse matrix in compressed sparse row form. Columns ascend strictly in each row and are in [0, cols).
/// rowPtr has rows + 1 elements, from 0 to nnz(). Values are single precision (docs/formats.md 1) and stored
/// in `val`. Only in judging may they be double precision; they are then in val64, and `val` is empty. If
/// floats cannot represent imported doubles, a single-precision matrix keeps the doubles in val64 for
/// inType().
struct Csr
{
    std::int32_t rows = 0;
    std::int32_t cols = 0;
    std::vector<std::int32_t> rowPtr = {0};
    std::vector<std::int32_t> col;
    std::vector<float> val;              ///< For type F32.
    ElementType type = ElementType::F32; ///< Type of the values: F32 or F64.
    std::vector<double> val64 =
        {}; ///< For type F64. For F32: empty, or the doubles from which `val` was rounded.

    std::int64_t nnz() const { return static_cast<std::int64_t>(col.size()); }
    std::int32_t rowLength(std::int32_t row) const { return rowPtr[row + 1] - rowPtr[row]; }
    double value(std::size_t k) const
    {
        return type == ElementType::F64 ? val64[k] : static_cast<double>(val[k]);
    }
    /// Sets value `k`, rounded to the matrix's type.
    void setValue(std::size_t k, double value)
    {
        if (type == ElementType::F64)
            val64[k] = value;
        else
            val[k] = static_cast<float>(value);
    }
    void addValue(double value)
    {
        if (type == ElementType::F64)
            val64.push_back(value);
        else
            val.push_back(static_cast<float>(value));
    }
    std::int64_t valueBytes() const { return static_cast<std::int64_t>(sizeOf(type)); }
    /// Returns the bytes of row_ptr, col and the values. The byte limits in docs/formats.md 1 refer to this
    /// size.
    std::int64_t bytes() const { return 4 * (std::int64_t(rows) + 1) + (4 + valueBytes()) * nnz(); }
    /// Returns true if the invariants above hold.
    bool valid() const;
};

/// Calls `use` with the vector of values, which are floats or doubles. `Matrix` is Csr or const Csr.
template <typename Matrix, typename Use>
auto visitValues(Matrix& matrix, const Use& use)
{
    return matrix.type == ElementType::F64 ? use(matrix.val64) : use(matrix.val);
}

/// Returns the same matrix with values of type F32 or F64. Conversion to F32 rounds; conversion to F64 uses
/// the imported doubles.
Csr inType(const Csr& matrix, ElementType type);

/// Returns the identity of a matrix: the SHA-256, in hex, of a header, the dimensions, the pattern and the
/// bits of the values in the matrix's type. For single precision, val64 does not contribute.
std::string digest(const Csr& matrix);
/// Returns 16 hex digits of the double-precision digest, which distinguish double values that round to the
/// same floats. Returns an empty text if floats represent all values.
std::string doublesDigest(const Csr& matrix);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "target/element_type.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sparserl {

/// A sparse matrix in compressed sparse row form. Columns ascend strictly in each row; every column is in
/// [0, cols); rowPtr has rows + 1 entries from 0 to nnz(). Values are single precision (docs/formats.md
/// 1), as everywhere outside of judging, or double precision: then they are in val64 and val is empty. Where
/// doubles were imported that floats cannot hold, val64 of single precision keeps them for inType().
struct Csr
{
    std::int32_t rows = 0;
    std::int32_t cols = 0;
    std::vector<std::int32_t> rowPtr = {0};
    std::vector<std::int32_t> col;
    std::vector<float> val;              ///< Of the type F32.
    ElementType type = ElementType::F32; ///< Of the values: F32 or F64.
    std::vector<double> val64 = {}; ///< Of the type F64. Of F32: nothing, or what `val` was rounded from.

    std::int64_t nnz() const { return static_cast<std::int64_t>(col.size()); }
    std::int32_t rowLength(std::int32_t row) const { return rowPtr[row + 1] - rowPtr[row]; }
    double value(std::size_t k) const
    {
        return type == ElementType::F64 ? val64[k] : static_cast<double>(val[k]);
    }
    /// Rounds to the type.
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
    /// Bytes of row_ptr, col and the values: the unit of the byte limits in docs/formats.md 1.
    std::int64_t bytes() const { return 4 * (std::int64_t(rows) + 1) + (4 + valueBytes()) * nnz(); }
    /// True if the invariants above hold.
    bool valid() const;
};

/// Calls `use` with the vector of the values, of floats or of doubles. `Matrix`: Csr, const or not.
template <typename Matrix, typename Use>
auto visitValues(Matrix& matrix, const Use& use)
{
    return matrix.type == ElementType::F64 ? use(matrix.val64) : use(matrix.val);
}

/// The same matrix with its values in a type, F32 or F64; to F32 they are rounded, to F64 they are those that
/// were imported.
Csr inType(const Csr& matrix, ElementType type);

/// SHA-256 in hex over a header, dimensions, pattern and value bits in its type: the identity of a matrix
/// everywhere. What floats cannot hold has no part in that of single precision.
std::string digest(const Csr& matrix);
/// Tells doubles apart that round to the same floats: 16 hex digits of the digest in double precision. Empty
/// where floats hold all values.
std::string doublesDigest(const Csr& matrix);

} // namespace sparserl

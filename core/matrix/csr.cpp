// SPDX-License-Identifier: Apache-2.0
#include "matrix/csr.h"

#include "base/hash.h"

#include <algorithm>

namespace sparserl {

bool Csr::valid() const
{
    if (rows < 0 || cols < 0 || rowPtr.size() != static_cast<std::size_t>(rows) + 1 || rowPtr.front() != 0 ||
        rowPtr.back() != nnz() || col.size() != (type == ElementType::F64 ? val64.size() : val.size()) ||
        (!val64.empty() && val64.size() != col.size())) {
        return false;
    }
    for (std::int32_t row = 0; row < rows; ++row) {
        if (rowPtr[row + 1] < rowPtr[row] || rowPtr[row + 1] > nnz()) {
            return false;
        }
        std::int32_t previous = -1;
        for (std::int32_t k = rowPtr[row]; k < rowPtr[row + 1]; ++k) {
            if (col[k] <= previous || col[k] >= cols) {
                return false;
            }
            previous = col[k];
        }
    }
    return true;
}

Csr inType(const Csr& matrix, ElementType type)
{
    Csr out;
    out.rows = matrix.rows;
    out.cols = matrix.cols;
    out.rowPtr = matrix.rowPtr;
    out.col = matrix.col;
    out.type = type;
    const auto count = static_cast<std::size_t>(matrix.nnz());
    const bool exact = !matrix.val64.empty();
    if (type == ElementType::F64)
        out.val64.resize(count);
    else
        out.val.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
        if (type == ElementType::F64)
            out.val64[k] = exact ? matrix.val64[k] : matrix.value(k);
        else
            out.val[k] = static_cast<float>(matrix.value(k));
    }
    return out;
}

std::string digest(const Csr& matrix)
{
    Hasher hasher;
    hasher.update(matrix.type == ElementType::F64 ? "sparserl-csr-f64-1\n" : "sparserl-csr-1\n");
    hasher.updateValue(matrix.rows);
    hasher.updateValue(matrix.cols);
    hasher.updateValue(matrix.nnz());
    hasher.update(matrix.rowPtr.data(), matrix.rowPtr.size() * sizeof(std::int32_t));
    hasher.update(matrix.col.data(), matrix.col.size() * sizeof(std::int32_t));
    visitValues(matrix,
                [&](const auto& values) { hasher.update(values.data(), values.size() * sizeof(values[0])); });
    return hasher.hex();
}

std::string doublesDigest(const Csr& matrix)
{
    constexpr std::size_t digits = 16;
    const auto held = [](double value) { return static_cast<double>(static_cast<float>(value)) == value; };
    if (std::all_of(matrix.val64.begin(), matrix.val64.end(), held))
        return {};
    return digest(matrix.type == ElementType::F64 ? matrix : inType(matrix, ElementType::F64))
        .substr(0, digits);
}

} // namespace sparserl

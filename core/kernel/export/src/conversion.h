// SPDX-License-Identifier: Apache-2.0
// Converts CSR to storage formats on the host. Every exported bundle contains this code. It needs only C++17.
#pragma once

#include "real.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace sparserl_bundle {

constexpr std::int64_t no_limit = INT64_MAX;
constexpr std::int64_t value_bytes = sizeof(real);

/// Checks that `a` times `b` entries of `bytes_each` bytes fit into `limit` bytes. Call it before allocating.
inline void check_size(std::int64_t a, std::int64_t b, std::int64_t bytes_each, std::int64_t limit)
{
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(a, b, &bytes) || __builtin_mul_overflow(bytes, bytes_each, &bytes) ||
        bytes > limit)
        throw std::runtime_error("its storage format would take more than " + std::to_string(limit) +
                                 " bytes (8 times the CSR arrays and 64 MiB)");
}

/// A matrix in compressed sparse row form; columns ascend in each row. Does not own its arrays.
struct Csr
{
    std::int32_t rows = 0;
    std::int32_t cols = 0;
    const std::int32_t* row_ptr = nullptr; ///< rows + 1 entries.
    const std::int32_t* col = nullptr;
    const real* val = nullptr;

    std::int64_t nnz() const { return row_ptr[rows]; }
    std::int32_t length(std::int32_t row) const { return row_ptr[row + 1] - row_ptr[row]; }
    std::int64_t max_length() const
    {
        std::int64_t longest = 0;
        for (std::int32_t r = 0; r < rows; ++r)
            longest = std::max<std::int64_t>(longest, length(r));
        return longest;
    }
    void check() const
    {
        if (rows < 0 || cols < 0 || row_ptr == nullptr || row_ptr[0] != 0)
            throw std::runtime_error("the CSR arrays are not valid: row_ptr must start with 0");
        for (std::int32_t r = 0; r < rows; ++r) {
            if (row_ptr[r + 1] < row_ptr[r])
                throw std::runtime_error("the CSR arrays are not valid: row_ptr must not fall");
        }
        if (nnz() > 0 && (col == nullptr || val == nullptr))
            throw std::runtime_error("the CSR arrays are not valid: columns or values are missing");
        for (std::int32_t r = 0; r < rows; ++r) {
            for (std::int32_t i = row_ptr[r]; i < row_ptr[r + 1]; ++i) {
                if (col[i] < 0 || col[i] >= cols)
                    throw std::runtime_error("the CSR arrays are not valid: a column is out of range");
                if (i > row_ptr[r] && col[i] <= col[i - 1])
                    throw std::runtime_error("the CSR arrays are not valid: columns must ascend in each row");
            }
        }
    }
};

/// The CSR arrays as vectors.
struct CsrArrays
{
    std::vector<std::int32_t> row_ptr, col;
    std::vector<real> val;

    explicit CsrArrays(const Csr& a)
        : row_ptr(a.row_ptr, a.row_ptr + a.rows + 1)
        , col(a.col, a.col + a.nnz())
        , val(a.val, a.val + a.nnz())
    {
    }
};

struct Coo
{
    std::vector<std::int32_t> row, col;
    std::vector<real> val;
};

inline Coo build_coo(const Csr& a)
{
    Coo f;
    f.col.assign(a.col, a.col + a.nnz());
    f.val.assign(a.val, a.val + a.nnz());
    for (std::int32_t r = 0; r < a.rows; ++r)
        f.row.insert(f.row.end(), static_cast<std::size_t>(a.length(r)), r);
    return f;
}

/// ELL: entry k of row r is at k * rows + r. Padding has value 0 and a valid column.
struct Ell
{
    std::int64_t width = 0;
    std::vector<std::int32_t> col;
    std::vector<real> val;
};

inline Ell build_ell(const Csr& a, std::int64_t limit = no_limit)
{
    Ell f;
    f.width = a.max_length();
    check_size(f.width, a.rows, 4 + value_bytes, limit);
    f.col.assign(static_cast<std::size_t>(f.width * a.rows), 0);
    f.val.assign(f.col.size(), real(0));
    for (std::int32_t r = 0; r < a.rows; ++r) {
        const std::int32_t length = a.length(r);
        for (std::int64_t k = 0; k < f.width; ++k) {
            const auto at = static_cast<std::size_t>(k * a.rows + r);
            if (k < length) {
                f.col[at] = a.col[a.row_ptr[r] + k];
                f.val[at] = a.val[a.row_ptr[r] + k];
            } else {
                f.col[at] = length > 0 ? a.col[a.row_ptr[r + 1] - 1] : 0;
            }
        }
    }
    return f;
}

/// SELL: groups of `sigma` rows are sorted by length, longest first. Entry k of lane l of slice s is at
/// slice_ptr[s] + k * slice + l.
struct Sell
{
    std::int64_t slices = 0;
    std::vector<std::int32_t> slice_ptr, col, row_ids;
    std::vector<real> val;
};

inline Sell build_sell(const Csr& a, std::int64_t slice, std::int64_t sigma, std::int64_t limit = no_limit)
{
    Sell f;
    f.slices = (a.rows + slice - 1) / slice;
    check_size(f.slices, slice, 4, limit);
    std::vector<std::int32_t> order(static_cast<std::size_t>(a.rows));
    std::iota(order.begin(), order.end(), 0);
    for (std::int64_t from = 0; from < a.rows; from += sigma) {
        const std::int64_t to = std::min<std::int64_t>(a.rows, from + sigma);
        std::stable_sort(order.begin() + from, order.begin() + to,
                         [&](std::int32_t l, std::int32_t r) { return a.length(l) > a.length(r); });
    }
    f.row_ids.assign(static_cast<std::size_t>(f.slices * slice), -1);
    std::copy(order.begin(), order.end(), f.row_ids.begin());
    f.slice_ptr.push_back(0);
    for (std::int64_t s = 0; s < f.slices; ++s) {
        std::int64_t width = 0;
        for (std::int64_t l = 0; l < slice; ++l) {
            const std::int32_t row = f.row_ids[static_cast<std::size_t>(s * slice + l)];
            width = std::max<std::int64_t>(width, row >= 0 ? a.length(row) : 0);
        }
        check_size(width, slice, 4 + value_bytes,
                   limit - (4 + value_bytes) * static_cast<std::int64_t>(f.col.size()));
        for (std::int64_t k = 0; k < width; ++k) {
            for (std::int64_t l = 0; l < slice; ++l) {
                const std::int32_t row = f.row_ids[static_cast<std::size_t>(s * slice + l)];
                const std::int32_t length = row >= 0 ? a.length(row) : 0;
                const bool stored = k < length;
                f.val.push_back(stored ? a.val[a.row_ptr[row] + k] : real(0));
                f.col.push_back(stored       ? a.col[a.row_ptr[row] + k]
                                : length > 0 ? a.col[a.row_ptr[row + 1] - 1]
                                             : 0);
            }
        }
        if (f.col.size() > 0x7fffffffu)
            throw std::runtime_error("the matrix is too large for SELL with 32-bit positions");
        f.slice_ptr.push_back(static_cast<std::int32_t>(f.col.size()));
    }
    return f;
}

/// DIA: the entry of row r on diagonal d is at d * rows + r. `offset` is column - row, in ascending order.
struct Dia
{
    std::int64_t diagonals = 0;
    std::vector<std::int32_t> offset;
    std::vector<real> val;
};

inline Dia build_dia(const Csr& a, std::int64_t limit = no_limit)
{
    std::map<std::int64_t, std::size_t> index;
    for (std::int32_t r = 0; r < a.rows; ++r) {
        for (std::int32_t i = a.row_ptr[r]; i < a.row_ptr[r + 1]; ++i)
            index[std::int64_t(a.col[i]) - r] = 0;
        if (index.size() > 512)
            throw std::runtime_error("DIA does not apply: more than 512 diagonals");
    }
    check_size(static_cast<std::int64_t>(index.size()), a.rows, value_bytes, limit);
    Dia f;
    for (auto& [offset, position] : index) {
        position = f.offset.size();
        f.offset.push_back(static_cast<std::int32_t>(offset));
    }
    f.diagonals = static_cast<std::int64_t>(index.size());
    f.val.assign(static_cast<std::size_t>(f.diagonals * a.rows), real(0));
    for (std::int32_t r = 0; r < a.rows; ++r) {
        for (std::int32_t i = a.row_ptr[r]; i < a.row_ptr[r + 1]; ++i) {
            const std::size_t d = index[std::int64_t(a.col[i]) - r];
            f.val[d * static_cast<std::size_t>(a.rows) + static_cast<std::size_t>(r)] = a.val[i];
        }
    }
    return f;
}

} // namespace sparserl_bundle

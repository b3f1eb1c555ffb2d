// SPDX-License-Identifier: Apache-2.0
// Converts CSR to further storage formats: csc, hyb, bsr, csr16, sell16, panels, windows, dense.
#pragma once

#include "conversion.h"

#include <set>

namespace sparserl_bundle {

struct Csc
{
    std::vector<std::int32_t> col_ptr, row;
    std::vector<real> val;
};

inline Csc build_csc(const Csr& a)
{
    Csc f;
    f.col_ptr.assign(static_cast<std::size_t>(a.cols) + 1, 0);
    f.row.resize(static_cast<std::size_t>(a.nnz()));
    f.val.resize(f.row.size());
    for (std::int64_t i = 0; i < a.nnz(); ++i)
        ++f.col_ptr[static_cast<std::size_t>(a.col[i]) + 1];
    for (std::size_t c = 0; c < static_cast<std::size_t>(a.cols); ++c)
        f.col_ptr[c + 1] += f.col_ptr[c];
    std::vector<std::int32_t> next = f.col_ptr;
    for (std::int32_t r = 0; r < a.rows; ++r) {
        for (std::int32_t i = a.row_ptr[r]; i < a.row_ptr[r + 1]; ++i) {
            const auto at = static_cast<std::size_t>(next[static_cast<std::size_t>(a.col[i])]++);
            f.row[at] = r;
            f.val[at] = a.val[i];
        }
    }
    return f;
}

/// HYB: the first `width` entries of every row are stored as ELL, the other entries as COO.
struct Hyb
{
    std::int64_t width = 0, coo_nnz = 0;
    std::vector<std::int32_t> ell_col, coo_row, coo_col;
    std::vector<real> ell_val, coo_val;
};

inline Hyb build_hyb(const Csr& a, std::int64_t width, std::int64_t limit = no_limit)
{
    Hyb f;
    f.width = a.cols == 0 ? 0 : width;
    check_size(f.width, a.rows, 4 + value_bytes, limit);
    f.ell_col.assign(static_cast<std::size_t>(f.width * a.rows), 0);
    f.ell_val.assign(f.ell_col.size(), real(0));
    for (std::int32_t r = 0; r < a.rows; ++r) {
        std::int32_t last = 0;
        for (std::int64_t k = 0; k < f.width; ++k) {
            const auto at = static_cast<std::size_t>(k * a.rows + r);
            if (k < a.length(r)) {
                last = a.col[a.row_ptr[r] + k];
                f.ell_val[at] = a.val[a.row_ptr[r] + k];
            }
            f.ell_col[at] = last;
        }
        for (std::int64_t i = a.row_ptr[r] + width; i < a.row_ptr[r + 1]; ++i) {
            f.coo_row.push_back(r);
            f.coo_col.push_back(a.col[i]);
            f.coo_val.push_back(a.val[i]);
        }
    }
    f.coo_nnz = static_cast<std::int64_t>(f.coo_row.size());
    return f;
}

/// Returns the smallest width that `percent` per cent of the rows do not exceed.
inline std::int64_t hyb_width(const Csr& a, std::int64_t percent)
{
    std::vector<std::int32_t> lengths;
    lengths.reserve(static_cast<std::size_t>(a.rows));
    for (std::int32_t r = 0; r < a.rows; ++r)
        lengths.push_back(a.length(r));
    if (lengths.empty())
        return 0;
    std::sort(lengths.begin(), lengths.end());
    return lengths[static_cast<std::size_t>((percent * a.rows + 99) / 100 - 1)];
}

/// BSR: dense blocks of block x block values, row-major, padded with 0 at the edges.
struct Bsr
{
    std::int64_t block_rows = 0, blocks = 0;
    std::vector<std::int32_t> row_ptr, col;
    std::vector<real> val;
};

inline Bsr build_bsr(const Csr& a, std::int64_t block, std::int64_t limit = no_limit)
{
    Bsr f;
    f.block_rows = (a.rows + block - 1) / block;
    f.row_ptr.push_back(0);
    for (std::int64_t b = 0; b < f.block_rows; ++b) {
        const std::int64_t end = std::min<std::int64_t>(a.rows, (b + 1) * block);
        std::map<std::int32_t, std::size_t> place; // Position of each block column in this block row.
        for (std::int32_t i = a.row_ptr[b * block]; i < a.row_ptr[end]; ++i)
            place[static_cast<std::int32_t>(a.col[i] / block)] = 0;
        for (auto& [column, position] : place) {
            position = f.col.size();
            f.col.push_back(column);
        }
        f.row_ptr.push_back(static_cast<std::int32_t>(f.col.size()));
        check_size(static_cast<std::int64_t>(f.col.size()), block * block, value_bytes, limit);
        f.val.resize(f.col.size() * static_cast<std::size_t>(block * block), real(0));
        for (std::int64_t r = b * block; r < end; ++r) {
            for (std::int32_t i = a.row_ptr[r]; i < a.row_ptr[r + 1]; ++i) {
                const std::int64_t inside = (r - b * block) * block + a.col[i] % block;
                const std::size_t first = place[static_cast<std::int32_t>(a.col[i] / block)] *
                                          static_cast<std::size_t>(block * block);
                f.val[first + static_cast<std::size_t>(inside)] = a.val[i];
            }
        }
    }
    f.blocks = static_cast<std::int64_t>(f.col.size());
    return f;
}

inline void check_span(const Csr& a)
{
    for (std::int32_t r = 0; r < a.rows; ++r) {
        if (a.length(r) > 0 && std::int64_t(a.col[a.row_ptr[r + 1] - 1]) - a.col[a.row_ptr[r]] > 65535)
            throw std::runtime_error("16-bit columns do not apply: a row spans more than 65536 columns");
    }
}

/// CSR with columns as 16-bit offsets from the first column of the row.
struct Csr16
{
    std::vector<std::int32_t> row_ptr, base;
    std::vector<std::uint16_t> off;
    std::vector<real> val;
};

inline Csr16 build_csr16(const Csr& a)
{
    check_span(a);
    Csr16 f;
    f.row_ptr.assign(a.row_ptr, a.row_ptr + a.rows + 1);
    f.val.assign(a.val, a.val + a.nnz());
    for (std::int32_t r = 0; r < a.rows; ++r) {
        f.base.push_back(a.length(r) > 0 ? a.col[a.row_ptr[r]] : 0);
        for (std::int32_t i = a.row_ptr[r]; i < a.row_ptr[r + 1]; ++i)
            f.off.push_back(static_cast<std::uint16_t>(a.col[i] - f.base.back()));
    }
    return f;
}

struct Sell16
{
    std::int64_t slices = 0;
    std::vector<std::int32_t> slice_ptr, base, row_ids;
    std::vector<std::uint16_t> off;
    std::vector<real> val;
};

inline Sell16 build_sell16(const Csr& a, std::int64_t slice, std::int64_t sigma,
                           std::int64_t limit = no_limit)
{
    check_span(a);
    Sell wide = build_sell(a, slice, sigma, limit);
    Sell16 f;
    f.slices = wide.slices;
    f.base.assign(wide.row_ids.size(), 0);
    f.off.assign(wide.col.size(), 0);
    for (std::int64_t i = 0; i < static_cast<std::int64_t>(wide.row_ids.size()); ++i) {
        const std::int32_t row = wide.row_ids[static_cast<std::size_t>(i)];
        if (row < 0 || a.length(row) == 0)
            continue;
        const std::int32_t first = a.col[a.row_ptr[row]];
        f.base[static_cast<std::size_t>(i)] = first;
        const std::int64_t start = wide.slice_ptr[static_cast<std::size_t>(i / slice)] + i % slice;
        for (std::int32_t k = 0; k < a.length(row); ++k)
            f.off[static_cast<std::size_t>(start + k * slice)] =
                static_cast<std::uint16_t>(a.col[a.row_ptr[row] + k] - first);
    }
    f.slice_ptr = std::move(wide.slice_ptr);
    f.row_ids = std::move(wide.row_ids);
    f.val = std::move(wide.val);
    return f;
}

/// Panels of `width` columns, each in CSR. Positions are counted across all panels.
struct Panels
{
    std::int64_t count = 0;
    std::vector<std::int32_t> row_ptr, col;
    std::vector<real> val;
};

inline Panels build_panels(const Csr& a, std::int64_t width, std::int64_t limit = no_limit)
{
    Panels f;
    f.count = (a.cols + width - 1) / width;
    check_size(f.count, std::int64_t(a.rows) + 1, 4, limit);
    std::vector<std::int32_t> at(a.row_ptr, a.row_ptr + a.rows); // Next unassigned entry of each row.
    for (std::int64_t p = 0; p < f.count; ++p) {
        f.row_ptr.push_back(static_cast<std::int32_t>(f.col.size()));
        for (std::int32_t r = 0; r < a.rows; ++r) {
            std::int32_t& i = at[static_cast<std::size_t>(r)];
            for (; i < a.row_ptr[r + 1] && a.col[i] < (p + 1) * width; ++i) {
                f.col.push_back(a.col[i]);
                f.val.push_back(a.val[i]);
            }
            f.row_ptr.push_back(static_cast<std::int32_t>(f.col.size()));
        }
    }
    return f;
}

/// The distinct columns in each window of rows, in ascending order.
struct Windows
{
    std::int64_t count = 0;
    std::vector<std::int32_t> window_ptr, col;
};

inline Windows build_windows(const Csr& a, std::int64_t rows)
{
    Windows f;
    f.count = (a.rows + rows - 1) / rows;
    f.window_ptr.push_back(0);
    for (std::int64_t w = 0; w < f.count; ++w) {
        const std::int64_t end = std::min<std::int64_t>(a.rows, (w + 1) * rows);
        const std::set<std::int32_t> columns(a.col + a.row_ptr[w * rows], a.col + a.row_ptr[end]);
        f.col.insert(f.col.end(), columns.begin(), columns.end());
        f.window_ptr.push_back(static_cast<std::int32_t>(f.col.size()));
    }
    return f;
}

struct Dense
{
    std::vector<real> val;
};

inline Dense build_dense(const Csr& a, std::int64_t limit = no_limit)
{
    Dense f;
    check_size(a.rows, a.cols, value_bytes, limit);
    f.val.assign(static_cast<std::size_t>(a.rows) * static_cast<std::size_t>(a.cols), real(0));
    for (std::int32_t r = 0; r < a.rows; ++r) {
        for (std::int32_t i = a.row_ptr[r]; i < a.row_ptr[r + 1]; ++i)
            f.val[static_cast<std::size_t>(r) * static_cast<std::size_t>(a.cols) +
                  static_cast<std::size_t>(a.col[i])] = a.val[i];
    }
    return f;
}

} // namespace sparserl_bundle

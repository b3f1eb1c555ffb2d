// SPDX-License-Identifier: Apache-2.0
// Parts of a matrix, and formats that divide the work: tiles, blocks, csr5, order.
#pragma once

#include "conversion.h"

namespace sparserl_bundle {

/// The rows with a length in [low, high), as a separate CSR matrix.
struct Part
{
    std::int64_t rows = 0, nnz = 0;
    std::vector<std::int32_t> row_ids, row_ptr, col;
    std::vector<real> val;
    std::int32_t cols = 0;

    Csr csr() const
    {
        return {static_cast<std::int32_t>(rows), cols, row_ptr.data(), col.data(), val.data()};
    }
};

/// Builds a part. A negative `high` means no limit.
inline Part build_part(const Csr& a, std::int64_t low, std::int64_t high)
{
    Part p;
    p.cols = a.cols;
    p.row_ptr.push_back(0);
    for (std::int32_t r = 0; r < a.rows; ++r) {
        const std::int32_t length = a.length(r);
        if (length < low || (high >= 0 && length >= high))
            continue;
        p.row_ids.push_back(r);
        p.col.insert(p.col.end(), a.col + a.row_ptr[r], a.col + a.row_ptr[r + 1]);
        p.val.insert(p.val.end(), a.val + a.row_ptr[r], a.val + a.row_ptr[r + 1]);
        p.row_ptr.push_back(static_cast<std::int32_t>(p.col.size()));
    }
    p.rows = static_cast<std::int64_t>(p.row_ids.size());
    p.nnz = static_cast<std::int64_t>(p.col.size());
    return p;
}

/// Converts row numbers of a part to row numbers of the matrix. Keeps -1.
inline void rename_rows(std::vector<std::int32_t>& rows, const Part& part)
{
    for (std::int32_t& row : rows) {
        if (row >= 0)
            row = part.row_ids[static_cast<std::size_t>(row)];
    }
}

/// The rows from longest to shortest. Rows of equal length keep their order.
struct Order
{
    std::vector<std::int32_t> row_ids;
};

inline Order build_order(const Csr& a)
{
    Order f;
    for (std::int32_t r = 0; r < a.rows; ++r)
        f.row_ids.push_back(r);
    std::stable_sort(f.row_ids.begin(), f.row_ids.end(),
                     [&](std::int32_t l, std::int32_t r) { return a.length(l) > a.length(r); });
    return f;
}

/// The numbers of row ends and of entries that a merge of both has consumed, at every `items`-th step of the
/// merge.
struct Tiles
{
    std::int64_t count = 0;
    std::vector<std::int32_t> row, nz;
};

inline Tiles build_tiles(const Csr& a, std::int64_t items)
{
    const std::int64_t steps = a.rows + a.nnz();
    Tiles f;
    f.count = (steps + items - 1) / items;
    // Steps through the merge: takes an entry of the current row, or the row's end after its last entry.
    std::int64_t row = 0, entry = 0;
    for (std::int64_t step = 0; step <= steps; ++step) {
        if (step % items == 0 || step == steps) {
            f.row.push_back(static_cast<std::int32_t>(row));
            f.nz.push_back(static_cast<std::int32_t>(entry));
        }
        if (row < a.rows && entry >= a.row_ptr[row + 1])
            ++row;
        else
            ++entry;
    }
    return f;
}

/// Blocks of consecutive rows with at most `nnz` entries in total. A longer row forms its own block.
struct Blocks
{
    std::int64_t count = 0;
    std::vector<std::int32_t> row;
};

inline Blocks build_blocks(const Csr& a, std::int64_t nnz)
{
    Blocks f;
    f.row.push_back(0);
    std::int32_t first = 0;
    for (std::int32_t r = 0; r < a.rows; ++r) {
        if (r > first && a.row_ptr[r + 1] - a.row_ptr[first] > nnz) {
            f.row.push_back(r);
            first = r;
        }
    }
    if (a.rows > 0)
        f.row.push_back(a.rows);
    f.count = static_cast<std::int64_t>(f.row.size()) - 1;
    return f;
}

/// CSR5 (Liu and Vinter 2015). A tile has 32 lanes of `sigma` entries; the last tile is padded.
struct Csr5
{
    std::int64_t tiles = 0, full_rows = 0;
    std::vector<std::int32_t> col;
    std::vector<real> val;
    std::vector<std::uint32_t> flag;
    std::vector<std::int32_t> y_off, tile_row, row_ids;
};

inline Csr5 build_csr5(const Csr& a, std::int64_t sigma)
{
    const std::int64_t lanes = 32, each = lanes * sigma, nnz = a.nnz();
    Csr5 f;
    f.tiles = (nnz + each - 1) / each;
    if (f.tiles * each > 0x7fffffff)
        throw std::runtime_error("the matrix is too large for CSR5 with 32-bit positions");
    f.col.assign(static_cast<std::size_t>(f.tiles * each), 0);
    f.val.assign(f.col.size(), real(0));
    f.flag.assign(static_cast<std::size_t>(f.tiles * lanes), 0);
    f.y_off.assign(f.flag.size(), 0);
    std::vector<std::int32_t> row_of(static_cast<std::size_t>(nnz)); // Index among non-empty rows.
    std::vector<char> starts(static_cast<std::size_t>(nnz), 0);
    for (std::int32_t r = 0; r < a.rows; ++r) {
        if (a.length(r) == 0)
            continue;
        starts[static_cast<std::size_t>(a.row_ptr[r])] = 1;
        std::fill(row_of.begin() + a.row_ptr[r], row_of.begin() + a.row_ptr[r + 1],
                  static_cast<std::int32_t>(f.row_ids.size()));
        f.row_ids.push_back(r);
    }
    f.full_rows = static_cast<std::int64_t>(f.row_ids.size());
    for (std::int64_t t = 0; t < f.tiles; ++t) {
        std::int32_t before = 0;
        for (std::int64_t l = 0; l < lanes; ++l) {
            const auto slot = static_cast<std::size_t>(t * lanes + l);
            f.y_off[slot] = before;
            for (std::int64_t k = 0; k < sigma; ++k) {
                const std::int64_t from = t * each + l * sigma + k;
                if (from >= nnz)
                    continue;
                const auto at = static_cast<std::size_t>(t * each + k * lanes + l);
                f.col[at] = a.col[from];
                f.val[at] = a.val[from];
                if (starts[static_cast<std::size_t>(from)]) {
                    f.flag[slot] |= 1u << k;
                    ++before;
                }
            }
        }
        f.tile_row.push_back(row_of[static_cast<std::size_t>(t * each)]);
    }
    f.tile_row.push_back(static_cast<std::int32_t>(f.full_rows));
    return f;
}

} // namespace sparserl_bundle

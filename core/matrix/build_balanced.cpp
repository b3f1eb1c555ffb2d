// SPDX-License-Identifier: Apache-2.0
#include "matrix/format_builder.h"

#include <algorithm>

namespace sparserl::formats {

Result<FormatData> buildCsr5(const Rows& rows, std::int64_t sigma, Budget budget)
{
    constexpr std::int64_t lanes = 32;
    const Csr& a = rows.matrix();
    const std::int64_t tiles = ceilDiv(rows.nnz(), lanes * sigma);
    const std::int64_t entries = tiles * lanes * sigma;
    std::int64_t fullRows = 0;
    for (std::int64_t p = 0; p < rows.count(); ++p) {
        fullRows += rows.length(p) > 0;
    }
    budget.addIndexed(entries, 4 + a.valueBytes());
    budget.add(tiles * lanes, 8);
    budget.add(tiles + 1, 4);
    budget.add(fullRows, 4);
    SPARSERL_CHECK(budget.check("csr5"));
    FormatData data;
    data.counts["tiles"] = tiles;
    data.counts["full_rows"] = fullRows;
    const auto col = addArray<std::int32_t>(data, "col", entries);
    const ValueArray val(data, "val", entries, a);
    const auto flag = addArray<std::uint32_t>(data, "flag", tiles * lanes);
    const auto yOff = addArray<std::int32_t>(data, "y_off", tiles * lanes);
    const auto tileRow = addArray<std::int32_t>(data, "tile_row", tiles + 1);
    const auto ids = addArray<std::int32_t>(data, "row_ids", fullRows);
    std::int64_t entry = 0;   // Non-zero in CSR order.
    std::int32_t ordinal = 0; // Of the row, counted in non-empty rows.
    for (std::int64_t p = 0; p < rows.count(); ++p) {
        if (rows.length(p) == 0) {
            continue;
        }
        ids[ordinal] = rows.row(p);
        for (std::int32_t k = rows.begin(p); k < rows.end(p); ++k, ++entry) {
            const std::int64_t tile = entry / (lanes * sigma);
            const std::int64_t inTile = entry % (lanes * sigma);
            const std::int64_t lane = inTile / sigma;
            const std::int64_t step = inTile % sigma;
            const std::int64_t at = tile * lanes * sigma + step * lanes + lane;
            col[at] = a.col[k];
            val.take(at, k);
            if (k == rows.begin(p)) {
                flag[tile * lanes + lane] |= 1u << step;
            }
            if (inTile == 0) {
                tileRow[tile] = ordinal;
            }
        }
        ++ordinal;
    }
    tileRow[tiles] = ordinal;
    for (std::int64_t t = 0; t < tiles; ++t) {
        std::int32_t starts = 0;
        for (std::int64_t l = 0; l < lanes; ++l) {
            yOff[t * lanes + l] = starts;
            starts += __builtin_popcount(flag[t * lanes + l]);
        }
    }
    return data;
}

Result<FormatData> buildTiles(const Rows& rows, std::int64_t items, Budget budget)
{
    const std::int64_t n = rows.count();
    const std::int64_t total = n + rows.nnz();
    const std::int64_t count = ceilDiv(total, items);
    budget.addIndexed(count + 1, 8);
    SPARSERL_CHECK(budget.check("tiles"));
    const auto offsets = rows.offsets();
    FormatData data;
    data.counts["count"] = count;
    const auto row = addArray<std::int32_t>(data, "row", count + 1);
    const auto nz = addArray<std::int32_t>(data, "nz", count + 1);
    for (std::int64_t i = 0; i <= count; ++i) {
        // Merrill and Garland 2016: where diagonal d crosses the path that consumes row ends and entries.
        const std::int64_t d = std::min(i * items, total);
        std::int64_t low = std::max<std::int64_t>(d - rows.nnz(), 0);
        std::int64_t high = std::min(d, n);
        while (low < high) {
            const std::int64_t middle = (low + high) / 2;
            if (offsets[middle + 1] <= d - middle - 1) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        row[i] = static_cast<std::int32_t>(low);
        nz[i] = static_cast<std::int32_t>(d - low);
    }
    return data;
}

Result<FormatData> buildBlocks(const Rows& rows, std::int64_t nnz, Budget budget)
{
    std::vector<std::int32_t> starts{0};
    std::int64_t used = 0;
    for (std::int64_t p = 0; p < rows.count(); ++p) {
        const std::int64_t length = rows.length(p);
        if (p > starts.back() && used + length > nnz) {
            starts.push_back(static_cast<std::int32_t>(p));
            used = 0;
        }
        used += length;
    }
    if (rows.count() > 0) {
        starts.push_back(static_cast<std::int32_t>(rows.count()));
    }
    budget.add(static_cast<std::int64_t>(starts.size()), 4);
    SPARSERL_CHECK(budget.check("blocks"));
    FormatData data;
    data.counts["count"] = static_cast<std::int64_t>(starts.size()) - 1;
    addCopy<std::int32_t>(data, "row", starts);
    return data;
}

} // namespace sparserl::formats

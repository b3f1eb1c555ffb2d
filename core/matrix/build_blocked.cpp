// SPDX-License-Identifier: Apache-2.0
#include "matrix/format_builder.h"

#include <algorithm>
#include <numeric>

namespace sparserl::formats {

Result<FormatData> buildBsr(const Csr& a, std::int64_t block, Budget budget)
{
    const std::int64_t blockRows = ceilDiv(a.rows, block);
    const std::int64_t blockCols = ceilDiv(a.cols, block);
    // First the pattern: for each block row the distinct block columns, ascending.
    std::vector<std::int32_t> ptr(static_cast<std::size_t>(blockRows) + 1, 0);
    std::vector<std::int32_t> cols;
    std::vector<std::int32_t> seen(static_cast<std::size_t>(blockCols), -1);
    for (std::int64_t b = 0; b < blockRows; ++b) {
        const std::size_t first = cols.size();
        const std::int64_t lastRow = std::min<std::int64_t>((b + 1) * block, a.rows);
        for (std::int32_t k = a.rowPtr[b * block]; k < a.rowPtr[lastRow]; ++k) {
            const auto c = static_cast<std::int32_t>(a.col[k] / block);
            if (seen[c] != b) {
                seen[c] = static_cast<std::int32_t>(b);
                cols.push_back(c);
            }
        }
        std::sort(cols.begin() + static_cast<std::ptrdiff_t>(first), cols.end());
        ptr[b + 1] = static_cast<std::int32_t>(cols.size());
    }
    const auto blocks = static_cast<std::int64_t>(cols.size());
    const std::int64_t area = product(block, block);
    budget.add(blockRows + 1, 4);
    budget.add(blocks, 4);
    budget.add(product(blocks, area), a.valueBytes());
    SPARSERL_CHECK(budget.check("bsr"));
    FormatData data;
    data.counts["block_rows"] = blockRows;
    data.counts["blocks"] = blocks;
    addCopy<std::int32_t>(data, "row_ptr", ptr);
    addCopy<std::int32_t>(data, "col", cols);
    const ValueArray val(data, "val", blocks * area, a);
    std::vector<std::int64_t> place(static_cast<std::size_t>(blockCols), 0);
    for (std::int64_t b = 0; b < blockRows; ++b) {
        for (std::int32_t i = ptr[b]; i < ptr[b + 1]; ++i) {
            place[cols[i]] = i;
        }
        const std::int64_t lastRow = std::min<std::int64_t>((b + 1) * block, a.rows);
        for (std::int64_t r = b * block; r < lastRow; ++r) {
            for (std::int32_t k = a.rowPtr[r]; k < a.rowPtr[r + 1]; ++k) {
                const std::int64_t c = a.col[k];
                val.take(place[c / block] * area + (r - b * block) * block + c % block, k);
            }
        }
    }
    return data;
}

Result<FormatData> buildWindows(const Csr& a, std::int64_t height, Budget budget)
{
    const std::int64_t count = ceilDiv(a.rows, height);
    std::vector<std::int32_t> ptr(static_cast<std::size_t>(count) + 1, 0);
    std::vector<std::int32_t> cols;
    std::vector<std::int32_t> seen(static_cast<std::size_t>(a.cols), -1);
    for (std::int64_t w = 0; w < count; ++w) {
        const std::size_t first = cols.size();
        const std::int64_t lastRow = std::min<std::int64_t>((w + 1) * height, a.rows);
        for (std::int32_t k = a.rowPtr[w * height]; k < a.rowPtr[lastRow]; ++k) {
            if (seen[a.col[k]] != w) {
                seen[a.col[k]] = static_cast<std::int32_t>(w);
                cols.push_back(a.col[k]);
            }
        }
        std::sort(cols.begin() + static_cast<std::ptrdiff_t>(first), cols.end());
        ptr[w + 1] = static_cast<std::int32_t>(cols.size());
    }
    budget.add(count + 1, 4);
    budget.add(static_cast<std::int64_t>(cols.size()), 4);
    SPARSERL_CHECK(budget.check("windows"));
    FormatData data;
    data.counts["count"] = count;
    addCopy<std::int32_t>(data, "window_ptr", ptr);
    addCopy<std::int32_t>(data, "col", cols);
    return data;
}

Result<FormatData> buildPanels(const Rows& rows, std::int64_t width, Budget budget)
{
    const Csr& a = rows.matrix();
    const std::int64_t count = ceilDiv(a.cols, width);
    const std::int64_t stride = rows.count() + 1;
    budget.addIndexed(product(count, stride), 4);
    budget.add(rows.nnz(), 4 + a.valueBytes());
    SPARSERL_CHECK(budget.check("panels"));
    FormatData data;
    data.counts["count"] = count;
    const auto ptr = addArray<std::int32_t>(data, "row_ptr", count * stride);
    const auto col = addArray<std::int32_t>(data, "col", rows.nnz());
    const ValueArray val(data, "val", rows.nnz(), a);
    for (std::int64_t p = 0; p < rows.count(); ++p) {
        for (std::int32_t k = rows.begin(p); k < rows.end(p); ++k) {
            ++ptr[a.col[k] / width * stride + p + 1];
        }
    }
    std::int32_t start = 0;
    for (std::int64_t c = 0; c < count; ++c) {
        const auto panel =
            ptr.subspan(static_cast<std::size_t>(c * stride), static_cast<std::size_t>(stride));
        panel[0] = start;
        std::partial_sum(panel.begin(), panel.end(), panel.begin());
        start = panel.back();
    }
    for (std::int64_t p = 0; p < rows.count(); ++p) {
        std::int64_t panel = -1;
        std::int32_t at = 0;
        for (std::int32_t k = rows.begin(p); k < rows.end(p); ++k, ++at) {
            if (a.col[k] / width != panel) {
                panel = a.col[k] / width;
                at = ptr[panel * stride + p];
            }
            col[at] = a.col[k];
            val.take(at, k);
        }
    }
    return data;
}

} // namespace sparserl::formats

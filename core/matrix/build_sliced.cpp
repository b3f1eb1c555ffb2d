// SPDX-License-Identifier: Apache-2.0
#include "matrix/format_builder.h"

#include <algorithm>
#include <fmt/format.h>

namespace sparserl::formats {

namespace {

/// Refuses a row whose columns do not fit 16-bit offsets from its first one.
Status checkSpans(const Rows& rows, std::string_view kind)
{
    const Csr& a = rows.matrix();
    for (std::int64_t p = 0; p < rows.count(); ++p) {
        if (rows.length(p) > 0) {
            const std::int64_t span = std::int64_t(a.col[rows.end(p) - 1]) - a.col[rows.begin(p)];
            if (span > 65535) {
                return fail(
                    fmt::format("16-bit span: row {} spans {} columns, format {} stores at most 65536",
                                rows.row(p), span + 1, kind));
            }
        }
    }
    return {};
}

} // namespace

Result<FormatData> buildSell(const Rows& rows, std::int64_t slice, std::int64_t sigma, bool narrow,
                             Budget budget)
{
    const std::string_view kind = narrow ? "sell16" : "sell";
    const Csr& a = rows.matrix();
    const std::int64_t n = rows.count();
    const std::int64_t slices = ceilDiv(n, slice);
    const std::int64_t lanes = product(slices, slice);
    budget.addIndexed(lanes, narrow ? 8 : 4); // row_ids, and base in the narrow kind
    budget.add(slices + 1, 4);
    SPARSERL_CHECK(budget.check(kind));
    std::vector<std::int32_t> order;
    order.reserve(static_cast<std::size_t>(n));
    for (std::int64_t first = 0; first < n; first += sigma) {
        const auto window = rows.longestFirst(first, std::min(first + sigma, n));
        order.insert(order.end(), window.begin(), window.end());
    }
    std::vector<std::int64_t> ptr(static_cast<std::size_t>(slices) + 1, 0);
    for (std::int64_t s = 0; s < slices; ++s) {
        std::int32_t width = 0;
        for (std::int64_t i = s * slice; i < std::min((s + 1) * slice, n); ++i) {
            width = std::max(width, rows.length(order[i]));
        }
        ptr[s + 1] = std::min(ptr[s] + product(width, slice), std::int64_t(1) << 61);
    }
    budget.addIndexed(ptr.back(), (narrow ? 2 : 4) + a.valueBytes());
    SPARSERL_CHECK(budget.check(kind));
    if (narrow) {
        SPARSERL_CHECK(checkSpans(rows, kind));
    }
    FormatData data;
    data.counts["slices"] = slices;
    const auto slicePtr = addArray<std::int32_t>(data, "slice_ptr", slices + 1);
    std::copy(ptr.begin(), ptr.end(), slicePtr.begin());
    std::span<std::int32_t> col;
    std::span<std::int32_t> base;
    std::span<std::uint16_t> off;
    if (narrow) {
        base = addArray<std::int32_t>(data, "base", lanes);
        off = addArray<std::uint16_t>(data, "off", ptr.back());
    } else {
        col = addArray<std::int32_t>(data, "col", ptr.back());
    }
    const ValueArray val(data, "val", ptr.back(), a);
    const auto ids = addArray<std::int32_t>(data, "row_ids", lanes);
    std::fill(ids.begin(), ids.end(), -1);
    for (std::int64_t i = 0; i < lanes; ++i) {
        const std::int64_t s = i / slice;
        const std::int64_t lane = i % slice;
        const std::int64_t width = (ptr[s + 1] - ptr[s]) / slice;
        std::int64_t length = 0;
        std::int32_t first = 0;
        if (i < n) {
            ids[i] = rows.row(order[i]);
            length = rows.length(order[i]);
            first = rows.begin(order[i]);
        }
        const std::int32_t start = length > 0 ? a.col[first] : 0;
        const std::int32_t pad = length > 0 ? a.col[first + length - 1] : 0;
        if (narrow) {
            base[i] = start;
        }
        for (std::int64_t k = 0; k < width; ++k) {
            const std::int64_t at = ptr[s] + k * slice + lane;
            if (k < length) {
                val.take(at, first + k);
            }
            if (!narrow) {
                col[at] = k < length ? a.col[first + k] : pad;
            } else if (k < length) {
                off[at] = static_cast<std::uint16_t>(a.col[first + k] - start);
            }
        }
    }
    return data;
}

Result<FormatData> buildCsr16(const Rows& rows, Budget budget)
{
    const Csr& a = rows.matrix();
    budget.add(rows.count() + 1, 4);
    budget.add(rows.count(), 4);
    budget.add(rows.nnz(), 2 + a.valueBytes());
    SPARSERL_CHECK(budget.check("csr16"));
    SPARSERL_CHECK(checkSpans(rows, "csr16"));
    FormatData data;
    addCopy<std::int32_t>(data, "row_ptr", rows.offsets());
    const auto base = addArray<std::int32_t>(data, "base", rows.count());
    const auto off = addArray<std::uint16_t>(data, "off", rows.nnz());
    const ValueArray val(data, "val", rows.nnz(), a);
    std::size_t at = 0;
    for (std::int64_t p = 0; p < rows.count(); ++p) {
        base[p] = rows.length(p) > 0 ? a.col[rows.begin(p)] : 0;
        for (std::int32_t k = rows.begin(p); k < rows.end(p); ++k, ++at) {
            off[at] = static_cast<std::uint16_t>(a.col[k] - base[p]);
            val.take(at, k);
        }
    }
    return data;
}

} // namespace sparserl::formats

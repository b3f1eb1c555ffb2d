// SPDX-License-Identifier: Apache-2.0
#include "matrix/format_builder.h"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>

namespace sparserl {

namespace formats {

constexpr std::int64_t saturated = std::int64_t(1) << 62;

std::int32_t Rows::maxLength() const
{
    std::int32_t longest = 0;
    for (std::int64_t p = 0; p < m_count; ++p) {
        longest = std::max(longest, length(p));
    }
    return longest;
}

std::vector<std::int32_t> Rows::offsets() const
{
    std::vector<std::int32_t> out(static_cast<std::size_t>(m_count) + 1, 0);
    for (std::int64_t p = 0; p < m_count; ++p) {
        out[p + 1] = out[p] + length(p);
    }
    return out;
}

std::vector<std::int32_t> Rows::longestFirst(std::int64_t first, std::int64_t last) const
{
    std::vector<std::int32_t> out(static_cast<std::size_t>(last - first));
    std::iota(out.begin(), out.end(), static_cast<std::int32_t>(first));
    std::stable_sort(out.begin(), out.end(),
                     [this](std::int32_t a, std::int32_t b) { return length(a) > length(b); });
    return out;
}

std::int64_t product(std::int64_t a, std::int64_t b)
{
    std::int64_t out = 0;
    return __builtin_mul_overflow(a, b, &out) || out > saturated ? saturated : out;
}

void Budget::add(std::int64_t count, std::int64_t size)
{
    const std::int64_t bytes = product(count, size);
    m_total = bytes > saturated - m_total ? saturated : m_total + bytes;
}

void Budget::addIndexed(std::int64_t count, std::int64_t size)
{
    m_tooManyEntries = m_tooManyEntries || count > 2147483647;
    add(count, size);
}

Status Budget::check(std::string_view kind) const
{
    if (m_total > m_limit) {
        return fail(
            fmt::format("byte limit: format {} needs {}{} bytes for this matrix, at most {} are allowed",
                        kind, m_total >= saturated ? "more than " : "", m_total, m_limit));
    }
    if (m_tooManyEntries) {
        return fail(fmt::format("32-bit offsets: format {} would have more than 2147483647 entries", kind));
    }
    return {};
}

namespace {

Result<FormatData> buildCsr(const Rows& rows, Budget budget)
{
    const Csr& a = rows.matrix();
    budget.add(rows.count() + 1, 4);
    budget.add(rows.nnz(), 4 + a.valueBytes());
    SPARSERL_CHECK(budget.check("csr"));
    FormatData data;
    addCopy<std::int32_t>(data, "row_ptr", rows.offsets());
    const auto col = addArray<std::int32_t>(data, "col", rows.nnz());
    const ValueArray val(data, "val", rows.nnz(), a);
    std::size_t at = 0;
    for (std::int64_t p = 0; p < rows.count(); ++p) {
        for (std::int32_t k = rows.begin(p); k < rows.end(p); ++k, ++at) {
            col[at] = a.col[k];
            val.take(at, k);
        }
    }
    return data;
}

Result<FormatData> buildCoo(const Rows& rows, Budget budget)
{
    const Csr& a = rows.matrix();
    budget.add(rows.nnz(), 8 + a.valueBytes());
    SPARSERL_CHECK(budget.check("coo"));
    FormatData data;
    const auto row = addArray<std::int32_t>(data, "row", rows.nnz());
    const auto col = addArray<std::int32_t>(data, "col", rows.nnz());
    const ValueArray val(data, "val", rows.nnz(), a);
    std::size_t at = 0;
    for (std::int64_t p = 0; p < rows.count(); ++p) {
        for (std::int32_t k = rows.begin(p); k < rows.end(p); ++k, ++at) {
            row[at] = rows.row(p);
            col[at] = a.col[k];
            val.take(at, k);
        }
    }
    return data;
}

Result<FormatData> buildCsc(const Rows& rows, Budget budget)
{
    const Csr& a = rows.matrix();
    budget.add(std::int64_t(a.cols) + 1, 4);
    budget.add(rows.nnz(), 4 + a.valueBytes());
    SPARSERL_CHECK(budget.check("csc"));
    FormatData data;
    const auto ptr = addArray<std::int32_t>(data, "col_ptr", std::int64_t(a.cols) + 1);
    const auto row = addArray<std::int32_t>(data, "row", rows.nnz());
    const ValueArray val(data, "val", rows.nnz(), a);
    for (std::int64_t p = 0; p < rows.count(); ++p) {
        for (std::int32_t k = rows.begin(p); k < rows.end(p); ++k) {
            ++ptr[a.col[k] + 1];
        }
    }
    std::partial_sum(ptr.begin(), ptr.end(), ptr.begin());
    std::vector<std::int32_t> next(ptr.begin(), ptr.end());
    for (std::int64_t p = 0; p < rows.count(); ++p) {
        for (std::int32_t k = rows.begin(p); k < rows.end(p); ++k) {
            const std::int32_t at = next[a.col[k]]++;
            row[at] = rows.row(p);
            val.take(at, k);
        }
    }
    return data;
}

/// Fills column-major padded arrays with the first `width` entries of each row. Padding repeats the row's
/// last column (0 for an empty row), which is valid and most likely cached.
void fillEll(const Rows& rows, std::int64_t width, std::span<std::int32_t> col, const ValueArray& val)
{
    const Csr& a = rows.matrix();
    const std::int64_t n = rows.count();
    for (std::int64_t p = 0; p < n; ++p) {
        const std::int64_t used = std::min<std::int64_t>(rows.length(p), width);
        const std::int32_t first = rows.begin(p);
        for (std::int64_t k = 0; k < used; ++k) {
            col[k * n + p] = a.col[first + k];
            val.take(k * n + p, first + k);
        }
        const std::int32_t pad = used > 0 ? a.col[first + used - 1] : 0;
        for (std::int64_t k = used; k < width; ++k) {
            col[k * n + p] = pad;
        }
    }
}

Result<FormatData> buildEll(const Rows& rows, Budget budget)
{
    const Csr& a = rows.matrix();
    const std::int64_t width = rows.maxLength();
    const std::int64_t entries = product(width, rows.count());
    budget.add(entries, 4 + a.valueBytes());
    SPARSERL_CHECK(budget.check("ell"));
    FormatData data;
    data.counts["width"] = width;
    const auto col = addArray<std::int32_t>(data, "col", entries);
    const ValueArray val(data, "val", entries, a);
    fillEll(rows, width, col, val);
    return data;
}

/// Smallest width that holds `percent` per cent of the rows whole.
std::int64_t quantileWidth(const Rows& rows, std::int64_t percent)
{
    if (rows.count() == 0) {
        return 0;
    }
    std::vector<std::int32_t> lengths(static_cast<std::size_t>(rows.count()));
    for (std::int64_t p = 0; p < rows.count(); ++p) {
        lengths[p] = rows.length(p);
    }
    const std::int64_t rank = ceilDiv(percent * rows.count(), 100) - 1;
    std::nth_element(lengths.begin(), lengths.begin() + rank, lengths.end());
    return lengths[rank];
}

Result<FormatData> buildHyb(const Rows& rows, const FormatSpec& spec, Budget budget)
{
    const Csr& a = rows.matrix();
    const auto given = spec.parameters.find("width");
    const std::int64_t width =
        given != spec.parameters.end() ? given->second : quantileWidth(rows, spec.parameters.at("quantile"));
    std::int64_t rest = 0;
    for (std::int64_t p = 0; p < rows.count(); ++p) {
        rest += std::max<std::int64_t>(0, rows.length(p) - width);
    }
    // A matrix without columns has no valid column to pad with, and nothing to store.
    const std::int64_t entries = a.cols == 0 ? 0 : product(width, rows.count());
    budget.add(entries, 4 + a.valueBytes());
    budget.add(rest, 8 + a.valueBytes());
    SPARSERL_CHECK(budget.check("hyb"));
    FormatData data;
    data.counts["width"] = a.cols == 0 ? 0 : width;
    data.counts["coo_nnz"] = rest;
    const auto col = addArray<std::int32_t>(data, "ell_col", entries);
    const ValueArray val(data, "ell_val", entries, a);
    fillEll(rows, data.counts["width"], col, val);
    const auto cooRow = addArray<std::int32_t>(data, "coo_row", rest);
    const auto cooCol = addArray<std::int32_t>(data, "coo_col", rest);
    const ValueArray cooVal(data, "coo_val", rest, a);
    std::size_t at = 0;
    for (std::int64_t p = 0; p < rows.count(); ++p) {
        for (std::int64_t k = rows.begin(p) + width; k < rows.end(p); ++k, ++at) {
            cooRow[at] = rows.row(p);
            cooCol[at] = a.col[k];
            cooVal.take(at, k);
        }
    }
    return data;
}

Result<FormatData> buildDia(const Csr& a, Budget budget)
{
    constexpr std::int64_t most = 512;
    // One slot per possible diagonal; offset + rows - 1 is never negative.
    std::vector<std::int32_t> slot(std::size_t(a.rows) + std::size_t(a.cols), -1);
    std::int64_t diagonals = 0;
    for (std::int32_t r = 0; r < a.rows; ++r) {
        for (std::int32_t k = a.rowPtr[r]; k < a.rowPtr[r + 1]; ++k) {
            auto& mark = slot[std::size_t(std::int64_t(a.col[k]) - r + a.rows - 1)];
            if (mark < 0) {
                mark = 0;
                if (++diagonals > most) {
                    return fail(fmt::format(
                        "too many diagonals: this matrix has more than {}, the most that format dia stores",
                        most));
                }
            }
        }
    }
    budget.add(diagonals, 4);
    budget.add(product(diagonals, a.rows), a.valueBytes());
    SPARSERL_CHECK(budget.check("dia"));
    FormatData data;
    data.counts["diagonals"] = diagonals;
    const auto offset = addArray<std::int32_t>(data, "offset", diagonals);
    const ValueArray val(data, "val", diagonals * a.rows, a);
    std::int32_t next = 0;
    for (std::size_t i = 0; i < slot.size(); ++i) {
        if (slot[i] == 0) {
            offset[next] = static_cast<std::int32_t>(std::int64_t(i) - (a.rows - 1));
            slot[i] = next++;
        }
    }
    for (std::int32_t r = 0; r < a.rows; ++r) {
        for (std::int32_t k = a.rowPtr[r]; k < a.rowPtr[r + 1]; ++k) {
            const std::int64_t d = slot[std::size_t(std::int64_t(a.col[k]) - r + a.rows - 1)];
            val.take(d * a.rows + r, k);
        }
    }
    return data;
}

Result<FormatData> buildOrder(const Rows& rows, Budget budget)
{
    budget.add(rows.count(), 4);
    SPARSERL_CHECK(budget.check("order"));
    FormatData data;
    const auto ids = addArray<std::int32_t>(data, "row_ids", rows.count());
    const auto order = rows.longestFirst(0, rows.count());
    for (std::size_t i = 0; i < order.size(); ++i) {
        ids[i] = rows.row(order[i]);
    }
    return data;
}

Result<FormatData> buildDense(const Csr& a, Budget budget)
{
    const std::int64_t entries = product(a.rows, a.cols);
    budget.add(entries, a.valueBytes());
    SPARSERL_CHECK(budget.check("dense"));
    FormatData data;
    const ValueArray val(data, "val", entries, a);
    for (std::int32_t r = 0; r < a.rows; ++r) {
        for (std::int32_t k = a.rowPtr[r]; k < a.rowPtr[r + 1]; ++k) {
            val.take(std::size_t(r) * std::size_t(a.cols) + std::size_t(a.col[k]), k);
        }
    }
    return data;
}

} // namespace
} // namespace formats

Result<FormatData> buildFormat(const Csr& matrix, const FormatSpec& spec,
                               std::optional<std::span<const std::int32_t>> partRows, std::int64_t byteLimit)
{
    using namespace formats;
    SPARSERL_CHECK(checkFormatSpec(spec));
    if (partRows && !formatSignature(spec.kind)->allowsPart) {
        return fail(fmt::format("format {} is never of a part", spec.kind));
    }
    const Rows rows(matrix, partRows);
    const Budget budget(byteLimit);
    const auto parameter = [&spec](const char* name) { return spec.parameters.at(name); };
    const std::string& kind = spec.kind;
    if (kind == "csr") {
        return buildCsr(rows, budget);
    }
    if (kind == "coo") {
        return buildCoo(rows, budget);
    }
    if (kind == "csc") {
        return buildCsc(rows, budget);
    }
    if (kind == "ell") {
        return buildEll(rows, budget);
    }
    if (kind == "sell" || kind == "sell16") {
        return buildSell(rows, parameter("slice"), parameter("sigma"), kind == "sell16", budget);
    }
    if (kind == "hyb") {
        return buildHyb(rows, spec, budget);
    }
    if (kind == "dia") {
        return buildDia(matrix, budget);
    }
    if (kind == "bsr") {
        return buildBsr(matrix, parameter("block"), budget);
    }
    if (kind == "csr16") {
        return buildCsr16(rows, budget);
    }
    if (kind == "csr5") {
        return buildCsr5(rows, parameter("sigma"), budget);
    }
    if (kind == "tiles") {
        return buildTiles(rows, parameter("items"), budget);
    }
    if (kind == "blocks") {
        return buildBlocks(rows, parameter("nnz"), budget);
    }
    if (kind == "windows") {
        return buildWindows(matrix, parameter("rows"), budget);
    }
    if (kind == "panels") {
        return buildPanels(rows, parameter("width"), budget);
    }
    if (kind == "order") {
        return buildOrder(rows, budget);
    }
    return buildDense(matrix, budget);
}

} // namespace sparserl

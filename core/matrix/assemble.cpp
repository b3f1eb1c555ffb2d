// SPDX-License-Identifier: Apache-2.0
#include "matrix/assemble.h"

#include <algorithm>
#include <utility>

namespace sparserl {

namespace {

/// Sorts one row by column, keeping the order of equal columns.
void sortRow(std::vector<std::pair<std::int32_t, double>>& scratch, std::int32_t* col, double* val,
             std::int64_t n)
{
    scratch.resize(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < n; ++i) {
        scratch[i] = {col[i], val ? val[i] : 1.0};
    }
    std::stable_sort(scratch.begin(), scratch.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::int64_t i = 0; i < n; ++i) {
        col[i] = scratch[i].first;
        if (val) {
            val[i] = scratch[i].second;
        }
    }
}

} // namespace

Csr assemble(std::int32_t rows, std::int32_t cols, Triplets&& triplets, std::int64_t* duplicates)
{
    Csr out;
    out.rows = rows;
    out.cols = cols;
    out.rowPtr.assign(static_cast<std::size_t>(rows) + 1, 0);
    const std::size_t n = triplets.row.size();
    const bool pattern = triplets.value.empty();
    for (const std::int32_t row : triplets.row) {
        ++out.rowPtr[row + 1];
    }
    for (std::int32_t r = 0; r < rows; ++r) {
        out.rowPtr[r + 1] += out.rowPtr[r];
    }
    out.col.resize(n);
    std::vector<double> value(pattern ? 0 : n);
    {
        // rowPtr[r] serves as the insertion point of row r and is shifted back afterwards.
        auto& next = out.rowPtr;
        for (std::size_t i = 0; i < n; ++i) {
            const auto at = static_cast<std::size_t>(next[triplets.row[i]]++);
            out.col[at] = triplets.col[i];
            if (!pattern) {
                value[at] = triplets.value[i];
            }
        }
        for (std::int32_t r = rows; r > 0; --r) {
            next[r] = next[r - 1];
        }
        next[0] = 0;
    }
    triplets = Triplets(); // Its memory is needed now.
    std::vector<std::pair<std::int32_t, double>> scratch;
    std::int32_t kept = 0;
    std::int32_t begin = 0;
    for (std::int32_t r = 0; r < rows; ++r) {
        const std::int32_t end = out.rowPtr[r + 1];
        bool sorted = true;
        for (std::int32_t k = begin + 1; k < end; ++k) {
            sorted = sorted && out.col[k - 1] <= out.col[k];
        }
        if (!sorted) {
            sortRow(scratch, out.col.data() + begin, pattern ? nullptr : value.data() + begin, end - begin);
        }
        const std::int32_t rowStart = kept;
        for (std::int32_t k = begin; k < end; ++k) {
            if (kept > rowStart && out.col[kept - 1] == out.col[k]) {
                if (!pattern) {
                    value[kept - 1] += value[k];
                }
                continue;
            }
            out.col[kept] = out.col[k];
            if (!pattern) {
                value[kept] = value[k];
            }
            ++kept;
        }
        begin = end;
        out.rowPtr[r + 1] = kept;
    }
    if (duplicates) {
        *duplicates = static_cast<std::int64_t>(n) - kept;
    }
    out.col.resize(static_cast<std::size_t>(kept));
    out.val.resize(static_cast<std::size_t>(kept));
    if (static_cast<std::size_t>(kept) < n) {
        out.col.shrink_to_fit();
    }
    bool held = true;
    for (std::int32_t k = 0; k < kept; ++k) {
        out.val[k] = pattern ? 1.0f : static_cast<float>(value[k]);
        held = held && (pattern || static_cast<double>(out.val[k]) == value[k]);
    }
    if (!held) {
        value.resize(static_cast<std::size_t>(kept));
        out.val64 = std::move(value);
    }
    return out;
}

} // namespace sparserl

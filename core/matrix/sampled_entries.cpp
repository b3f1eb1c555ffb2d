// SPDX-License-Identifier: Apache-2.0
#include "matrix/sampled_entries.h"

#include "base/rng.h"

#include <algorithm>
#include <set>

namespace sparserl {

namespace {

/// At most `limit` evenly spaced entries of a row, first and last included.
void takeRow(const CsrView& m, std::int32_t row, std::int64_t limit, std::vector<std::int64_t>& chosen)
{
    const std::int64_t begin = m.rowPtr[row], length = m.rowLength(row);
    const std::int64_t count = std::min(length, limit);
    for (std::int64_t k = 0; k < count; ++k)
        chosen.push_back(begin + (count == 1 ? 0 : k * (length - 1) / (count - 1)));
}

} // namespace

std::vector<std::int64_t> sampleUniform(std::int64_t nnz, std::int64_t count, Rng& rng)
{
    std::vector<std::int64_t> chosen;
    if (nnz <= count) {
        for (std::int64_t i = 0; i < nnz; ++i)
            chosen.push_back(i);
        return chosen;
    }
    std::set<std::int64_t> taken;
    for (std::int64_t last = nnz - count; last < nnz; ++last) {
        const auto pick = std::int64_t(rng.below(std::uint64_t(last) + 1));
        if (!taken.insert(pick).second)
            taken.insert(last);
    }
    return {taken.begin(), taken.end()};
}

std::vector<std::int64_t> sampleWindows(const CsrView& m, std::int64_t count, Rng& rng)
{
    if (m.nnz() <= count)
        return sampleUniform(m.nnz(), count, rng);
    std::vector<std::int64_t> chosen;
    std::int32_t longest = 0;
    for (std::int32_t r = 1; r < m.rows; ++r) {
        if (m.rowLength(r) > m.rowLength(longest))
            longest = r;
    }
    std::int32_t skip = -1;
    if (double(m.rowLength(longest)) * m.rows > 4.0 * double(m.nnz())) {
        takeRow(m, longest, std::max<std::int64_t>(1, count / 4), chosen);
        skip = longest;
    }
    // Room for about two typical rows in each window.
    const double typical = double(m.nnz()) / m.rows;
    const auto wanted = static_cast<std::int32_t>(std::clamp(double(count) / (2 * (typical + 1)), 2.0, 8.0));
    const std::int32_t stretches = std::min(wanted, m.rows);
    for (std::int32_t s = 0; s < stretches; ++s) {
        const auto low = std::int32_t(std::int64_t(m.rows) * s / stretches);
        const auto high = std::int32_t(std::int64_t(m.rows) * (s + 1) / stretches);
        const std::int64_t budget = (count - std::int64_t(chosen.size())) / (stretches - s);
        std::int64_t used = 0;
        for (auto r = std::int32_t(rng.between(low, std::max(low, high - 1 - 8))); r < high && used < budget;
             ++r) {
            // A row that does not fit is thinned out only where it would be the window's first.
            if (r == skip || m.rowLength(r) == 0)
                continue;
            if (used > 0 && m.rowLength(r) > budget - used)
                break;
            takeRow(m, r, budget - used, chosen);
            used += m.rowLength(r);
        }
    }
    if (chosen.empty())
        return sampleUniform(m.nnz(), count, rng);
    std::sort(chosen.begin(), chosen.end());
    return chosen;
}

std::int32_t rowOfEntry(const CsrView& matrix, std::int64_t position)
{
    const auto after = std::upper_bound(matrix.rowPtr.begin(), matrix.rowPtr.end(), position);
    return static_cast<std::int32_t>(after - matrix.rowPtr.begin() - 1);
}

} // namespace sparserl

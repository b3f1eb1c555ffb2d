// SPDX-License-Identifier: Apache-2.0
#include "evaluation/cases/inputs.h"

#include "evaluation/cases/drawn_sizes.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

namespace sparserl {

namespace {

/// A pattern from row lengths, with distinct random columns.
Csr fromLengths(std::int32_t cols, const std::vector<std::int32_t>& lengths, Rng& rng)
{
    Csr matrix;
    matrix.rows = static_cast<std::int32_t>(lengths.size());
    matrix.cols = cols;
    for (const std::int32_t wanted : lengths) {
        std::set<std::int32_t> columns;
        const auto length = static_cast<std::size_t>(std::min(wanted, cols));
        while (columns.size() < length)
            columns.insert(static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(cols))));
        matrix.col.insert(matrix.col.end(), columns.begin(), columns.end());
        matrix.rowPtr.push_back(static_cast<std::int32_t>(matrix.col.size()));
    }
    matrix.val.assign(matrix.col.size(), 1.0f);
    return matrix;
}

std::vector<std::int32_t> lengthsOf(std::int32_t rows,
                                    const std::function<std::int64_t(std::int32_t)>& length)
{
    std::vector<std::int32_t> lengths;
    lengths.reserve(static_cast<std::size_t>(rows));
    for (std::int32_t row = 0; row < rows; ++row)
        lengths.push_back(static_cast<std::int32_t>(length(row)));
    return lengths;
}

} // namespace

double roundedTo(double value, int digits)
{
    int exponent = 0;
    const double fraction = std::frexp(value, &exponent);
    return std::ldexp(std::nearbyint(std::ldexp(fraction, digits)), exponent - digits);
}

std::vector<float> randomVector(std::int64_t count, Rng& rng)
{
    std::vector<float> x(static_cast<std::size_t>(count));
    for (float& value : x)
        value = static_cast<float>(plainNumber(rng)); // Exact: 24 bits suffice.
    return x;
}

Numbers plainVector(ElementType type, std::int64_t count, Rng& rng)
{
    Numbers x(type, static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < x.size(); ++i)
        x.set(i, plainNumber(rng, NumberFormat::of(type).digits));
    return x;
}

Csr withRandomValues(const Csr& matrix, Rng& rng)
{
    Csr out = matrix;
    out.val64 = {};
    out.val = randomVector(matrix.nnz(), rng);
    return out;
}

std::vector<BatteryShape> batteryShapes(std::uint64_t seed)
{
    const Rng root(seed);
    std::vector<BatteryShape> shapes;
    // Each battery has sizes of all kinds, so that no lot leaves one out.
    std::array divisors{1, 1, 2, 32, 128};
    Rng lots = root.derive("sizes");
    lots.shuffle(divisors);
    std::size_t nextDivisor = 0;
    const auto rowsNear = [&](std::int32_t about, Rng& rng) {
        return sizeNear(about, divisors[nextDivisor++], rng);
    };
    const auto columnsNear = [](std::int32_t about, Rng& rng) {
        return sizeNear(about, drawSizeDivisor(rng), rng);
    };
    const auto add = [&](const char* name, bool exact, const std::function<Csr(Rng&)>& make) {
        Rng rng = root.derive(name);
        Csr matrix = withRandomValues(make(rng), rng);
        shapes.push_back({name, std::move(matrix), exact});
    };
    add("empty-rows", true, [&](Rng& rng) {
        // A third of the rows, and a run that is longer than a warp.
        const std::int32_t rows = rowsNear(110, rng);
        const auto run = static_cast<std::int32_t>(std::min<std::int64_t>(rng.between(33, 48), rows - 4));
        const auto first = static_cast<std::int32_t>(rng.between(1, rows - run - 1));
        return fromLengths(columnsNear(53, rng),
                           lengthsOf(rows,
                                     [&](std::int32_t row) -> std::int64_t {
                                         const bool empty = row == 0 || row == rows - 1 || row % 3 == 1 ||
                                                            (row >= first && row < first + run);
                                         return empty ? 0 : rng.between(1, 9);
                                     }),
                           rng);
    });
    add("one-dense-row", false, [&](Rng& rng) {
        const std::int32_t rows = rowsNear(39, rng), cols = columnsNear(201, rng);
        const auto dense = static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(rows)));
        return fromLengths(cols,
                           lengthsOf(rows,
                                     [&](std::int32_t row) -> std::int64_t {
                                         return row == dense ? cols : rng.between(0, 2);
                                     }),
                           rng);
    });
    add("one-row", true, [&](Rng& rng) {
        const std::int32_t cols = columnsNear(301, rng);
        return fromLengths(cols, {static_cast<std::int32_t>(cols * rng.uniform(0.2, 0.9))}, rng);
    });
    add("one-column", false, [&](Rng& rng) {
        return fromLengths(1, lengthsOf(rowsNear(257, rng), [&](std::int32_t) { return rng.between(0, 1); }),
                           rng);
    });
    add("no-entries", true, [&](Rng& rng) {
        const std::int32_t cols = columnsNear(21, rng);
        return fromLengths(cols, std::vector<std::int32_t>(static_cast<std::size_t>(rowsNear(33, rng)), 0),
                           rng);
    });
    add("odd-sizes", false, [](Rng& rng) {
        const std::int32_t cols = sizeNear(97, 1, rng);
        return fromLengths(
            cols, lengthsOf(sizeNear(131, 1, rng), [&](std::int32_t) { return rng.between(2, 14); }), rng);
    });
    add("skew", true, [&](Rng& rng) {
        // Two to four long rows, which may be neighbours; square half of the time.
        const std::int32_t rows = rowsNear(97, rng);
        const std::int32_t cols = rng.next() & 1 ? rows : columnsNear(201, rng);
        const auto first = static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(rows)));
        const bool neighbours = rng.next() & 1;
        std::set<std::int32_t> longRows{first};
        for (std::int64_t i = rng.between(1, 3); i > 0; --i)
            longRows.insert(neighbours
                                ? static_cast<std::int32_t>((first + i) % rows)
                                : static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(rows))));
        return fromLengths(cols,
                           lengthsOf(rows,
                                     [&](std::int32_t row) -> std::int64_t {
                                         return longRows.contains(row)
                                                    ? rng.between(std::min(65, cols), cols)
                                                    : static_cast<std::int64_t>(
                                                          90 / (1 + 40 * rng.uniform()) - 2);
                                     }),
                           rng);
    });
    return shapes;
}

} // namespace sparserl

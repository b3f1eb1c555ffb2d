// SPDX-License-Identifier: Apache-2.0
#include "matrix/generators.h"

#include "base/rng.h"
#include "matrix/assemble.h"
#include "matrix/readers.h"
#include "matrix/values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>
#include <numeric>

namespace sparserl::generators {

namespace {

constexpr double mostEntries = 2147483647.0;

Status checkEntries(const GeneratorSpec& spec, double rows, double cols, double entries)
{
    if (rows > mostEntries || cols > mostEntries || entries > mostEntries) {
        return fail(
            fmt::format("{}: about {:.3g} entries in {:.0f} rows are too many", spec.text(), entries, rows),
            "Give smaller numbers; at most 2147483647 entries are possible");
    }
    // As readers of files reckon: entries are gathered before they are put in order.
    auto enough = checkMemory({}, 0, static_cast<std::int64_t>(rows), static_cast<std::int64_t>(cols),
                              static_cast<std::int64_t>(8 * (rows + cols) + 32 * entries), spec.memory);
    if (!enough)
        return fail(fmt::format("{}: {}", spec.text(), enough.error().what),
                    "Give smaller numbers, or close other programs");
    return {};
}

/// A matrix that grows row by row.
struct Growing
{
    Csr csr;
    Growing(std::int64_t rows, std::int64_t cols)
    {
        csr.rows = static_cast<std::int32_t>(rows);
        csr.cols = static_cast<std::int32_t>(cols);
        csr.rowPtr.reserve(static_cast<std::size_t>(rows) + 1);
    }
    void add(std::int64_t col, double value)
    {
        csr.col.push_back(static_cast<std::int32_t>(col));
        csr.val.push_back(static_cast<float>(value));
    }
    void endRow() { csr.rowPtr.push_back(static_cast<std::int32_t>(csr.col.size())); }
};

/// Off-diagonal values -1 scaled a little at random (so that a kernel that drops or swaps entries is caught),
/// the diagonal their number: a discrete Laplacian with variable coefficients.
double stencilValue(std::uint64_t seed, std::int64_t row, std::int64_t col, std::int64_t points)
{
    const float jitter = seededValue(seed, static_cast<std::int32_t>(row), static_cast<std::int32_t>(col));
    return row == col ? static_cast<double>(points) - 1 + 0.25 * std::abs(jitter) : -std::abs(jitter);
}

Result<Csr> stencil2d(const GeneratorSpec& spec)
{
    const std::int64_t n = spec.parameters.integer("n");
    const std::int64_t m = spec.parameters.integer("m") == 0 ? n : spec.parameters.integer("m");
    const std::int64_t points = std::stoll(spec.parameters.text("points"));
    const auto seed = static_cast<std::uint64_t>(spec.parameters.integer("seed"));
    const double rows = static_cast<double>(n) * static_cast<double>(m);
    SPARSERL_CHECK(checkEntries(spec, rows, rows, rows * static_cast<double>(points)));
    // 5: a cross; 9: the full 3x3 box; 13: a diamond of radius 2.
    const int reach = points == 13 ? 2 : 1;
    Growing out(n * m, n * m);
    for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = 0; j < m; ++j) {
            const std::int64_t row = i * m + j;
            for (int di = -reach; di <= reach; ++di) {
                for (int dj = -reach; dj <= reach; ++dj) {
                    if (points != 9 && std::abs(di) + std::abs(dj) > reach) {
                        continue;
                    }
                    if (i + di >= 0 && i + di < n && j + dj >= 0 && j + dj < m) {
                        const std::int64_t col = (i + di) * m + j + dj;
                        out.add(col, stencilValue(seed, row, col, points));
                    }
                }
            }
            out.endRow();
        }
    }
    return std::move(out.csr);
}

Result<Csr> stencil3d(const GeneratorSpec& spec)
{
    const std::int64_t n = spec.parameters.integer("n");
    const std::int64_t points = std::stoll(spec.parameters.text("points"));
    const auto seed = static_cast<std::uint64_t>(spec.parameters.integer("seed"));
    const double rows = std::pow(static_cast<double>(n), 3);
    SPARSERL_CHECK(checkEntries(spec, rows, rows, rows * static_cast<double>(points)));
    const int furthest = points == 7    ? 1
                         : points == 19 ? 2
                                        : 3; // Of |di| + |dj| + |dk| within the 3x3x3 box.
    Growing out(n * n * n, n * n * n);
    for (std::int64_t row = 0; row < n * n * n; ++row) {
        const std::int64_t i = row / (n * n);
        const std::int64_t j = row / n % n;
        const std::int64_t k = row % n;
        for (int di = -1; di <= 1; ++di) {
            for (int dj = -1; dj <= 1; ++dj) {
                for (int dk = -1; dk <= 1; ++dk) {
                    const bool inside = i + di >= 0 && i + di < n && j + dj >= 0 && j + dj < n &&
                                        k + dk >= 0 && k + dk < n &&
                                        std::abs(di) + std::abs(dj) + std::abs(dk) <= furthest;
                    if (inside) {
                        const std::int64_t col = ((i + di) * n + j + dj) * n + k + dk;
                        out.add(col, stencilValue(seed, row, col, points));
                    }
                }
            }
        }
        out.endRow();
    }
    return std::move(out.csr);
}

/// Adds row i's entries of [first, last) where each place is in use with probability `fill`, by drawing the
/// gaps between them: thin bands cost what they hold, not what they span.
void addThinly(Growing& out, Rng& rng, std::int64_t first, std::int64_t last, double fill)
{
    if (fill <= 0) {
        return;
    }
    for (std::int64_t j = first;; ++j) {
        const double gap = std::floor(std::log(1 - rng.uniform()) / std::log1p(-fill));
        if (gap >= static_cast<double>(last - j)) {
            return;
        }
        j += static_cast<std::int64_t>(gap);
        out.add(j, rng.uniform(-1, 1));
    }
}

Result<Csr> banded(const GeneratorSpec& spec)
{
    const std::int64_t n = spec.parameters.integer("n");
    const std::int64_t band = std::min(spec.parameters.integer("band"), n);
    const double fill = spec.parameters.real("fill");
    Rng rng(static_cast<std::uint64_t>(spec.parameters.integer("seed")));
    const double entries = static_cast<double>(n) * (2 * static_cast<double>(band) * fill + 1);
    SPARSERL_CHECK(checkEntries(spec, static_cast<double>(n), static_cast<double>(n), entries * 1.01));
    Growing out(n, n);
    for (std::int64_t i = 0; i < n; ++i) {
        for (std::int64_t j = std::max<std::int64_t>(0, i - band); j <= std::min(n - 1, i + band); ++j) {
            if (j == i || rng.chance(fill)) {
                out.add(j, j == i ? rng.uniform(2, 4) : rng.uniform(-1, 1));
            }
        }
        out.endRow();
    }
    return std::move(out.csr);
}

Result<Csr> wideBand(const GeneratorSpec& spec)
{
    const std::int64_t n = spec.parameters.integer("n");
    const std::int64_t band = std::min(spec.parameters.integer("band"), n);
    const double mean = spec.parameters.real("mean");
    const double fill = std::min(mean / (2 * static_cast<double>(band)), 0.5);
    Rng rng(static_cast<std::uint64_t>(spec.parameters.integer("seed")));
    SPARSERL_CHECK(checkEntries(spec, static_cast<double>(n), static_cast<double>(n),
                                static_cast<double>(n) * (mean + 1) * 1.01));
    Growing out(n, n);
    for (std::int64_t i = 0; i < n; ++i) {
        addThinly(out, rng, std::max<std::int64_t>(0, i - band), i, fill);
        out.add(i, rng.uniform(2, 4));
        addThinly(out, rng, i + 1, std::min(n, i + band + 1), fill);
        out.endRow();
    }
    return std::move(out.csr);
}

Result<Csr> diagonals(const GeneratorSpec& spec)
{
    const std::int64_t n = spec.parameters.integer("n");
    const std::int64_t spread = std::min(spec.parameters.integer("spread"), n - 1);
    const std::int64_t count = std::min(spec.parameters.integer("count"), 2 * spread + 1);
    const double fill = spec.parameters.real("fill");
    SPARSERL_CHECK(checkEntries(spec, static_cast<double>(n), static_cast<double>(n),
                                static_cast<double>(n) * static_cast<double>(count)));
    Rng rng(static_cast<std::uint64_t>(spec.parameters.integer("seed")));
    // The main diagonal, then distinct offsets within the spread.
    std::vector<std::int64_t> offsets{0};
    while (static_cast<std::int64_t>(offsets.size()) < count) {
        const auto offset =
            static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(2 * spread + 1))) - spread;
        if (std::find(offsets.begin(), offsets.end(), offset) == offsets.end()) {
            offsets.push_back(offset);
        }
    }
    std::sort(offsets.begin(), offsets.end());
    Growing out(n, n);
    for (std::int64_t i = 0; i < n; ++i) {
        for (const std::int64_t offset : offsets) {
            const std::int64_t j = i + offset;
            if (j >= 0 && j < n && (offset == 0 || rng.chance(fill))) {
                out.add(j, offset == 0 ? rng.uniform(2, 4) : rng.uniform(-1, 1));
            }
        }
        out.endRow();
    }
    return std::move(out.csr);
}

Result<Csr> blockFem(const GeneratorSpec& spec)
{
    const std::int64_t wanted = spec.parameters.integer("nodes");
    const std::int64_t block = spec.parameters.integer("block");
    const double scramble = spec.parameters.real("scramble");
    const auto seed = static_cast<std::uint64_t>(spec.parameters.integer("seed"));
    const auto width = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(wanted))));
    const std::int64_t height = (wanted + width - 1) / width;
    const std::int64_t nodes = width * height;
    const auto rows = static_cast<double>(nodes * block);
    SPARSERL_CHECK(checkEntries(spec, rows, rows, rows * 7 * static_cast<double>(block)));
    // Renumbering a share of the nodes spoils the band as a bad mesh numbering does.
    Rng rng(seed);
    std::vector<std::int32_t> number(static_cast<std::size_t>(nodes));
    std::iota(number.begin(), number.end(), 0);
    std::vector<std::int32_t> moved;
    for (std::int32_t node = 0; node < nodes; ++node) {
        if (rng.chance(scramble)) {
            moved.push_back(node);
        }
    }
    auto shuffled = moved;
    rng.shuffle(shuffled);
    for (std::size_t i = 0; i < moved.size(); ++i) {
        number[moved[i]] = shuffled[i];
    }
    std::vector<std::int32_t> nodeOf(number.size());
    for (std::int32_t node = 0; node < nodes; ++node) {
        nodeOf[number[node]] = node;
    }
    // Squares cut along one diagonal: each node meets itself and up to six neighbours.
    constexpr std::array<std::array<int, 2>, 7> steps{
        {{-1, -1}, {-1, 0}, {0, -1}, {0, 0}, {0, 1}, {1, 0}, {1, 1}}};
    Growing out(nodes * block, nodes * block);
    std::vector<std::int32_t> neighbours;
    for (std::int64_t position = 0; position < nodes; ++position) {
        const std::int64_t node = nodeOf[position];
        neighbours.clear();
        for (const auto& [dy, dx] : steps) {
            const std::int64_t y = node / width + dy;
            const std::int64_t x = node % width + dx;
            if (y >= 0 && y < height && x >= 0 && x < width) {
                neighbours.push_back(number[y * width + x]);
            }
        }
        std::sort(neighbours.begin(), neighbours.end());
        for (std::int64_t r = 0; r < block; ++r) {
            for (const std::int64_t neighbour : neighbours) {
                for (std::int64_t c = 0; c < block; ++c) {
                    const std::int64_t row = position * block + r;
                    const std::int64_t col = neighbour * block + c;
                    const float value = seededValue(seed, static_cast<std::int32_t>(std::max(row, col)),
                                                    static_cast<std::int32_t>(std::min(row, col)));
                    out.add(col, row == col ? 7.0 * static_cast<double>(block) + value : value);
                }
            }
            out.endRow();
        }
    }
    return std::move(out.csr);
}

Result<Csr> rmat(const GeneratorSpec& spec)
{
    const std::int64_t scale = spec.parameters.integer("scale");
    const double a = spec.parameters.real("a");
    const double b = spec.parameters.real("b");
    const double c = spec.parameters.real("c");
    if (a + b + c > 1) {
        return fail(fmt::format("{}: a + b + c is {:.3g}, more than 1", spec.text(), a + b + c));
    }
    const double size = std::ldexp(1.0, static_cast<int>(scale));
    const double edges = size * spec.parameters.real("degree");
    SPARSERL_CHECK(checkEntries(spec, size, size, edges));
    Rng rng(static_cast<std::uint64_t>(spec.parameters.integer("seed")));
    Triplets entries;
    const auto count = static_cast<std::int64_t>(std::llround(edges));
    entries.row.reserve(static_cast<std::size_t>(count));
    entries.col.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        std::int32_t row = 0;
        std::int32_t col = 0;
        for (std::int64_t level = 0; level < scale; ++level) {
            const double u = rng.uniform();
            row = row * 2 + (u >= a + b);
            col = col * 2 + ((u >= a && u < a + b) || u >= a + b + c);
        }
        entries.row.push_back(row);
        entries.col.push_back(col);
    }
    Csr out = assemble(static_cast<std::int32_t>(size), static_cast<std::int32_t>(size), std::move(entries));
    fillSeededValues(out);
    return out;
}

/// `count` distinct columns, ascending.
void addRandomColumns(Growing& out, Rng& rng, std::int64_t count, std::vector<std::int32_t>& scratch)
{
    const std::int64_t cols = out.csr.cols;
    scratch.clear();
    if (count * 3 >= cols) {
        // Selection sampling (Knuth 3.4.2 S): every subset of the size is equally likely.
        std::int64_t left = count;
        for (std::int64_t c = 0; c < cols && left > 0; ++c) {
            if (static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(cols - c))) < left) {
                scratch.push_back(static_cast<std::int32_t>(c));
                --left;
            }
        }
    } else {
        while (static_cast<std::int64_t>(scratch.size()) < count) {
            while (static_cast<std::int64_t>(scratch.size()) < count) {
                scratch.push_back(static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(cols))));
            }
            std::sort(scratch.begin(), scratch.end());
            scratch.erase(std::unique(scratch.begin(), scratch.end()), scratch.end());
        }
    }
    for (const std::int32_t col : scratch) {
        out.add(col, 0);
    }
    out.endRow();
}

Result<Csr> lp(const GeneratorSpec& spec)
{
    const std::int64_t rows = spec.parameters.integer("rows");
    const std::int64_t cols = spec.parameters.integer("cols");
    const double mean = spec.parameters.real("mean");
    const std::int64_t longRows = std::min(spec.parameters.integer("long"), rows);
    const auto longLength =
        static_cast<std::int64_t>(std::llround(spec.parameters.real("longfill") * static_cast<double>(cols)));
    const double entries = static_cast<double>(rows) * mean * 1.1 +
                           static_cast<double>(longRows) * static_cast<double>(longLength);
    SPARSERL_CHECK(checkEntries(spec, static_cast<double>(rows), static_cast<double>(cols), entries));
    Rng rng(static_cast<std::uint64_t>(spec.parameters.integer("seed")));
    std::vector<std::int32_t> order(static_cast<std::size_t>(rows));
    std::iota(order.begin(), order.end(), 0);
    rng.shuffle(order);
    std::vector<bool> isLong(order.size(), false);
    for (std::int64_t i = 0; i < longRows; ++i) {
        isLong[order[i]] = true;
    }
    Growing out(rows, cols);
    std::vector<std::int32_t> scratch;
    for (std::int64_t r = 0; r < rows; ++r) {
        std::int64_t length = longLength;
        if (!isLong[r]) {
            // 1 + geometric: short rows with a tail, the mean as asked for.
            length = 1;
            const double stop = mean > 1 ? 1 / mean : 1;
            while (length < cols && !rng.chance(stop)) {
                ++length;
            }
        }
        addRandomColumns(out, rng, std::min(length, cols), scratch);
    }
    fillSeededValues(out.csr);
    return std::move(out.csr);
}

Result<Csr> pruned(const GeneratorSpec& spec)
{
    const std::int64_t rows = spec.parameters.integer("rows");
    const std::int64_t cols = spec.parameters.integer("cols");
    const double density = 1 - spec.parameters.real("sparsity");
    const double spread = spec.parameters.real("spread");
    const double entries = static_cast<double>(rows) * static_cast<double>(cols) * density;
    SPARSERL_CHECK(checkEntries(spec, static_cast<double>(rows), static_cast<double>(cols), entries * 1.1));
    Rng rng(static_cast<std::uint64_t>(spec.parameters.integer("seed")));
    Growing out(rows, cols);
    std::vector<std::int32_t> scratch;
    for (std::int64_t r = 0; r < rows; ++r) {
        const double wanted = density * static_cast<double>(cols) * (1 + spread * rng.normal());
        const auto length = std::clamp<std::int64_t>(std::llround(wanted), 0, cols);
        addRandomColumns(out, rng, length, scratch);
    }
    fillSeededValues(out.csr);
    return std::move(out.csr);
}

Result<Csr> uniformRandom(const GeneratorSpec& spec)
{
    const std::int64_t rows = spec.parameters.integer("rows");
    const std::int64_t cols = spec.parameters.integer("cols");
    const double entries = static_cast<double>(rows) * spec.parameters.real("mean");
    SPARSERL_CHECK(checkEntries(spec, static_cast<double>(rows), static_cast<double>(cols), entries));
    Rng rng(static_cast<std::uint64_t>(spec.parameters.integer("seed")));
    Triplets triplets;
    const auto count = static_cast<std::int64_t>(std::llround(entries));
    for (std::int64_t i = 0; i < count; ++i) {
        triplets.row.push_back(static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(rows))));
        triplets.col.push_back(static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(cols))));
    }
    Csr out = assemble(static_cast<std::int32_t>(rows), static_cast<std::int32_t>(cols), std::move(triplets));
    fillSeededValues(out);
    return out;
}

} // namespace

Result<Csr> build(const GeneratorSpec& spec)
{
    using Builder = Result<Csr> (*)(const GeneratorSpec&);
    static constexpr std::array<std::pair<std::string_view, Builder>, 10> builders{
        {{"stencil2d", stencil2d},
         {"stencil3d", stencil3d},
         {"banded", banded},
         {"wideband", wideBand},
         {"diagonals", diagonals},
         {"blockfem", blockFem},
         {"rmat", rmat},
         {"lp", lp},
         {"pruned", pruned},
         {"random", uniformRandom}}};
    for (const auto& [name, builder] : builders) {
        if (name == spec.kind) {
            return builder(spec);
        }
    }
    return fail(fmt::format("there is no matrix generator \"{}\"", spec.kind));
}

} // namespace sparserl::generators

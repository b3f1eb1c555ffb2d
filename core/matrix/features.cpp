// SPDX-License-Identifier: Apache-2.0
#include "matrix/features.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace sparserl {

namespace {

double ratio(double numerator, double denominator)
{
    return denominator > 0 ? numerator / denominator : 0;
}

void lengthFeatures(const Csr& a, MatrixFeatures& f)
{
    if (a.rows == 0) {
        return;
    }
    std::int32_t most = 0;
    std::int32_t least = a.rowLength(0);
    for (std::int32_t r = 0; r < a.rows; ++r) {
        most = std::max(most, a.rowLength(r));
        least = std::min(least, a.rowLength(r));
    }
    // Everything about lengths follows from how many rows have each length.
    std::vector<std::int32_t> rowsOf(static_cast<std::size_t>(most) + 1, 0);
    for (std::int32_t r = 0; r < a.rows; ++r) {
        ++rowsOf[a.rowLength(r)];
    }
    const double rows = a.rows;
    const double nnz = static_cast<double>(a.nnz());
    f.rowMax = most;
    f.rowMin = least;
    f.rowMean = nnz / rows;
    double squares = 0;
    double weighted = 0; // Sum over sorted rows of rank * length; ranks of equal lengths are consecutive.
    std::int64_t before = 0;
    const auto quantile = [&](int percent) {
        return (static_cast<std::int64_t>(a.rows) * percent + 99) / 100;
    };
    f.rowQ50 = f.rowQ80 = f.rowQ99 = -1;
    for (std::int32_t length = 0; length <= most; ++length) {
        const std::int64_t n = rowsOf[length];
        if (n == 0) {
            continue;
        }
        const double off = length - f.rowMean;
        squares += static_cast<double>(n) * off * off;
        weighted += length * (static_cast<double>(n) * static_cast<double>(before) +
                              0.5 * static_cast<double>(n) * static_cast<double>(n + 1));
        before += n;
        for (auto [percent, slot] : {std::pair{50, &f.rowQ50}, {80, &f.rowQ80}, {99, &f.rowQ99}}) {
            if (*slot < 0 && before >= quantile(percent)) {
                *slot = length;
            }
        }
    }
    f.rowStd = std::sqrt(squares / rows);
    f.rowCv = ratio(f.rowStd, f.rowMean);
    f.rowGini = nnz > 0 ? std::max(0.0, 2 * weighted / (rows * nnz) - (rows + 1) / rows) : 0;
    f.emptyRows = rowsOf[0] / rows;
    f.ellRatio = ratio(most, f.rowMean);
}

void diagonalFeatures(const Csr& a, MatrixFeatures& f)
{
    std::vector<bool> used(static_cast<std::size_t>(a.rows) + static_cast<std::size_t>(a.cols), false);
    std::int64_t distance = 0;
    std::int64_t furthest = 0;
    std::int64_t gaps = 0;
    std::int64_t pairs = 0;
    std::int64_t onMain = 0;
    for (std::int32_t r = 0; r < a.rows; ++r) {
        const std::int32_t begin = a.rowPtr[r];
        const std::int32_t end = a.rowPtr[r + 1];
        for (std::int32_t k = begin; k < end; ++k) {
            const std::int64_t offset = std::int64_t(a.col[k]) - r;
            distance += std::abs(offset);
            onMain += offset == 0;
            furthest = std::max(furthest, std::abs(offset));
            const auto slot = static_cast<std::size_t>(offset + a.rows - 1);
            if (!used[slot]) {
                used[slot] = true;
                ++f.diagonals;
            }
        }
        if (end > begin) {
            gaps += a.col[end - 1] - a.col[begin];
            pairs += end - begin - 1;
        }
    }
    const auto nnz = static_cast<double>(a.nnz());
    f.bandwidthMean = ratio(static_cast<double>(distance), nnz);
    f.bandwidthMax = furthest;
    f.mainDiagonal = ratio(static_cast<double>(onMain), std::min(a.rows, a.cols));
    f.columnGap = ratio(static_cast<double>(gaps), static_cast<double>(pairs));
    f.diagonalFill = ratio(nnz, static_cast<double>(f.diagonals) * a.rows);
}

void blockFeatures(const Csr& a, MatrixFeatures& f)
{
    const auto nnz = static_cast<double>(a.nnz());
    for (int size = 0; size < 4; ++size) {
        const int shift = size + 1;
        std::vector<std::int32_t> last((static_cast<std::size_t>(a.cols) >> shift) + 1, -1);
        std::int64_t blocks = 0;
        for (std::int32_t r = 0; r < a.rows; ++r) {
            const std::int32_t blockRow = r >> shift;
            std::int32_t previous = -1;
            for (std::int32_t k = a.rowPtr[r]; k < a.rowPtr[r + 1]; ++k) {
                const std::int32_t block = a.col[k] >> shift;
                if (block != previous) { // Neighbours mostly share a block: spares the memory access.
                    previous = block;
                    blocks += last[block] != blockRow;
                    last[block] = blockRow;
                }
            }
        }
        f.blockFill[size] = ratio(nnz, static_cast<double>(blocks) * std::ldexp(1.0, 2 * shift));
    }
    std::vector<std::int32_t> last(static_cast<std::size_t>(a.cols), -1);
    std::int64_t distinct = 0;
    for (std::int32_t r = 0; r < a.rows; ++r) {
        const std::int32_t window = r >> 4;
        for (std::int32_t k = a.rowPtr[r]; k < a.rowPtr[r + 1]; ++k) {
            distinct += last[a.col[k]] != window;
            last[a.col[k]] = window;
        }
    }
    const std::int64_t windows = (static_cast<std::int64_t>(a.rows) + 15) / 16;
    f.windowColumns = ratio(static_cast<double>(distinct), static_cast<double>(windows));
    f.windowReuse = ratio(nnz, static_cast<double>(distinct));
}

void symmetryFeatures(const Csr& a, MatrixFeatures& f)
{
    if (a.rows != a.cols) {
        return;
    }
    // Rows ascend, so the mirror candidates of one row are asked for in ascending order: one cursor a row, no
    // transposed copy.
    std::vector<std::int32_t> cursor(a.rowPtr.begin(), a.rowPtr.end() - 1);
    std::int64_t offDiagonal = 0;
    std::int64_t mirrored = 0;
    std::int64_t equal = 0;
    for (std::int32_t r = 0; r < a.rows; ++r) {
        for (std::int32_t k = a.rowPtr[r]; k < a.rowPtr[r + 1]; ++k) {
            const std::int32_t c = a.col[k];
            offDiagonal += c != r;
            if (c <= r) {
                continue;
            }
            std::int32_t& at = cursor[c];
            const std::int32_t end = a.rowPtr[c + 1];
            while (at < end && a.col[at] < r) {
                ++at;
            }
            if (at < end && a.col[at] == r) {
                mirrored += 2;
                equal += a.val[at] == a.val[k] ? 2 : 0;
            }
        }
    }
    f.patternSymmetry =
        offDiagonal > 0 ? static_cast<double>(mirrored) / static_cast<double>(offDiagonal) : 1;
    f.valueSymmetry = offDiagonal > 0 ? static_cast<double>(equal) / static_cast<double>(offDiagonal) : 1;
}

/// Strongly connected components by Tarjan's algorithm (Depth-first search and linear graph algorithms, SIAM
/// J. Comput. 1(2), 1972), with a stack of its own: a path may be as long as the matrix has rows.
std::int64_t strongComponents(const Csr& a)
{
    constexpr std::int32_t notSeen = -1;
    constexpr std::int32_t settled = std::numeric_limits<std::int32_t>::max(); ///< Its component is complete.
    const auto rows = static_cast<std::size_t>(a.rows);
    std::vector<std::int32_t> low(rows, notSeen); ///< Lowest number of a row on the stack that is reached.
    std::vector<std::int32_t> edge(a.rowPtr.begin(), a.rowPtr.end() - 1); ///< Next entry of each row.
    std::vector<std::int32_t> parts; ///< Rows that no component has yet, in the order of their numbers.
    struct Step
    {
        std::int32_t row, number;
    };
    std::vector<Step> path;
    std::int32_t numbers = 0;
    std::int64_t components = 0;
    const auto enter = [&](std::int32_t row) {
        low[row] = numbers;
        parts.push_back(row);
        path.push_back({row, numbers++});
    };
    for (std::int32_t root = 0; root < a.rows; ++root) {
        if (low[root] != notSeen) {
            continue;
        }
        enter(root);
        while (!path.empty()) {
            const auto [row, number] = path.back();
            if (edge[row] < a.rowPtr[row + 1]) {
                const std::int32_t next = a.col[edge[row]++];
                if (low[next] == notSeen) {
                    enter(next);
                } else if (low[next] != settled) {
                    low[row] = std::min(low[row], low[next]);
                }
                continue;
            }
            path.pop_back();
            const std::int32_t lowest = low[row];
            if (lowest == number) { // Nothing above it on the stack reaches further back.
                ++components;
                std::int32_t part = 0;
                do {
                    part = parts.back();
                    parts.pop_back();
                    low[part] = settled;
                } while (part != row);
            } else {
                low[path.back().row] = std::min(low[path.back().row], lowest);
            }
        }
    }
    return components;
}

} // namespace

std::string_view structureOf(const MatrixFeatures& features)
{
    return features.rows != features.cols  ? "rectangular"
           : features.valueSymmetry == 1   ? "symmetric"
           : features.patternSymmetry == 1 ? "symmetric pattern"
                                           : "unsymmetric";
}

MatrixFeatures computeFeatures(const Csr& matrix, std::int64_t denseColumns)
{
    MatrixFeatures f;
    f.rows = matrix.rows;
    f.cols = matrix.cols;
    f.nnz = matrix.nnz();
    f.denseColumns = denseColumns;
    f.density = ratio(static_cast<double>(f.nnz), static_cast<double>(f.rows) * static_cast<double>(f.cols));
    lengthFeatures(matrix, f);
    diagonalFeatures(matrix, f);
    blockFeatures(matrix, f);
    symmetryFeatures(matrix, f);
    if (matrix.rows == matrix.cols && matrix.rows + matrix.nnz() <= mostForStrongComponents) {
        f.strongComponents = strongComponents(matrix);
    }
    return f;
}

} // namespace sparserl

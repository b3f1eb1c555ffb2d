// SPDX-License-Identifier: Apache-2.0
#include "matrix/reorder.h"

#include "base/interruption.h"
#include "base/rng.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace sparserl {

namespace {

constexpr std::array<std::string_view, 4> orderNames{"as-is", "longest-first", "cuthill-mckee", "shuffled"};

/// Neighbour lists of A + A^T without the diagonal.
struct Graph
{
    std::vector<std::int64_t> start;
    std::vector<std::int32_t> to;

    explicit Graph(const CsrView& a)
        : start(static_cast<std::size_t>(a.rows) + 1, 0)
    {
        const auto each = [&a](auto&& visit) {
            for (std::int32_t r = 0; r < a.rows; ++r) {
                for (std::int32_t k = a.rowPtr[r]; k < a.rowPtr[r + 1]; ++k) {
                    if (a.col[k] != r) {
                        visit(r, a.col[k]);
                    }
                }
            }
        };
        each([this](std::int32_t r, std::int32_t c) {
            ++start[r + 1];
            ++start[c + 1];
        });
        std::partial_sum(start.begin(), start.end(), start.begin());
        to.resize(static_cast<std::size_t>(start.back()));
        auto next = start;
        each([&](std::int32_t r, std::int32_t c) {
            to[next[r]++] = c;
            to[next[c]++] = r;
        });
        // An entry with its mirror gives each neighbour twice.
        std::int64_t kept = 0;
        std::int64_t begin = 0;
        for (std::int32_t v = 0; v < a.rows; ++v) {
            const std::int64_t end = start[v + 1];
            std::sort(to.begin() + begin, to.begin() + end);
            const auto last = std::unique(to.begin() + begin, to.begin() + end);
            const std::int64_t count = last - (to.begin() + begin);
            std::copy(to.begin() + begin, last, to.begin() + kept);
            kept += count;
            begin = end;
            start[v + 1] = kept;
        }
        to.resize(static_cast<std::size_t>(kept));
    }
    std::int64_t degree(std::int32_t v) const { return start[v + 1] - start[v]; }
};

/// Breadth-first search that remembers which vertices belong to which search, so that it need not clear
/// marks.
class Search
{
public:
    Search(const Graph& graph, const CancelToken& cancel)
        : m_graph(graph)
        , m_cancel(cancel)
        , m_mark(graph.start.size() - 1, 0)
    {
    }
    /// Vertices reached from `root`, level by level, neighbours by ascending degree; not all of them where it
    /// was cancelled. Returns the number of levels.
    int run(std::int32_t root, std::vector<std::int32_t>& reached, std::size_t& lastLevel)
    {
        ++m_number;
        reached.assign(1, root);
        m_mark[root] = m_number;
        lastLevel = 0;
        int levels = 1;
        std::size_t levelEnd = 1;
        for (std::size_t i = 0; i < reached.size(); ++i) {
            if (i % 4096 == 0 && m_cancel.cancelled()) {
                break;
            }
            if (i == levelEnd) {
                ++levels;
                lastLevel = levelEnd;
                levelEnd = reached.size();
            }
            const std::size_t first = reached.size();
            for (std::int64_t k = m_graph.start[reached[i]]; k < m_graph.start[reached[i] + 1]; ++k) {
                const std::int32_t neighbour = m_graph.to[k];
                if (m_mark[neighbour] != m_number) {
                    m_mark[neighbour] = m_number;
                    reached.push_back(neighbour);
                }
            }
            std::stable_sort(
                reached.begin() + static_cast<std::ptrdiff_t>(first), reached.end(),
                [this](std::int32_t a, std::int32_t b) { return m_graph.degree(a) < m_graph.degree(b); });
        }
        return levels;
    }

private:
    const Graph& m_graph;
    const CancelToken& m_cancel;
    std::vector<std::int32_t> m_mark;
    std::int32_t m_number = 0;
};

bool isPermutation(std::span<const std::int32_t> order, std::int32_t size)
{
    std::vector<bool> seen(static_cast<std::size_t>(size), false);
    for (const std::int32_t index : order) {
        if (index < 0 || index >= size || seen[index]) {
            return false;
        }
        seen[index] = true;
    }
    return order.size() == static_cast<std::size_t>(size);
}

} // namespace

namespace {

Order asItIs(std::int32_t size)
{
    Order order(static_cast<std::size_t>(size));
    std::iota(order.begin(), order.end(), 0);
    return order;
}

} // namespace

Order reverseCuthillMcKee(const CsrView& matrix, const CancelToken& cancel)
{
    Order order;
    if (matrix.rows != matrix.cols) {
        return asItIs(matrix.rows);
    }
    const Graph graph(matrix);
    Search search(graph, cancel);
    std::vector<bool> done(static_cast<std::size_t>(matrix.rows), false);
    std::vector<std::int32_t> reached;
    std::vector<std::int32_t> further;
    order.reserve(done.size());
    for (std::int32_t seed = 0; seed < matrix.rows; ++seed) {
        if (done[seed]) {
            continue;
        }
        std::int32_t root = seed;
        std::size_t lastLevel = 0;
        int levels = search.run(root, reached, lastLevel);
        for (;;) {
            // The thinnest vertex of the last level may see a longer way through the component.
            const std::int32_t candidate = *std::min_element(
                reached.begin() + static_cast<std::ptrdiff_t>(lastLevel), reached.end(),
                [&](std::int32_t a, std::int32_t b) { return graph.degree(a) < graph.degree(b); });
            std::size_t candidateLast = 0;
            const int candidateLevels = search.run(candidate, further, candidateLast);
            if (candidateLevels <= levels || cancel.cancelled()) {
                break;
            }
            root = candidate;
            levels = candidateLevels;
            lastLevel = candidateLast;
            std::swap(reached, further);
        }
        if (cancel.cancelled()) {
            return asItIs(matrix.rows);
        }
        for (const std::int32_t vertex : reached) {
            done[vertex] = true;
            order.push_back(vertex);
        }
    }
    std::reverse(order.begin(), order.end());
    return order;
}

Order longestRowsFirst(const CsrView& matrix)
{
    Order order = asItIs(matrix.rows);
    std::stable_sort(order.begin(), order.end(), [&matrix](std::int32_t a, std::int32_t b) {
        return matrix.rowLength(a) > matrix.rowLength(b);
    });
    return order;
}

namespace {

Csr copyOf(const CsrView& matrix)
{
    Csr out;
    out.rows = matrix.rows;
    out.cols = matrix.cols;
    if (!matrix.rowPtr.empty()) {
        out.rowPtr.assign(matrix.rowPtr.begin(), matrix.rowPtr.end());
    }
    out.col.assign(matrix.col.begin(), matrix.col.end());
    out.val.assign(matrix.val.begin(), matrix.val.end());
    return out;
}

} // namespace

namespace {

/// The pattern in another order; `moved` is told of the number that each entry had, in the new order.
template <typename Moved>
Csr patternInOrder(const CsrView& matrix, std::span<const std::int32_t> rows,
                   std::span<const std::int32_t> columns, const Moved& moved)
{
    std::vector<std::int32_t> newColumn(static_cast<std::size_t>(matrix.cols));
    std::iota(newColumn.begin(), newColumn.end(), 0);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        newColumn[columns[i]] = static_cast<std::int32_t>(i);
    }
    Csr out;
    out.rows = matrix.rows;
    out.cols = matrix.cols;
    out.rowPtr.reserve(matrix.rowPtr.size());
    out.col.reserve(matrix.col.size());
    std::vector<std::pair<std::int32_t, std::int32_t>> row; // columns, numbers of entries
    for (std::int32_t i = 0; i < matrix.rows; ++i) {
        const std::int32_t r = rows.empty() ? i : rows[i];
        row.clear();
        for (std::int32_t k = matrix.rowPtr[r]; k < matrix.rowPtr[r + 1]; ++k) {
            row.emplace_back(newColumn[matrix.col[k]], k);
        }
        std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
        for (const auto& [column, entry] : row) {
            out.col.push_back(column);
            moved(entry);
        }
        out.rowPtr.push_back(static_cast<std::int32_t>(out.col.size()));
    }
    return out;
}

} // namespace

Csr reordered(const CsrView& matrix, std::span<const std::int32_t> rows,
              std::span<const std::int32_t> columns)
{
    if ((!rows.empty() && !isPermutation(rows, matrix.rows)) ||
        (!columns.empty() && !isPermutation(columns, matrix.cols))) {
        return copyOf(matrix); // A programming error; the matrix as it is stays a valid one.
    }
    std::vector<float> val;
    val.reserve(matrix.val.size());
    Csr out =
        patternInOrder(matrix, rows, columns, [&](std::int32_t entry) { val.push_back(matrix.val[entry]); });
    out.val = std::move(val);
    return out;
}

std::string_view nameOf(MatrixOrder order)
{
    return orderNames[static_cast<std::size_t>(order)];
}

std::optional<MatrixOrder> matrixOrderFromName(std::string_view name)
{
    const auto found = std::find(orderNames.begin(), orderNames.end(), name);
    if (found == orderNames.end())
        return std::nullopt;
    return static_cast<MatrixOrder>(found - orderNames.begin());
}

RowsAndColumns ordersFor(const CsrView& matrix, MatrixOrder order, std::uint64_t seed,
                         const CancelToken& cancel)
{
    RowsAndColumns out;
    switch (order) {
    case MatrixOrder::AsIs:
        break;
    case MatrixOrder::LongestFirst:
        out.rows = longestRowsFirst(matrix);
        break;
    case MatrixOrder::CuthillMcKee:
        if (matrix.rows == matrix.cols)
            out.columns = out.rows = reverseCuthillMcKee(matrix, cancel);
        break;
    case MatrixOrder::Shuffled: {
        const Rng root(seed);
        const auto shuffled = [](std::int32_t count, Rng rng) {
            Order values(static_cast<std::size_t>(count));
            std::iota(values.begin(), values.end(), 0);
            for (std::size_t i = values.size(); i > 1; --i)
                std::swap(values[i - 1], values[rng.below(i)]);
            return values;
        };
        out.rows = shuffled(matrix.rows, root.derive("rows"));
        out.columns = shuffled(matrix.cols, root.derive("columns"));
        break;
    }
    }
    return out;
}

Csr inOrder(const Csr& matrix, MatrixOrder order, std::uint64_t seed)
{
    const auto orders = ordersFor(matrix, order, seed);
    if (orders.rows.empty() && orders.columns.empty())
        return matrix;
    Csr out = reordered(matrix, orders.rows, orders.columns);
    if (!matrix.val64.empty()) // What floats cannot hold moves with them.
        patternInOrder(matrix, orders.rows, orders.columns,
                       [&](std::int32_t entry) { out.val64.push_back(matrix.val64[entry]); });
    return out;
}

Result<ReorderedMatrix> reorder(const CsrView& matrix, MatrixOrder by, const CancelToken& cancel)
{
    if (by == MatrixOrder::CuthillMcKee && matrix.rows != matrix.cols)
        return fail("the Cuthill-McKee order exists for square matrices only", "Choose another order");
    if (matrix.nnz() > mostReordered)
        return fail(fmt::format("matrices with more than {} million non-zeros are not reordered here",
                                mostReordered / 1'000'000),
                    "Look at a smaller matrix of the same kind");
    const auto inside = [&matrix](std::int32_t column) { return column >= 0 && column < matrix.cols; };
    if (!std::all_of(matrix.col.begin(), matrix.col.end(), inside)) // a mapped file is not checked before
        return fail("this matrix file is damaged: its indices contradict each other",
                    "Remove it from the cache and import the matrix again");
    ReorderedMatrix out;
    static_cast<RowsAndColumns&>(out) = ordersFor(matrix, by, 1, cancel);
    if (cancel.cancelled())
        return fail(interruption());
    out.matrix = reordered(matrix, out.rows, out.columns);
    return out;
}

} // namespace sparserl

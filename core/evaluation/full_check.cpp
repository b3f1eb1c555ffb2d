// SPDX-License-Identifier: Apache-2.0
#include "evaluation/full_check.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace sparserl {

namespace {

constexpr std::int64_t sampledShare = 4; ///< Rows of a matrix make up this part of what is simulated whole.
constexpr std::size_t longestRows = 8;
constexpr std::int32_t neighbours = 256;

} // namespace

std::int64_t simulationWork(const Csr& matrix, std::int64_t columns)
{
    return matrix.nnz() * std::max<std::int64_t>(1, columns / 4);
}

Csr sampledRows(const Csr& matrix, std::int64_t entries, Rng& rng)
{
    std::map<std::int32_t, std::int32_t> kept; // Length by row.
    std::int64_t left = entries;
    const auto take = [&](std::int32_t row, std::int64_t most) {
        const std::int64_t length = std::min<std::int64_t>(matrix.rowLength(row), most);
        if (kept.contains(row) || length > left)
            return false;
        kept.emplace(row, static_cast<std::int32_t>(length));
        left -= length;
        return true;
    };
    if (matrix.rows > 0) {
        std::vector<std::int32_t> order(static_cast<std::size_t>(matrix.rows));
        std::iota(order.begin(), order.end(), 0);
        const auto longest = order.begin() + static_cast<std::ptrdiff_t>(std::min(longestRows, order.size()));
        std::partial_sort(order.begin(), longest, order.end(), [&](std::int32_t a, std::int32_t b) {
            return std::pair(-matrix.rowLength(a), a) < std::pair(-matrix.rowLength(b), b);
        });
        for (auto row = order.begin(); row != longest; ++row)
            take(*row, std::max<std::int64_t>(1, left / 2));
        take(0, matrix.rowLength(0));
        take(matrix.rows - 1, matrix.rowLength(matrix.rows - 1));
        // As many runs as would give every row once; those that meet taken rows or no room end.
        for (std::int32_t runs = matrix.rows / neighbours + 1; runs > 0 && left > 0; --runs) {
            auto row = static_cast<std::int32_t>(rng.below(static_cast<std::uint64_t>(matrix.rows)));
            for (std::int32_t i = 0; i < neighbours && row < matrix.rows && take(row, matrix.rowLength(row));
                 ++i)
                ++row;
        }
    }
    std::vector<std::int32_t> place(static_cast<std::size_t>(matrix.cols), -1);
    for (const auto& [row, length] : kept) {
        const auto first = matrix.col.begin() + matrix.rowPtr[static_cast<std::size_t>(row)];
        for (auto column = first; column != first + length; ++column)
            place[static_cast<std::size_t>(*column)] = 0;
    }
    Csr out;
    out.rows = static_cast<std::int32_t>(kept.size());
    for (std::size_t column = 0; column < place.size(); ++column)
        if (place[column] == 0 || column / neighbours % 2 == 0)
            place[column] = out.cols++;
    for (const auto& [row, length] : kept) {
        const auto first = matrix.col.begin() + matrix.rowPtr[static_cast<std::size_t>(row)];
        for (auto column = first; column != first + length; ++column)
            out.col.push_back(place[static_cast<std::size_t>(*column)]);
        out.rowPtr.push_back(static_cast<std::int32_t>(out.col.size()));
    }
    out.val.assign(out.col.size(), 1.0f);
    return out;
}

Status addFullCheck(CasePlan& cases, const Simulation& simulation, const TargetTask& task, std::uint64_t seed,
                    std::int64_t mostWork)
{
    const auto columns = task.request.denseColumns;
    const auto add = [&](const SharedMatrix& shared, const std::vector<float>& x,
                         std::shared_ptr<const Reference> expected, bool exact) {
        CaseCheck check;
        check.exact = exact;
        check.references = {std::move(expected)};
        cases.add(shared, {x}, simulation.settings(seed, Checks::All, *shared.matrix, columns),
                  std::move(check));
    };
    const Csr& matrix = *task.matrix->target().matrix;
    if (simulationWork(matrix, columns) <= mostWork) {
        const auto inputs = task.matrix->inputs(seed, columns);
        const auto kept = [&](const Reference& reference) {
            return std::shared_ptr<const Reference>(inputs, &reference);
        };
        add(task.matrix->exact(), inputs->exact, kept(inputs->exactReference), true);
        add(task.matrix->target(), inputs->first, kept(inputs->firstReference), false);
        return {};
    }
    Rng rng(seed);
    const Csr rows =
        sampledRows(matrix, mostWork / sampledShare / std::max<std::int64_t>(1, columns / 4), rng);
    const auto relative = Relative::make(task.matrix->digest() + "/rows " + std::to_string(seed), rows, rng);
    if (!relative)
        return fail(relative.error());
    const auto exact = relative->exactValues.vector(columns, rng);
    const auto wide = wideVector(relative->scaling, columns, rng);
    const auto expected = [&](const SharedMatrix& shared, const std::vector<float>& x) {
        return std::make_shared<const Reference>(reference(*shared.matrix, x, columns));
    };
    add(relative->exact, exact, expected(relative->exact, exact), true);
    add(relative->wide, wide, expected(relative->wide, wide), false);
    return {};
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "matrix/features.h"
#include "project/queries/filter_language.h"
#include "project/queries/queries.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// A filter for the matrices of a library (filter_language.h), for example "nnz > 1e5 and class = banded" or
/// "not (split = train) or fem". matrixFilterNames() lists the names that it can use. A single word is
/// searched for in a matrix's name, class, file, attribution and notes.
class MatrixFilter
{
public:
    /// Creates a filter that matches everything.
    MatrixFilter() = default;
    /// Parses a filter. The Error states the fault and the position of the character, counted from 1.
    static Result<MatrixFilter> parse(std::string_view text);

    bool empty() const { return m_tree.empty(); }
    bool matches(const MatrixRow& row, const std::optional<MatrixFeatures>& features) const;

private:
    FilterTree m_tree;
};

/// A name that filters can use, and its meaning.
struct MatrixFilterName
{
    std::string key, help;
    bool number = false;
};
const std::vector<MatrixFilterName>& matrixFilterNames();

} // namespace sparserl

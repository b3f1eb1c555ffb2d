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

/// A filter for matrices of a library: "nnz > 1e5 and class = banded", "not (split = train) or fem"
/// (filter_language.h). The names are those of matrixFilterNames(). A single word is searched for in name,
/// class, file, attribution and notes.
class MatrixFilter
{
public:
    /// Matches everything.
    MatrixFilter() = default;
    /// The Error gives the fault and its character position, from 1.
    static Result<MatrixFilter> parse(std::string_view text);

    bool empty() const { return m_tree.empty(); }
    bool matches(const MatrixRow& row, const std::optional<MatrixFeatures>& features) const;

private:
    FilterTree m_tree;
};

/// A name for filters and its meaning.
struct MatrixFilterName
{
    std::string key, help;
    bool number = false;
};
const std::vector<MatrixFilterName>& matrixFilterNames();

} // namespace sparserl

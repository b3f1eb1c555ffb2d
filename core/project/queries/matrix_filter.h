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

/// Which matrices of a library to show: "nnz > 1e5 and class = banded", "not (split = train) or fem"
/// (filter_language.h). Names are those of matrixFilterNames(). A word by itself is looked for in name,
/// class, file, attribution and notes.
class MatrixFilter
{
public:
    /// Matches everything.
    MatrixFilter() = default;
    /// The Error says what is wrong and at which character, from 1.
    static Result<MatrixFilter> parse(std::string_view text);

    bool empty() const { return m_tree.empty(); }
    bool matches(const MatrixRow& row, const std::optional<MatrixFeatures>& features) const;

private:
    FilterTree m_tree;
};

/// What a filter can ask for, and what it means.
struct MatrixFilterName
{
    std::string key, help;
    bool number = false;
};
const std::vector<MatrixFilterName>& matrixFilterNames();

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "matrix/features.h"
#include "project/queries.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sparserl {

/// Which matrices of a library to show: "nnz > 1e5 and class = banded", "not (split = train) or fem".
///
///     or:    and ("or" and)*
///     and:   not ("and"? not)*
///     not:   "not" not | "(" or ")" | NAME OP VALUE | WORD
///     OP:    = != < <= > >= ~
///
/// Names are those of matrixFilterNames(). Numbers may end in k, M, G or %. Text is equal without regard to
/// case; "banded" equals "banded/narrow", since a class may have a kind behind a slash; ~ looks for a part. A
/// WORD by itself is looked for in name, class, file, attribution and notes. Quotes hold what has spaces.
class MatrixFilter
{
public:
    /// Matches everything.
    MatrixFilter() = default;
    /// The Error says what is wrong and at which character, from 1.
    static Result<MatrixFilter> parse(std::string_view text);

    bool empty() const { return m_root == nullptr; }
    bool matches(const MatrixRow& row, const std::optional<MatrixFeatures>& features) const;

    struct Node;

private:
    std::shared_ptr<const Node> m_root;
};

/// What a filter can ask for, and what it means.
struct MatrixFilterName
{
    std::string key, help;
    bool number = false;
};
const std::vector<MatrixFilterName>& matrixFilterNames();

} // namespace sparserl

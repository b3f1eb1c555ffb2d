// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "matrix/csr.h"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace sparserl {

/// How a sibling differs from its target. A sibling is another pattern with exactly the target's numbers of
/// rows, columns and entries, and with the target's values. A program that infers the whole pattern from
/// these numbers or from a few rows is correct on the target and wrong on a sibling.
enum class SiblingKind
{
    OneColumn,   ///< One entry moves to another column of its row.
    SomeColumns, ///< One entry in a hundred and a few more move to other columns of their rows.
    NextColumn,  ///< One entry moves to the adjacent column.
    NextColumns, ///< The same for one entry in a hundred and a few more; the ends of most rows stay.
    OneRow,      ///< One entry moves to another row: two row lengths change.
    SomeRows,    ///< The same for one entry in a hundred and a few more.
    NextRow,     ///< One entry moves to the adjacent row: one row pointer changes.
    NextRows,    ///< The same for one entry in a hundred and a few more.
    Boundaries,  ///< Some rows end elsewhere, with all columns in the same order: only row pointers change.
    OneDiagonal, ///< All entries of one diagonal move to an empty diagonal; the number of diagonals stays.
    TwoRows,     ///< Two different rows are exchanged.
    RowsOfRuns,  ///< Rows are permuted within runs of 32 rows.
    RunsOfRows,  ///< Runs of 2 to 16 rows in random order: blocks of the target stay whole.
    AllRows,     ///< Rows in random order.
    Backwards,   ///< Rows and columns in reverse order.
    AllNames,    ///< The same random permutation of rows and columns of a square target: symmetry stays.
    AllColumns,  ///< A random permutation of columns: row lengths and overlaps stay.
    Anywhere,    ///< Random columns in every row: row lengths stay.
    Transposed   ///< The transposed pattern of a square target.
};
inline constexpr std::array siblingKinds{
    SiblingKind::OneColumn,  SiblingKind::SomeColumns, SiblingKind::NextColumn, SiblingKind::NextColumns,
    SiblingKind::OneRow,     SiblingKind::SomeRows,    SiblingKind::NextRow,    SiblingKind::NextRows,
    SiblingKind::Boundaries, SiblingKind::OneDiagonal, SiblingKind::TwoRows,    SiblingKind::RowsOfRuns,
    SiblingKind::RunsOfRows, SiblingKind::AllRows,     SiblingKind::Backwards,  SiblingKind::AllNames,
    SiblingKind::AllColumns, SiblingKind::Anywhere,    SiblingKind::Transposed};

/// Returns a sibling, or nullopt if the target has none of this kind: it is full, has no entries, or would
/// equal the sibling.
std::optional<Csr> sibling(const Csr& target, SiblingKind kind, Rng& rng);

/// Returns all kinds in the order in which a judgement uses them. With `every`, a change of the whole pattern
/// comes first, then a small change, then the others at random. Otherwise, the order is random.
std::vector<SiblingKind> siblingOrder(bool every, Rng& rng);

} // namespace sparserl

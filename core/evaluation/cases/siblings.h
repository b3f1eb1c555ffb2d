// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/rng.h"
#include "matrix/csr.h"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace sparserl {

/// What a sibling of a target has elsewhere: another pattern with exactly the target's numbers of rows,
/// columns and entries, and with the target's values. A program that takes these numbers, or what it reads of
/// a few rows, for the whole pattern is right on the target and wrong on a sibling.
enum class SiblingKind
{
    OneColumn,   ///< One entry is in another column of its row.
    SomeColumns, ///< One entry in a hundred, and a few, are in other columns of their rows.
    NextColumn,  ///< One entry is in the column beside its own.
    NextColumns, ///< One in a hundred, and a few, are: the ends of most rows stay.
    OneRow,      ///< One entry is in another row: two rows have other lengths.
    SomeRows,    ///< One in a hundred, and a few, are.
    NextRow,     ///< One entry is in the row beside its own: one row pointer differs.
    NextRows,    ///< One in a hundred, and a few, are.
    Boundaries,  ///< Some rows end elsewhere, with all columns in the same order: only row pointers differ.
    OneDiagonal, ///< All entries of one diagonal are on another, empty one: as many diagonals.
    TwoRows,     ///< Two rows that differ have changed places.
    RowsOfRuns,  ///< Rows have changed places within runs of 32.
    RunsOfRows,  ///< Runs of 2 to 16 rows are in a random order: blocks of the target stay whole.
    AllRows,     ///< Rows are in a random order.
    Backwards,   ///< Rows and columns are in reverse order.
    AllNames,    ///< Rows and columns of a square target have other numbers, the same ones: symmetry stays.
    AllColumns,  ///< Columns have other numbers: lengths and what rows share stay.
    Anywhere,    ///< Every row has random columns: lengths stay.
    Transposed   ///< Of a square target.
};
inline constexpr std::array siblingKinds{
    SiblingKind::OneColumn,  SiblingKind::SomeColumns, SiblingKind::NextColumn, SiblingKind::NextColumns,
    SiblingKind::OneRow,     SiblingKind::SomeRows,    SiblingKind::NextRow,    SiblingKind::NextRows,
    SiblingKind::Boundaries, SiblingKind::OneDiagonal, SiblingKind::TwoRows,    SiblingKind::RowsOfRuns,
    SiblingKind::RunsOfRows, SiblingKind::AllRows,     SiblingKind::Backwards,  SiblingKind::AllNames,
    SiblingKind::AllColumns, SiblingKind::Anywhere,    SiblingKind::Transposed};

/// Nothing where the target has no such sibling: it is full, has no entries, or is equal to it.
std::optional<Csr> sibling(const Csr& target, SiblingKind kind, Rng& rng);

/// All kinds in the order in which a judgement meets them. Where it meets every kind: first one that changes
/// the whole pattern, then one that changes little, then the rest by lot. Else all by lot, of equal weight.
std::vector<SiblingKind> siblingOrder(bool every, Rng& rng);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

class QHeaderView;
class QTableView;

namespace sparserl {

/// Keeps the titles of columns complete, even with larger text, unless the user has chosen a column's width.
/// Without this function, Qt cuts a title within a letter if the title is wider than the column's contents or
/// the remaining space.
void keepTitlesWhole(QHeaderView* header);

/// Scales the columns of a table that uses fitColumns() from line height `before` to line height `line`.
/// Returns false if the table does not use fitColumns().
bool scaleFittedColumns(QTableView* table, int line, int before);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

class QHeaderView;
class QTableView;

namespace sparserl {

/// Keeps titles whole in columns whose width nobody chose, even with larger text. Without it, Qt cuts a title
/// that is wider than its contents, or than the room that is left, within a letter.
void keepTitlesWhole(QHeaderView* header);

/// Scales the columns of a table with fitColumns() to text of another height. Returns whether it has them.
bool scaleFittedColumns(QTableView* table, int line, int before);

} // namespace sparserl

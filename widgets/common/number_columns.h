// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>

class QTableWidget;
class QTableWidgetItem;

namespace sparserl {

/// Places the titles of a table: those of columns of numbers on the right, the others on the left.
void alignTitles(QTableWidget* table, bool (*isNumber)(int column));
/// Returns a cell with a text that is placed like the title of its column. The table takes it over.
QTableWidgetItem* makeCell(const QString& text, bool isNumber);

} // namespace sparserl

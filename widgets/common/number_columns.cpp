// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/number_columns.h"

#include <QTableWidget>

namespace sparserl {

namespace {

Qt::Alignment placeOf(bool isNumber)
{
    return Qt::AlignVCenter | (isNumber ? Qt::AlignRight : Qt::AlignLeft);
}

} // namespace

void alignTitles(QTableWidget* table, bool (*isNumber)(int column))
{
    for (int column = 0; column < table->columnCount(); ++column)
        table->horizontalHeaderItem(column)->setTextAlignment(placeOf(isNumber(column)));
}

QTableWidgetItem* makeCell(const QString& text, bool isNumber)
{
    auto* cell = new QTableWidgetItem(text);
    cell->setTextAlignment(placeOf(isNumber));
    return cell;
}

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFormLayout>
#include <QLabel>
#include <QString>
#include <QWidget>

namespace sparserl {

/// Adds a row to a form. The label, whose text has the key of the field after a '&', leads to the field and
/// gives the field its accessible name. `row` holds the field if the row has more than the field.
inline void addFormRow(QFormLayout* form, const QString& text, QWidget* field, QLayout* row = nullptr)
{
    auto* label = new QLabel(text, field->parentWidget());
    label->setBuddy(field);
    field->setAccessibleName(QString(text).remove(QLatin1Char('&')));
    row ? form->addRow(label, row) : form->addRow(label, field);
}

} // namespace sparserl

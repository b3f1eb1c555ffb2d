// SPDX-License-Identifier: Apache-2.0
#include "widgets/common/unused_mnemonics.h"

#include <QAbstractItemView>
#include <QComboBox>
#include <QKeyEvent>

namespace sparserl {

bool UnusedMnemonics::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::KeyPress &&
        (qobject_cast<QComboBox*>(watched) || qobject_cast<QAbstractItemView*>(watched))) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->modifiers() == Qt::AltModifier && !key->text().isEmpty() && key->text().front().isPrint())
            return true;
    }
    return QObject::eventFilter(watched, event);
}

} // namespace sparserl

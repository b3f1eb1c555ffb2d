// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

namespace sparserl {

/// Keeps Alt+letter from choosing an entry in the list or the box that has the focus. Such a key is the
/// mnemonic of a button; while the button is disabled, Qt passes the key on as if the letter had been typed.
/// Install it on the application.
class UnusedMnemonics : public QObject
{
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCoreApplication>
#include <QString>

namespace sparserl {

/// `text` in the user's language, for functions that belong to no class with Q_OBJECT (those have a `tr` of
/// their own). `n` is the number that a plural depends on ("%n runs"). The context is what lupdate gives such
/// functions.
inline QString tr(const char* text, int n = -1)
{
    return QCoreApplication::translate("sparserl", text, nullptr, n);
}

} // namespace sparserl

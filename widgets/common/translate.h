// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCoreApplication>
#include <QString>

namespace sparserl {

/// Translates `text` to the user's language, for functions outside classes with Q_OBJECT (which have their
/// own `tr`). `n` is the number for plurals ("%n runs"). Uses lupdate's context for free functions.
inline QString tr(const char* text, int n = -1)
{
    return QCoreApplication::translate("sparserl", text, nullptr, n);
}

} // namespace sparserl

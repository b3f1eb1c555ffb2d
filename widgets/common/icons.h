// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QIcon>
#include <QString>

namespace sparserl {

/// An icon of resources/icons, drawn at any size in the text colour of the current palette. An icon stands
/// for one thing in the whole window (tst_widgets_icons); QIcon::name() tells which one it is. `tint`
/// replaces the text colour where given.
QIcon themedIcon(const QString& name, const QColor& tint = {});

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QIcon>
#include <QString>

namespace sparserl {

/// An icon from resources/icons, drawn at any size in the palette's text colour. Each icon has one meaning in
/// the whole window (tst_widgets_icons); QIcon::name() identifies it. `tint` replaces the text colour if
/// given.
QIcon themedIcon(const QString& name, const QColor& tint = {});

} // namespace sparserl

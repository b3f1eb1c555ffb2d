// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/workbench/command_palette.h"
#include "project/queries/queries.h"
#include "widgets/common/page.h"

class QMenu;

namespace sparserl {

/// A menu's title or command without the mark of its key.
QString plainText(QString text);
/// What can be done now in a menu and the menus in it, each under `where`.
std::vector<PaletteEntry> menuEntries(const QString& where, const QMenu* menu);
/// Runs by title and name, matrices by name; choosing one goes there.
std::vector<PaletteEntry> placeEntries(const std::vector<RunSummary>& runs,
                                       const std::vector<MatrixRow>& matrices,
                                       const std::function<void(const Destination&)>& go);

} // namespace sparserl

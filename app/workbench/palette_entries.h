// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/workbench/command_palette.h"
#include "project/queries/queries.h"
#include "widgets/common/page.h"

class QMenu;

namespace sparserl {

/// The title of a menu or command without the mark of its shortcut letter.
QString plainText(QString text);
/// The enabled commands of a menu and its submenus. `where`: the category of the entries.
std::vector<PaletteEntry> menuEntries(const QString& where, const QMenu* menu);
/// Entries for runs, by title and name, and for matrices, by name. Choosing an entry goes to this place.
std::vector<PaletteEntry> placeEntries(const std::vector<RunSummary>& runs,
                                       const std::vector<MatrixRow>& matrices,
                                       const std::function<void(const Destination&)>& go);

} // namespace sparserl

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/workbench/command_palette.h"
#include "project/queries/queries.h"
#include "widgets/common/page.h"

#include <QStringList>
#include <functional>

class QAction;
class QMenu;

namespace sparserl {

/// The title of a menu or command without the mark of its shortcut letter.
QString plainText(QString text);
/// Does what the command with this path of titles does, as in {"Export the curves", "For MLflow…"}.
using RunCommand = std::function<void(const QStringList& path)>;
/// The enabled commands of a menu and its submenus, each with its path below the menu, such as "Export the
/// curves > For MLflow…". `where`: the category of the entries. Choosing an entry calls `run`; if that is
/// empty, it triggers the menu's own action.
std::vector<PaletteEntry> menuEntries(const QString& where, const QMenu* menu, const RunCommand& run = {});
/// The action of a menu or one of its submenus with this path of titles; null if there is none.
QAction* actionAt(const QMenu* menu, const QStringList& path);
/// Entries for runs, by title and name, and for matrices, by name. Choosing an entry goes to this place.
std::vector<PaletteEntry> placeEntries(const std::vector<RunSummary>& runs,
                                       const std::vector<MatrixRow>& matrices,
                                       const std::function<void(const Destination&)>& go);

} // namespace sparserl

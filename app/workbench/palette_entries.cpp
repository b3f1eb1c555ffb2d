// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/palette_entries.h"

#include "widgets/common/format.h"
#include "widgets/common/translate.h"

#include <QAction>
#include <QMenu>
#include <QPointer>

namespace sparserl {

QString plainText(QString text)
{
    return text.remove(QLatin1Char('&'));
}

std::vector<PaletteEntry> menuEntries(const QString& where, const QMenu* menu)
{
    std::vector<PaletteEntry> entries;
    for (QAction* action : menu->actions()) {
        if (const QMenu* inner = action->menu())
            std::ranges::move(menuEntries(where, inner), std::back_inserter(entries));
        else if (action->isEnabled() && !action->isSeparator() && !action->text().isEmpty())
            entries.push_back({where, plainText(action->text()),
                               action->shortcut().toString(QKeySequence::NativeText),
                               [action = QPointer(action)] {
                                   if (action)
                                       action->trigger();
                               }});
    }
    return entries;
}

std::vector<PaletteEntry> placeEntries(const std::vector<RunSummary>& runs,
                                       const std::vector<MatrixRow>& matrices,
                                       const std::function<void(const Destination&)>& go)
{
    std::vector<PaletteEntry> entries;
    const auto add = [&](const QString& where, const QString& text, const Destination& place) {
        entries.push_back({where, text, {}, [go, place] { go(place); }});
    };
    for (const RunSummary& run : runs)
        add(tr("Run"), toQString(run.title.empty() ? run.name : run.title + " (" + run.name + ")"),
            {Destination::Kind::Training, toQString(run.name)});
    for (const MatrixRow& matrix : matrices)
        add(tr("Matrix"), toQString(matrix.name), {Destination::Kind::Matrix, toQString(matrix.name)});
    return entries;
}

} // namespace sparserl

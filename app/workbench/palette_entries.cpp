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

namespace {

void addEntries(std::vector<PaletteEntry>& entries, const QString& where, const QMenu* menu,
                const QStringList& above, const RunCommand& run)
{
    const auto actions = menu->actions();
    for (QAction* action : actions) {
        const QStringList path = above + QStringList(plainText(action->text()));
        if (const QMenu* inner = action->menu()) {
            addEntries(entries, where, inner, path, run);
            continue;
        }
        if (!action->isEnabled() || action->isSeparator() || action->text().isEmpty())
            continue;
        std::function<void()> choose = [action = QPointer(action)] {
            if (action)
                action->trigger();
        };
        if (run)
            choose = [run, path] { run(path); };
        entries.push_back({where, path.join(QStringLiteral(" > ")),
                           action->shortcut().toString(QKeySequence::NativeText), std::move(choose)});
    }
}

} // namespace

std::vector<PaletteEntry> menuEntries(const QString& where, const QMenu* menu, const RunCommand& run)
{
    std::vector<PaletteEntry> entries;
    addEntries(entries, where, menu, {}, run);
    return entries;
}

QAction* actionAt(const QMenu* menu, const QStringList& path)
{
    QAction* found = nullptr;
    for (const QString& title : path) {
        found = nullptr;
        const auto actions = menu ? menu->actions() : QList<QAction*>();
        for (QAction* action : actions)
            if (!found && !action->isSeparator() && plainText(action->text()) == title)
                found = action;
        menu = found ? found->menu() : nullptr;
    }
    return found;
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

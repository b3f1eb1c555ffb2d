// SPDX-License-Identifier: Apache-2.0
// The search for commands, runs and matrices.
#include "app/workbench/layout_menu.h"
#include "app/workbench/main_window.h"
#include "app/workbench/palette_entries.h"
#include "widgets/common/page.h"

#include <QMenu>
#include <QMenuBar>
#include <QPointer>
#include <QStatusBar>
#include <QTimer>
#include <memory>

namespace sparserl {

namespace {

/// Milliseconds between two looks at a page that is being read, and how many there are at most.
constexpr int lookAgain = 40, mostLooks = 125;

} // namespace

void MainWindow::showPalette()
{
    fillRecent();
    m_layouts->fill();
    std::vector<PaletteEntry> entries;
    const auto add = [&entries](std::vector<PaletteEntry> more) {
        std::ranges::move(more, std::back_inserter(entries));
    };
    for (const QAction* top : menuBar()->actions())
        if (top->menu() && top->menu() != m_pageMenu)
            add(menuEntries(plainText(top->menu()->title()), top->menu()));
    const auto addPageCommands = [&](int page) {
        QMenu menu; // the page's own is that of the page in front
        m_pages[page]->fillMenu(&menu);
        add(menuEntries(m_pages[page]->title(), &menu,
                        [this, page](const QStringList& path) { runPageCommand(page, path); }));
    };
    if (m_session) {
        addPageCommands(m_current); // of two that match alike, the one at hand is first
        for (int page = 0; page < pageCount(); ++page)
            if (page != m_current)
                addPageCommands(page);
    }
    auto* palette = new CommandPalette(std::move(entries), this);
    palette->open();
    if (!m_session)
        return;
    using Names = std::pair<std::vector<RunSummary>, std::vector<MatrixRow>>;
    m_session->query<Names>(
        m_names,
        [](ProjectReader& reader) -> Result<Names> {
            SPARSERL_TRY(auto runs, reader.runs());
            SPARSERL_TRY(auto matrices, reader.matrices());
            return Names(std::move(runs), std::move(matrices));
        },
        [this, palette = QPointer(palette)](Result<Names> names) {
            if (palette && names) // without them the commands are there all the same
                palette->add(placeEntries(names->first, names->second,
                                          [this](const Destination& place) { go(place); }));
        });
}

void MainWindow::runPageCommand(int page, const QStringList& path)
{
    if (page != m_current)
        showPage(page);
    // Most commands are about what is selected, and a page that was not shown before selects it when it has
    // been read.
    auto* wait = new QTimer(this);
    connect(wait, &QTimer::timeout, this, [this, wait, page, path, looks = 0]() mutable {
        const bool there = m_session && page == m_current;
        if (there && (!m_pages[page]->isRead() || busy()) && ++looks < mostLooks)
            return;
        wait->deleteLater();
        wait->stop();
        if (!there) // the user has gone on
            return;
        if (QAction* action = actionAt(m_pageMenu, path); action && action->isEnabled())
            action->trigger();
        else
            statusBar()->showMessage(tr("“%1” is not possible on the %2 page now.")
                                         .arg(path.join(QStringLiteral(" > ")), m_pages[page]->title()),
                                     8000);
    });
    wait->start(m_pages[page]->isRead() && !busy() ? 0 : lookAgain);
}

void MainWindow::sayIfNothingIsSelected(const QAction* action)
{
    const Page* page = m_pages[m_current];
    if (m_session && Page::needsSelection(action) && !page->hasSelection())
        statusBar()->showMessage(tr("“%1” is not possible now: nothing is selected on the %2 page.")
                                     .arg(plainText(action->text()).remove(QChar(0x2026)), page->title()),
                                 8000);
}

} // namespace sparserl

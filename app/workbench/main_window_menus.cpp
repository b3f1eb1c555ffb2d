// SPDX-License-Identifier: Apache-2.0
// The menus of the main window: what stands in them and what they follow. What they do is in main_window.cpp.
#include "app/workbench/endpoints_dialog.h"
#include "app/workbench/layout_menu.h"
#include "app/workbench/layouts.h"
#include "app/workbench/main_window.h"
#include "app/workbench/model_dialog.h"
#include "app/workbench/policies_dialog.h"
#include "app/workbench/task_strip.h"
#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/common/open_folder.h"
#include "widgets/common/page.h"

#include <QActionGroup>
#include <QMenuBar>
#include <QStatusBar>
#include <QToolButton>

namespace sparserl {

void MainWindow::makeMenus()
{
    QMenu* file = menuBar()->addMenu(tr("&File"));
    file->addAction(tr("&Open project…"), QKeySequence::Open, this, &MainWindow::chooseProject);
    file->addAction(tr("&New project…"), QKeySequence::New, this, &MainWindow::newProject);
    m_recent = file->addMenu(tr("Open &recent"));
    connect(m_recent, &QMenu::aboutToShow, this, &MainWindow::fillRecent);
    file->addAction(tr("&Close project"), QKeySequence::Close, this, &MainWindow::closeProject);
    file->addSeparator();
    file->addAction(tr("Show the project &folder"), this, [this] {
        if (m_session)
            if (const QString problem = openFolder(m_session->path()); !problem.isEmpty())
                reportProblem(problem);
    });
    file->addAction(tr("&Import a model…"), this, [this] {
        auto* dialog = new ModelDialog(m_session ? m_session->path() : std::filesystem::path(), this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->open();
    });
    file->addAction(tr("&Policies…"), this, [this] {
        if (!m_session)
            return;
        auto* dialog = new PoliciesDialog(m_session.get(), this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->open();
    });
    file->addAction(tr("Run the project's &job"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R), this,
                    &MainWindow::runJob);
    file->addSeparator();
    file->addAction(tr("&Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q), this, &QWidget::close);
    makeEditMenu();
    makeViewMenu();
    auto* palette = new QAction(tr("&Commands…"), this);
    palette->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P));
    connect(palette, &QAction::triggered, this, &MainWindow::showPalette);
    m_pageMenu = menuBar()->addMenu(tr("&Page"));
    connect(m_pageMenu, &QMenu::triggered, this, &MainWindow::sayIfNothingIsSelected);
    QMenu* help = menuBar()->addMenu(tr("&Help"));
    help->addAction(palette);
    help->addAction(tr("&What this machine can do…"), QKeySequence(Qt::Key_F1), this, &MainWindow::showAbout);
    help->addAction(tr("&About SparseRL Workbench…"), this, &MainWindow::showAbout);
}

void MainWindow::makeEditMenu()
{
    QMenu* edit = menuBar()->addMenu(tr("&Edit"));
    m_undo = edit->addAction(tr("&Undo"), QKeySequence::Undo, this, [this] { stepBack(true); });
    m_redo = edit->addAction(tr("&Redo"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Z), this,
                             [this] { stepBack(false); });
    edit->addSeparator();
    edit->addAction(tr("Models on ser&vers…"), this, [this] {
        auto* dialog = new EndpointsDialog(this);
        dialog->setAttribute(Qt::WA_DeleteOnClose);
        dialog->open();
    });
    edit->addAction(tr("&Settings…"), QKeySequence(Qt::CTRL | Qt::Key_Comma), this,
                    &MainWindow::showSettings);
    followUndoStack();
}

void MainWindow::stepBack(bool undo)
{
    QUndoStack* stack = m_session->undoStack();
    const QString what = undo ? stack->undoText() : stack->redoText();
    undo ? stack->undo() : stack->redo();
    const QString sentence = undo ? tr("Undone: %1.").arg(what) : tr("Redone: %1.").arg(what);
    m_session->onceWritten(this, [this, sentence] { statusBar()->showMessage(sentence, 8000); });
}

void MainWindow::followUndoStack()
{
    const QUndoStack* stack = m_session ? m_session->undoStack() : nullptr;
    const auto show = [](QAction* action, bool can, const QString& name, const QString& what) {
        action->setEnabled(can);
        action->setText(
            can ? tr("%1: %2").arg(name, QString(what).replace(QLatin1Char('&'), QStringLiteral("&&")))
                : name);
    };
    show(m_undo, stack && stack->canUndo(), tr("&Undo"), stack ? stack->undoText() : QString());
    show(m_redo, stack && stack->canRedo(), tr("&Redo"), stack ? stack->redoText() : QString());
}

void MainWindow::makeViewMenu()
{
    QMenu* view = menuBar()->addMenu(tr("&View"));
    for (int i = 0; i < pageCount(); ++i)
        view->addAction(themedIcon(m_pages[i]->iconName()), m_pages[i]->title(),
                        QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + i)), this,
                        [this, i] { showPage(i); });
    view->addSeparator();
    QMenu* themes = view->addMenu(tr("&Theme"));
    auto* group = new QActionGroup(themes);
    const std::pair<QString, ThemeChoice> choices[] = {{tr("&As the desktop"), ThemeChoice::System},
                                                       {tr("&Light"), ThemeChoice::Light},
                                                       {tr("&Dark"), ThemeChoice::Dark}};
    for (const auto& [text, choice] : choices) {
        QAction* action = themes->addAction(text, this, [this, c = choice] { setTheme(c); });
        action->setCheckable(true);
        action->setChecked(m_settings.theme() == choice);
        group->addAction(action);
        m_themes.append(action);
    }
    view->addAction(tr("Tas&ks"), QKeySequence(Qt::CTRL | Qt::Key_J), m_taskStrip->button(),
                    &QToolButton::click);
    view->addAction(tr("&Full screen"), QKeySequence(Qt::Key_F11), this,
                    [this] { isFullScreen() ? showNormal() : showFullScreen(); });
    view->addAction(tr("&Refresh"), QKeySequence(Qt::Key_F5), this, [this] {
        if (m_session)
            m_session->updateNow();
    });
    m_layouts = makeLayoutMenu(view);
    view->addMenu(m_layouts);
    view->addAction(tr("Reset &layout"), this, &MainWindow::resetLayout);
}

LayoutMenu* MainWindow::makeLayoutMenu(QWidget* parent)
{
    LayoutHooks hooks;
    hooks.capture = [this] { return captureLayout(*this, m_pages, pageKey(m_current)); };
    hooks.apply = [this](const QVariantMap& layout) {
        showPage(applyLayout(*this, m_pages, layout, m_session != nullptr));
    };
    hooks.undoStack = [this] { return m_session ? m_session->undoStack() : nullptr; };
    hooks.tell = [this](const QString& sentence) { statusBar()->showMessage(sentence, 8000); };
    return new LayoutMenu(m_settings, std::move(hooks), parent);
}

void MainWindow::fillRecent()
{
    m_recent->clear();
    for (const QString& path : m_settings.recentProjects())
        m_recent->addAction(path, this, [this, path] { openProject(path); });
    if (m_recent->isEmpty())
        m_recent->addAction(tr("No project was opened before"))->setEnabled(false);
}

} // namespace sparserl

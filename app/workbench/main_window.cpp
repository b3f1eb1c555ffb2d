// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/main_window.h"

#include "app/workbench/capabilities_dialog.h"
#include "app/workbench/layout_menu.h"
#include "app/workbench/layouts.h"
#include "app/workbench/live_runs.h"
#include "app/workbench/nav_bar.h"
#include "app/workbench/project_job_task.h"
#include "app/workbench/quickstart.h"
#include "app/workbench/settings_dialog.h"
#include "app/workbench/start_page.h"
#include "app/workbench/status_bar.h"
#include "app/workbench/task_panel.h"
#include "app/workbench/task_strip.h"
#include "base/free_name.h"
#include "widgets/common/format.h"
#include "widgets/common/new_file.h"
#include "widgets/common/page.h"
#include "widgets/common/panels.h"
#include "widgets/common/plain_text.h"
#include "widgets/evaluation/evaluation_page.h"
#include "widgets/kernels/kernels_page.h"
#include "widgets/matrices/matrices_page.h"
#include "widgets/training/training_page.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDir>
#include <QFileDialog>
#include <QLabel>
#include <QMenuBar>
#include <QPointer>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QStatusBar>
#include <QVBoxLayout>
#include <utility>

namespace sparserl {

namespace {

constexpr int mostIndexerText = 200; ///< Pixels: messages need room beside it and the tasks.

// As narrow as the page in front allows, not as the widest of all.
class PageStack : public QStackedWidget
{
public:
    explicit PageStack(QWidget* parent)
        : QStackedWidget(parent)
    {
        connect(this, &QStackedWidget::currentChanged, this, &QWidget::updateGeometry);
    }
    QSize minimumSizeHint() const override
    {
        return currentWidget() ? currentWidget()->minimumSizeHint() : QSize();
    }
};

} // namespace

MainWindow::MainWindow(Settings& settings, QWidget* parent)
    : QMainWindow(parent)
    , m_settings(settings)
    , m_desktopFont(QApplication::font())
{
    guardTexts(*qobject_cast<QApplication*>(QCoreApplication::instance()));
    if (m_settings.preferences() != Preferences()) {
        applyFonts(m_desktopFont, m_settings.preferences());
        // A window that was never shown is not told, and what is in it would have its old font.
        QEvent changed(QEvent::ApplicationFontChange);
        QCoreApplication::sendEvent(this, &changed);
    }
    setObjectName(QStringLiteral("MainWindow"));
    setWindowIcon(QIcon(QStringLiteral(":/workbench.svg")));
    resize(1360, 860);

    auto* centre = new QWidget(this);
    auto* across = new QHBoxLayout(centre);
    across->setContentsMargins(0, 0, 0, 0);
    across->setSpacing(0);
    m_nav = new NavBar(centre);
    across->addWidget(m_nav);
    auto* column = new QVBoxLayout;
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto* barHolder = new QVBoxLayout;
    barHolder->setContentsMargins(12, 8, 12, 0);
    m_message = new MessageBar(centre);
    barHolder->addWidget(m_message);
    m_trust = new MessageBar(centre);
    m_trust->setObjectName(QStringLiteral("trust"));
    m_trust->hide();
    barHolder->addWidget(m_trust);
    column->addLayout(barHolder);
    m_stack = new PageStack(centre);
    column->addWidget(m_stack, 1);
    across->addLayout(column, 1);
    setCentralWidget(centre);

    m_start = new StartPage(m_stack);
    connect(m_start, &StartPage::quickstartWanted, this, &MainWindow::tryQuickstart);
    connect(m_start, &StartPage::newWanted, this, &MainWindow::newProject);
    connect(m_start, &StartPage::openWanted, this, &MainWindow::chooseProject);
    connect(m_start, &StartPage::projectWanted, this, &MainWindow::openProject);
    connect(m_start, &StartPage::forgetWanted, this, [this](const QString& path) {
        m_settings.removeRecentProject(path);
        m_start->setRecent(m_settings.recentProjects());
    });
    m_start->setRecent(m_settings.recentProjects());
    m_stack->addWidget(m_start);

    addPage(new MatricesPage(m_stack));
    addPage(new TrainingPage(m_stack));
    addPage(new KernelsPage(m_stack));
    addPage(new EvaluationPage(m_stack));
    connect(m_nav, &NavBar::currentChanged, this, qOverload<int>(&MainWindow::showPage));

    makeStatusBar();
    makeMenus();

    m_firstLayout = captureLayout(*this, m_pages, pageKey(0));
    if (m_settings.preferences().rememberLayout) {
        restoreGeometry(m_settings.geometry());
        applyLayout(*this, m_pages, m_settings.lastLayout(), false); // columns and charts are a project's
    }
    if (!showPage(m_settings.page()))
        showPage(0);
    updateTitle();
}

MainWindow::~MainWindow()
{
    closeProject();
    applyFonts(m_desktopFont, {});
}

void MainWindow::makeStatusBar()
{
    setStatusBar(new StatusBar(this));
    m_job = new ProjectJobTask(this);
    connect(m_job, &ProjectJobTask::problem, this, &MainWindow::reportProblem);
    connect(m_job, &ProjectJobTask::started, this, [this] {
        if (std::exchange(m_showsJobEnd, false)) // that of the job before
            m_message->hide();
        showPage(QStringLiteral("training"));
    });
    connect(m_job, &ProjectJobTask::ended, this, [this](const QString& last, bool failed) {
        if (failed)
            m_message->showMessage(MessageBar::Level::Problem,
                                   tr("The job has ended. Its last message: %1").arg(last));
        else
            m_message->showMessage(MessageBar::Level::Info, tr("The job has ended. %1").arg(last));
        m_showsJobEnd = true;
        if (m_session)
            m_session->updateNow();
    });
    m_taskPanel = new TaskPanel(this);
    addDockWidget(Qt::BottomDockWidgetArea, m_taskPanel);
    m_taskPanel->hide();
    m_taskStrip = new TaskStrip(this);
    connect(m_taskStrip, &TaskStrip::listAsked, this,
            [this] { m_taskPanel->isVisible() ? m_taskPanel->hide() : m_taskPanel->reveal(); });
    m_indexer = makeMuted({}, this);
    letShrink(m_indexer);
    m_indexer->setMaximumWidth(mostIndexerText);
    statusBar()->addPermanentWidget(m_indexer);
    statusBar()->addPermanentWidget(m_taskStrip);
    statusBar()->setSizeGripEnabled(false);
}

void MainWindow::addPage(Page* page)
{
    m_pages.push_back(page);
    m_stack->addWidget(page);
    m_nav->addPage(page->iconName(), page->title());
    connect(page, &Page::problem, this, &MainWindow::reportProblem);
    connect(page, &Page::viewStateChanged, this, [this, page](const QStringList& state) {
        if (m_session)
            m_settings.setProjectState(projectPath(), page->objectName(), state);
    });
    connect(page, &Page::statusMessage, this,
            [this](const QString& text) { statusBar()->showMessage(text, 8000); });
    connect(page, &Page::navigate, this, &MainWindow::go);
}

void MainWindow::go(const Destination& place)
{
    if (place.kind == Destination::Kind::Project) {
        openProject(place.key);
        return;
    }
    showPage(place.page());
    if (Page* target = page(place.page()))
        target->go(place);
}

QString MainWindow::pageKey(int index) const
{
    return m_pages[index]->objectName();
}

Page* MainWindow::page(const QString& key) const
{
    for (Page* page : m_pages)
        if (page->objectName() == key)
            return page;
    return nullptr;
}

void MainWindow::showPage(int index)
{
    m_current = index;
    m_nav->setCurrent(m_session ? index : -1);
    m_stack->setCurrentWidget(m_session ? static_cast<QWidget*>(m_pages[index]) : m_start);
    if (m_pageMenu) {
        m_pageMenu->clear();
        m_pageMenu->setTitle(m_pages[index]->menuTitle());
        m_pages[index]->fillMenu(m_pageMenu);
        m_pageMenu->menuAction()->setVisible(m_session && !m_pageMenu->isEmpty());
    }
}

bool MainWindow::showPage(const QString& key)
{
    for (int i = 0; i < pageCount(); ++i) {
        if (pageKey(i) == key) {
            showPage(i);
            return true;
        }
    }
    return false;
}

bool MainWindow::busy() const
{
    return m_session && m_session->busy();
}

void MainWindow::resetLayout()
{
    m_settings.resetLayout();
    applyLayout(*this, m_pages, m_firstLayout, m_session != nullptr);
    statusBar()->showMessage(tr("The window is arranged as at its first start."), 8000);
}

void MainWindow::showSettings()
{
    auto* dialog = new SettingsDialog(m_settings, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &SettingsDialog::themeChosen, this, &MainWindow::setTheme);
    connect(dialog, &SettingsDialog::preferencesChanged, this, &MainWindow::applyPreferences);
    connect(dialog, &SettingsDialog::layoutResetAsked, this, &MainWindow::resetLayout);
    dialog->open();
}

void MainWindow::applyPreferences()
{
    const Preferences now = m_settings.preferences();
    if (m_session) {
        m_session->setPreferences(now);
        setExportsFolder(this, now.exportFolder, m_session->path());
    }
    const QFont text = QApplication::font(), code = codeFont();
    applyFonts(m_desktopFont, now);
    if (QApplication::font() != text || codeFont() != code || Theme::of(this).curves != now.curves)
        setTheme(m_settings.theme()); // widgets with a font of their own take it from the theme again
}

void MainWindow::keepSelection()
{
    QStringList keys;
    for (const Page* page : m_pages)
        keys.append(page->selectedKey());
    m_settings.setProjectState(projectPath(), QStringLiteral("selection"), keys);
}

void MainWindow::setTheme(ThemeChoice choice)
{
    m_settings.setTheme(choice);
    m_themes[static_cast<int>(choice)]->setChecked(true);
    applyTheme(*qobject_cast<QApplication*>(QCoreApplication::instance()), choice,
               m_settings.preferences().curves);
}

bool MainWindow::openProject(const QString& path)
{
    auto session = ProjectSession::open(QDir(path).absolutePath().toStdString());
    if (!session) {
        m_settings.removeRecentProject(QDir(path).absolutePath());
        m_start->setRecent(m_settings.recentProjects());
        reportProblem(sentenceOf(session.error()));
        return false;
    }
    closeProject();
    m_session = std::move(*session);
    m_session->setPreferences(m_settings.preferences());
    setExportsFolder(this, m_settings.preferences().exportFolder, m_session->path());
    m_settings.addRecentProject(projectPath());
    connect(m_session.get(), &ProjectSession::problem, this, &MainWindow::reportProblem);
    connect(m_session.get(), &ProjectSession::problemGone, this, [this](const QString& sentence) {
        if (sentence != m_lastProblem)
            return;
        m_lastProblem.clear();
        if (m_message->level() == MessageBar::Level::Problem)
            m_message->hide();
    });
    connect(m_session.get(), &ProjectSession::indexerStateChanged, this,
            [this] { m_indexer->setText(m_session->indexerState()); });
    connect(m_session.get(), &ProjectSession::trustChanged, this, &MainWindow::showTrust);
    showTrust();
    for (Page* page : m_pages) {
        page->setSession(m_session.get());
        page->restoreViewState(m_settings.projectState(projectPath(), page->objectName()));
    }
    const QStringList selected = m_settings.projectState(projectPath(), QStringLiteral("selection"));
    for (std::size_t i = 0; i < m_pages.size(); ++i)
        if (const QString key = selected.value(static_cast<qsizetype>(i)); !key.isEmpty())
            m_pages[i]->restoreSelection(key);
    connect(m_session->undoStack(), &QUndoStack::indexChanged, this, &MainWindow::followUndoStack);
    m_job->setSession(m_session.get());
    m_taskPanel->setTasks(m_session->tasks());
    m_taskStrip->setTasks(m_session->tasks());
    followUndoStack();
    showPage(m_current);
    updateTitle();
    return true;
}

QString MainWindow::projectPath() const
{
    return m_session ? toQString(m_session->path().string()) : QString();
}

void MainWindow::closeProject()
{
    if (!m_session)
        return;
    keepSelection();
    m_names.cancel();
    m_job->setSession(nullptr);
    m_taskPanel->setTasks(nullptr);
    m_taskStrip->setTasks(nullptr);
    for (Page* page : m_pages)
        page->setSession(nullptr);
    m_session.reset();
    followUndoStack();
    m_start->setRecent(m_settings.recentProjects());
    m_indexer->clear();
    showTrust();
    // What went wrong in this project says nothing about the next.
    m_message->hide();
    m_lastProblem.clear();
    showPage(m_current);
    updateTitle();
}

void MainWindow::newProject()
{
    const QString path =
        QFileDialog::getSaveFileName(this, tr("New project: choose a folder name"), QDir::homePath(), {},
                                     nullptr, QFileDialog::ShowDirsOnly);
    if (path.isEmpty())
        return;
    auto project = Project::create(path.toStdString(), QDir(path).dirName().toStdString());
    if (!project) {
        reportProblem(sentenceOf(project.error()));
        return;
    }
    openProject(path);
    showPage(0);
}

void MainWindow::chooseProject()
{
    const QStringList recent = m_settings.recentProjects();
    const QString from =
        recent.isEmpty() ? QDir::homePath() : QDir(recent.first()).absoluteFilePath(QStringLiteral(".."));
    const QString path = QFileDialog::getExistingDirectory(this, tr("Open a project"), from);
    if (!path.isEmpty())
        openProject(path);
}

void MainWindow::tryQuickstart()
{
    const auto free = freePlace(QDir::home().filePath(QStringLiteral("sparserl-quickstart")).toStdString());
    const QString path =
        QFileDialog::getSaveFileName(this, tr("Quickstart: choose a name for its folder"),
                                     toQString(free.string()), {}, nullptr, QFileDialog::ShowDirsOnly);
    if (path.isEmpty())
        return;
    if (const auto copied = copyQuickstart(path.toStdString()); !copied) {
        reportProblem(sentenceOf(copied.error()));
        return;
    }
    if (!openProject(path))
        return;
    showPage(0);
    m_message->showMessage(
        MessageBar::Level::Info,
        tr("This is the quickstart project. Its job fine-tunes a small policy, trains "
           "it further with PPO, evaluates it on held-out matrices and exports the best kernel."));
    connect(m_message->addAction(tr("Run the job")), &QPushButton::clicked, this, [this] {
        m_message->hide();
        runJob();
    });
}

void MainWindow::runJob()
{
    if (!m_session)
        reportProblem(tr("No project is open. Open one first; its job.toml defines the job."));
    else if (m_job->isRunning())
        reportProblem(tr("This project's job is already running; the list of tasks shows its progress."));
    else
        m_job->start();
}

void MainWindow::showAbout()
{
    auto* dialog = new CapabilitiesDialog(m_session ? m_session->path() : std::filesystem::path(), this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->open();
}

void MainWindow::reportProblem(const QString& sentence)
{
    m_lastProblem = sentence;
    m_showsJobEnd = false;
    m_message->showMessage(MessageBar::Level::Problem, sentence);
}

void MainWindow::updateTitle()
{
    setWindowTitle(m_session ? tr("%1 – SparseRL Workbench").arg(visibleText(m_session->title()))
                             : tr("SparseRL Workbench"));
}

bool MainWindow::event(QEvent* event)
{
    // The desktop switched between light and dark while we follow it.
    if (event->type() == QEvent::ThemeChange && m_settings.theme() == ThemeChoice::System)
        applyTheme(*qobject_cast<QApplication*>(QCoreApplication::instance()), ThemeChoice::System,
                   m_settings.preferences().curves);
    return QMainWindow::event(event);
}

void MainWindow::closeEvent(QCloseEvent* event)
{
    if (m_session && !m_quietClose) {
        if (auto project = Project::open(m_session->path())) {
            const auto live = liveWorkers(*project);
            const QuitChoice choice = askAboutLiveRuns(live, this);
            if (choice == QuitChoice::Cancel) {
                event->ignore();
                return;
            }
            if (choice == QuitChoice::CheckpointAndStop) {
                const auto problems = checkpointAndStop(live);
                if (!problems.empty()) {
                    reportProblem(toQString(problems.front()));
                    event->ignore();
                    return;
                }
            }
        }
    }
    m_settings.setPage(pageKey(m_current));
    m_settings.setGeometry(saveGeometry());
    m_settings.setLastLayout(captureLayout(*this, m_pages, pageKey(m_current)));
    event->accept();
}

} // namespace sparserl

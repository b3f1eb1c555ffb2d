// SPDX-License-Identifier: Apache-2.0
#include "app/workbench/main_window.h"

#include "app/workbench/capabilities_dialog.h"
#include "app/workbench/command_palette.h"
#include "app/workbench/job_strip.h"
#include "app/workbench/live_runs.h"
#include "app/workbench/nav_bar.h"
#include "app/workbench/quickstart.h"
#include "app/workbench/start_page.h"
#include "widgets/common/format.h"
#include "widgets/common/icons.h"
#include "widgets/common/page.h"
#include "widgets/common/panels.h"
#include "widgets/evaluation/evaluation_page.h"
#include "widgets/kernels/kernels_page.h"
#include "widgets/matrices/matrices_page.h"
#include "widgets/training/training_page.h"

#include <QActionGroup>
#include <QApplication>
#include <QCloseEvent>
#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMenuBar>
#include <QPointer>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QStatusBar>
#include <QUrl>
#include <QVBoxLayout>
#include <functional>

namespace sparserl {

namespace {

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
{
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

    m_job = new JobStrip(this);
    connect(m_job, &JobStrip::problem, this, &MainWindow::reportProblem);
    connect(m_job, &JobStrip::started, this, [this] { showPage(QStringLiteral("training")); });
    connect(m_job, &JobStrip::ended, this, [this](const QString& last) {
        // The command line's errors begin with its name.
        const bool failed = last.startsWith(QLatin1String("sparserl: "));
        m_message->showMessage(failed ? MessageBar::Level::Problem : MessageBar::Level::Info,
                               tr("The job has ended. It said last: %1").arg(last));
        if (m_session)
            m_session->updateNow();
    });
    statusBar()->addPermanentWidget(m_job);
    m_indexer = makeMuted({}, this);
    statusBar()->addPermanentWidget(m_indexer);
    statusBar()->setSizeGripEnabled(false);
    makeMenus();

    restoreGeometry(m_settings.state(objectName()));
    for (Page* page : m_pages)
        for (QSplitter* splitter : page->findChildren<QSplitter*>())
            if (!splitter->objectName().isEmpty())
                splitter->restoreState(m_settings.state(splitter->objectName()));
    if (!showPage(m_settings.page()))
        showPage(0);
    updateTitle();
}

MainWindow::~MainWindow()
{
    closeProject();
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
    m_nav->setCurrent(index);
    m_stack->setCurrentWidget(m_session ? static_cast<QWidget*>(m_pages[index]) : m_start);
    if (m_pageMenu) {
        m_pageMenu->clear();
        m_pageMenu->setTitle(m_pages[index]->title());
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
            QDesktopServices::openUrl(QUrl::fromLocalFile(toQString(m_session->path().string())));
    });
    file->addAction(tr("Run the project's &job"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_R), this,
                    &MainWindow::runJob);
    file->addSeparator();
    file->addAction(tr("&Quit"), QKeySequence(Qt::CTRL | Qt::Key_Q), this, &QWidget::close);
    makeViewMenu();
    auto* palette = new QAction(tr("&Commands…"), this);
    palette->setShortcut(QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_P));
    connect(palette, &QAction::triggered, this, &MainWindow::showPalette);
    m_pageMenu = menuBar()->addMenu(tr("&Page"));
    QMenu* help = menuBar()->addMenu(tr("&Help"));
    help->addAction(palette);
    help->addAction(tr("&What this machine can do…"), QKeySequence(Qt::Key_F1), this, &MainWindow::showAbout);
    help->addAction(tr("&About SparseRL Workbench…"), this, &MainWindow::showAbout);
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
    }
    view->addAction(tr("&Full screen"), QKeySequence(Qt::Key_F11), this,
                    [this] { isFullScreen() ? showNormal() : showFullScreen(); });
    view->addAction(tr("&Refresh"), QKeySequence(Qt::Key_F5), this, [this] {
        if (m_session)
            m_session->updateNow();
    });
    view->addAction(tr("Reset &layout"), this, [this] {
        m_settings.resetLayout();
        statusBar()->showMessage(tr("The layout is back to its default from the next start."), 8000);
        m_quietLayout = true;
    });
}

void MainWindow::setTheme(ThemeChoice choice)
{
    m_settings.setTheme(choice);
    applyTheme(*qobject_cast<QApplication*>(QCoreApplication::instance()), choice);
}

void MainWindow::fillRecent()
{
    m_recent->clear();
    for (const QString& path : m_settings.recentProjects())
        m_recent->addAction(path, this, [this, path] { openProject(path); });
    if (m_recent->isEmpty())
        m_recent->addAction(tr("No project was opened before"))->setEnabled(false);
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
    m_settings.addRecentProject(projectPath());
    connect(m_session.get(), &ProjectSession::problem, this, &MainWindow::reportProblem);
    connect(m_session.get(), &ProjectSession::indexerStateChanged, this,
            [this] { m_indexer->setText(m_session->indexerState()); });
    for (Page* page : m_pages) {
        page->setSession(m_session.get());
        page->restoreViewState(m_settings.projectState(projectPath(), page->objectName()));
    }
    m_job->setSession(m_session.get());
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
    m_names.cancel();
    m_job->setSession(nullptr);
    for (Page* page : m_pages)
        page->setSession(nullptr);
    m_session.reset();
    m_start->setRecent(m_settings.recentProjects());
    m_indexer->clear();
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
    QString free = QDir::home().filePath(QStringLiteral("sparserl-quickstart"));
    for (int number = 2; QFileInfo::exists(free); ++number)
        free = QDir::home().filePath(QStringLiteral("sparserl-quickstart-%1").arg(number));
    const QString path = QFileDialog::getSaveFileName(this, tr("Quickstart: choose a name for its folder"),
                                                      free, {}, nullptr, QFileDialog::ShowDirsOnly);
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
        tr("This is the quickstart project. Its job fine-tunes a small policy, improves it with "
           "PPO, evaluates it on matrices held out and exports the best kernel."));
    connect(m_message->addAction(tr("Run the job")), &QPushButton::clicked, this, [this] {
        m_message->hide();
        runJob();
    });
}

void MainWindow::runJob()
{
    if (!m_session)
        reportProblem(tr("No project is open. Open one first; its job.toml says what its job is."));
    else if (m_job->isRunning())
        reportProblem(tr("This project's job is running already; the status bar says where it stands."));
    else
        m_job->start();
}

std::vector<PaletteEntry> MainWindow::paletteEntries()
{
    std::vector<PaletteEntry> entries;
    const auto plain = [](QString text) { return text.remove(QLatin1Char('&')); };
    const std::function<void(const QString&, const QMenu*)> addMenu = [&](const QString& where,
                                                                          const QMenu* menu) {
        for (QAction* action : menu->actions()) {
            if (const QMenu* inner = action->menu())
                addMenu(where, inner);
            else if (action->isEnabled() && !action->isSeparator() && !action->text().isEmpty())
                entries.push_back({where, plain(action->text()),
                                   action->shortcut().toString(QKeySequence::NativeText),
                                   [action = QPointer(action)] {
                                       if (action)
                                           action->trigger();
                                   }});
        }
    };
    fillRecent();
    for (const QAction* top : menuBar()->actions()) {
        if (top->menu() && top->menu() != m_pageMenu)
            addMenu(plain(top->text()), top->menu());
    }
    if (!m_session)
        return entries;
    addMenu(m_pages[m_current]->title(), m_pageMenu);
    return entries;
}

void MainWindow::showPalette()
{
    auto* palette = new CommandPalette(paletteEntries(), this);
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
            if (!palette || !names) // without them the commands are there all the same
                return;
            std::vector<PaletteEntry> places;
            const auto add = [&](const QString& where, const QString& text, const Destination& place) {
                places.push_back({where, text, {}, [this, place] { go(place); }});
            };
            for (const RunSummary& run : names->first)
                add(tr("Run"), toQString(run.title.empty() ? run.name : run.title + " (" + run.name + ")"),
                    {Destination::Kind::Training, toQString(run.name)});
            for (const MatrixRow& matrix : names->second)
                add(tr("Matrix"), toQString(matrix.name),
                    {Destination::Kind::Matrix, toQString(matrix.name)});
            palette->add(std::move(places));
        });
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
    m_message->showMessage(MessageBar::Level::Problem, sentence);
}

void MainWindow::updateTitle()
{
    setWindowTitle(m_session ? tr("%1 – SparseRL Workbench").arg(m_session->title())
                             : tr("SparseRL Workbench"));
}

bool MainWindow::event(QEvent* event)
{
    // The desktop switched between light and dark while we follow it.
    if (event->type() == QEvent::ThemeChange && m_settings.theme() == ThemeChoice::System)
        applyTheme(*qobject_cast<QApplication*>(QCoreApplication::instance()), ThemeChoice::System);
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
    if (!m_quietLayout) {
        m_settings.setState(objectName(), saveGeometry());
        for (Page* page : m_pages)
            for (QSplitter* splitter : page->findChildren<QSplitter*>())
                if (!splitter->objectName().isEmpty())
                    m_settings.setState(splitter->objectName(), splitter->saveState());
    }
    event->accept();
}

} // namespace sparserl

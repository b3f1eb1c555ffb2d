// SPDX-License-Identifier: Apache-2.0
// What somebody sees and does first: the start page, the palette, the quickstart's copy, the whole job.
#include "app/workbench/command_palette.h"
#include "app/workbench/fuzzy.h"
#include "app/workbench/main_window.h"
#include "app/workbench/nav_bar.h"
#include "app/workbench/project_job_task.h"
#include "app/workbench/quickstart.h"
#include "app/workbench/start_page.h"
#include "base/files.h"
#include "project/run/project_job.h"
#include "project/run/run_directory.h"
#include "tests/patience.h"
#include "tests/widgets/fixture_project.h"
#include "tests/widgets/gui_test.h"
#include "widgets/common/format.h"
#include "widgets/common/page.h"
#include "widgets/training/run_notes_dialog.h"

#include <QAbstractButton>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

using namespace sparserl;

class TestStart : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("PATH", QByteArray(SPARSERL_BIN_DIR ":") + qgetenv("PATH"));
        auto made = test::makeProject(projectPath());
        QVERIFY2(made, made ? "" : made.error().sentence().c_str());
        m_live = std::move(*made);
    }

    void lettersFindWhatTheyMean()
    {
        QVERIFY(!fuzzyScore(QStringLiteral("xyz"), QStringLiteral("Open project")));
        QVERIFY(!fuzzyScore(QStringLiteral("open quick"), QStringLiteral("Open project")));
        const auto score = [](const char* typed, const char* text) {
            return fuzzyScore(QString::fromLatin1(typed), QString::fromLatin1(text)).value_or(-1);
        };
        QVERIFY(score("project open", "File Open project") > 0); // in any order
        QVERIFY(score("OPEN", "File Open project") > score("open", "Reopened"));
        QVERIFY(score("open", "Reopened") > score("open", "over the pending"));
        QVERIFY(score("op", "Open project") > score("op", "Run the project's job"));
        QCOMPARE(score("", "anything"), 0);
    }

    void startPageOffersWhatCanBeDone()
    {
        Settings settings(m_directory.filePath(QStringLiteral("start.ini")));
        settings.addRecentProject(m_directory.filePath(QStringLiteral("gone")));
        settings.addRecentProject(QString::fromStdString(projectPath().string()));
        MainWindow window(settings);
        window.setQuietClose(true);
        window.resize(1360, 860);
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window, test::patience()));
        auto* page = window.findChild<StartPage*>();
        QVERIFY(page && page->isVisible());
        // No page is the current one before there is a project, also after a click on its name.
        const auto marked = [&] {
            int count = 0;
            for (const QAbstractButton* button :
                 window.findChild<NavBar*>()->findChildren<QAbstractButton*>())
                count += button->isChecked();
            return count;
        };
        QCOMPARE(marked(), 0);
        window.findChild<NavBar*>()->findChild<QAbstractButton*>()->click();
        QCOMPARE(marked(), 0);
        auto* list = page->findChild<QListWidget*>();
        QCOMPARE(list->count(), 2);
        QVERIFY(list->item(1)->text().contains(QLatin1String("not available now")));
        QVERIFY(window.grab().save(QStringLiteral("start.png")));
        // Del takes one off the list, also of the settings.
        list->setFocus();
        list->setCurrentRow(1);
        QTest::keyClick(list, Qt::Key_Delete);
        QCOMPARE(list->count(), 1);
        QCOMPARE(settings.recentProjects().size(), 1);
        // Enter opens the one that is marked; closing it leads back here.
        list->setCurrentRow(0);
        QTest::keyClick(list, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(window.session() != nullptr, test::patience());
        QVERIFY(!page->isVisible());
        QCOMPARE(marked(), 1);
        QTest::keySequence(&window, QKeySequence(QKeySequence::Close));
        QTRY_VERIFY_WITH_TIMEOUT(page->isVisible(), test::patience());
        QCOMPARE(test::takeWarnings(), QStringList());
    }

    void paletteDoesWhatIsTyped()
    {
        Settings settings(m_directory.filePath(QStringLiteral("palette.ini")));
        MainWindow window(settings);
        window.setQuietClose(true);
        window.resize(1360, 860);
        QVERIFY(window.openProject(QString::fromStdString(projectPath().string())));
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window, test::patience()));
        QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), test::patience());
        const auto open = [&]() -> CommandPalette* {
            window.activateWindow();
            if (!QTest::qWaitForWindowActive(&window, test::patience()))
                return nullptr;
            QTest::keyClick(&window, Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
            return window.findChild<CommandPalette*>();
        };
        // A page by its name.
        CommandPalette* palette = open();
        QVERIFY(palette && palette->isVisible());
        auto* typed = palette->findChild<QLineEdit*>();
        auto* list = palette->findChild<QListWidget*>();
        QTest::keyClicks(typed, QStringLiteral("evaluat"));
        QVERIFY(list->count() > 0);
        QTest::keyClick(typed, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(window.page(QStringLiteral("evaluation"))->isVisible(), test::patience());
        // A run, which had to be read first.
        QTRY_VERIFY_WITH_TIMEOUT(!window.findChild<CommandPalette*>(), test::patience());
        palette = open();
        QVERIFY(palette);
        list = palette->findChild<QListWidget*>();
        typed = palette->findChild<QLineEdit*>();
        QTest::keyClicks(typed, QStringLiteral("run ppo"));
        QTRY_VERIFY_WITH_TIMEOUT(
            list->count() > 0 &&
                list->item(0)->data(Qt::AccessibleTextRole).toString().startsWith(QLatin1String("Run:")),
            20'000);
        QVERIFY(palette->grab().save(QStringLiteral("palette.png")));
        QTest::keyClick(typed, Qt::Key_Down);
        QTest::keyClick(typed, Qt::Key_Up);
        QCOMPARE(list->currentRow(), 0);
        QTest::keyClick(typed, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(window.page(QStringLiteral("training"))->isVisible(), test::patience());
        // Letters that nothing has: a sentence, and Enter does nothing.
        QTRY_VERIFY_WITH_TIMEOUT(!window.findChild<CommandPalette*>(), test::patience());
        palette = open();
        QVERIFY(palette);
        typed = palette->findChild<QLineEdit*>();
        QTest::keyClicks(typed, QStringLiteral("zzzzqq"));
        QTest::keyClick(typed, Qt::Key_Return);
        QVERIFY(palette->isVisible());
        QTest::keyClick(typed, Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(!window.findChild<CommandPalette*>(), test::patience());
        QCOMPARE(test::takeWarnings(), QStringList());
    }

    // The commands of all pages, each with its path. One of another page goes there first, and waits for what
    // is selected there; without a selection it says why it cannot do anything.
    void paletteHasTheCommandsOfAllPages()
    {
        Settings settings(m_directory.filePath(QStringLiteral("all-commands.ini")));
        MainWindow window(settings);
        window.setQuietClose(true);
        window.resize(1360, 860);
        const auto choose = [&](const QString& words, const QString& path) {
            window.activateWindow();
            if (!QTest::qWaitForWindowActive(&window, test::patience()))
                return QStringLiteral("no active window");
            QTest::keyClick(&window, Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
            auto* palette = window.findChild<CommandPalette*>();
            if (!palette)
                return QStringLiteral("no list of commands");
            auto* typed = palette->findChild<QLineEdit*>();
            auto* list = palette->findChild<QListWidget*>();
            QTest::keyClicks(typed, words);
            for (int row = 0; row < list->count(); ++row)
                if (list->item(row)->data(Qt::AccessibleTextRole).toString() == path)
                    list->setCurrentRow(row);
            const QString found = list->currentItem()->data(Qt::AccessibleTextRole).toString();
            QTest::keyClick(typed, Qt::Key_Return);
            return QTest::qWaitFor([&] { return !window.findChild<CommandPalette*>(); }, test::patience())
                       ? found
                       : QStringLiteral("the list stays");
        };
        const auto shown = [&](const char* page) {
            return window.page(QString::fromLatin1(page))->isVisible();
        };
        QVERIFY(window.openProject(QString::fromStdString(projectPath().string())));
        window.show();
        QVERIFY(QTest::qWaitForWindowActive(&window, test::patience()));
        QTRY_VERIFY_WITH_TIMEOUT(!window.busy() && shown("matrices"), test::patience());
        // Its dialog opens for the run that the page selects when it is shown for the first time.
        QString path = QStringLiteral("Training: Tags and note…");
        QCOMPARE(choose(QStringLiteral("tags note"), path), path);
        QTRY_VERIFY_WITH_TIMEOUT(shown("training") && window.findChild<RunNotesDialog*>(), test::patience());
        window.findChild<RunNotesDialog*>()->reject();
        path = QStringLiteral("Kernels: Order by > Order by Time");
        QCOMPARE(choose(QStringLiteral("order time"), path), path);
        QTRY_VERIFY_WITH_TIMEOUT(shown("kernels"), test::patience());
        for (const char* all :
             {"Training: Export the curves > For TensorBoard…", "Evaluation: All tables as Markdown…",
              "Matrices: Import files…", "Edit: Settings…"}) {
            window.activateWindow();
            QVERIFY(QTest::qWaitForWindowActive(&window, test::patience()));
            QTest::keyClick(&window, Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
            auto* palette = window.findChild<CommandPalette*>();
            QVERIFY(palette);
            auto* list = palette->findChild<QListWidget*>();
            bool found = false;
            for (int row = 0; row < list->count(); ++row)
                found = found ||
                        list->item(row)->data(Qt::AccessibleTextRole).toString() == QString::fromUtf8(all);
            QVERIFY2(found, all);
            QTest::keyClick(palette->findChild<QLineEdit*>(), Qt::Key_Escape);
            QTRY_VERIFY_WITH_TIMEOUT(!window.findChild<CommandPalette*>(), test::patience());
        }
        // Nothing is selected in a project without runs.
        const auto empty = m_directory.filePath(QStringLiteral("empty-of-commands"));
        QVERIFY(Project::create(empty.toStdString(), "empty"));
        QVERIFY(window.openProject(empty));
        path = QStringLiteral("Training: Tags and note…");
        QCOMPARE(choose(QStringLiteral("tags note"), path), path);
        QTRY_COMPARE_WITH_TIMEOUT(
            window.statusBar()->currentMessage(),
            QStringLiteral("“Tags and note” is not possible now: nothing is selected on the Training page."),
            test::patience());
        QVERIFY(shown("training"));
        QCOMPARE(test::takeWarnings(), QStringList());
    }

    void quickstartIsCopiedWithoutWhatWasMadeThere()
    {
        const auto from = quickstartFolder();
        QVERIFY(!from.empty());
        const std::filesystem::path to = m_directory.filePath(QStringLiteral("copy")).toStdString();
        QVERIFY(copyQuickstart(to));
        const auto original = Project::open(from);
        auto copy = Project::open(to);
        QVERIFY(original && copy);
        QCOMPARE(copy->matrices().size(), original->matrices().size());
        QVERIFY(hasJob(to));
        QVERIFY(!std::filesystem::exists(copy->runsPath()));
        QVERIFY(copy->load(*copy->matrix("dw1024")));
        const auto again = copyQuickstart(to);
        QVERIFY(!again);
        QVERIFY(again.error().sentence().find("already") != std::string::npos);
    }

    // The real program behind the strip: it starts, is found again by another window, stops on request with a
    // checkpoint, and says why where there is no job.
    void jobRunsInTheBackground()
    {
        const std::filesystem::path path = m_directory.filePath(QStringLiteral("job")).toStdString();
        QVERIFY(makeDirectories(path));
        QVERIFY(writeFileAtomic(path / "project.toml",
                                "[project]\nformat = 1\ntitle = \"Job\"\n[[matrix]]\n"
                                "name = \"band\"\ngenerator = \"banded(n=64,band=2)\"\n"));
        QVERIFY(Project::open(path));
        Settings settings(m_directory.filePath(QStringLiteral("job.ini")));
        auto window = std::make_unique<MainWindow>(settings);
        window->setQuietClose(true);
        QVERIFY(window->openProject(QString::fromStdString(path.string())));
        window->show();
        QVERIFY(QTest::qWaitForWindowActive(window.get(), test::patience()));
        QTest::keyClick(window.get(), Qt::Key_R, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY_WITH_TIMEOUT(window->lastProblem().contains(QLatin1String("job.toml")), test::patience());

        // One that cannot begin says why.
        QSignalSpy failed(window->job(), &ProjectJobTask::ended);
        QVERIFY(writeFileAtomic(path / "job.toml", "[[stage]]\nrun = \"texts\"\npreset = \"nonesuch\"\n"));
        QTest::keyClick(window.get(), Qt::Key_R, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE_WITH_TIMEOUT(failed.count(), 1, test::patience());
        QVERIFY2(failed[0][0].toString().contains(QLatin1String("nonesuch")),
                 qPrintable(failed[0][0].toString()));

        QVERIFY(writeFileAtomic(path / "job.toml", "[[stage]]\nrun = \"texts\"\npreset = \"pretrain\"\n"
                                                   "set = [\"pretrain.steps=100000\", \"pretrain.texts=60\", "
                                                   "\"checkpoint.every=1\", \"threads=1\", "
                                                   "\"policy.d_model=16\", \"policy.d_ff=16\", "
                                                   "\"policy.heads=2\", \"policy.encoder_layers=1\", "
                                                   "\"policy.decoder_layers=1\"]\n"));
        QTest::keyClick(window.get(), Qt::Key_R, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY_WITH_TIMEOUT(runningJob(path).has_value(), test::patience());
        QTRY_VERIFY_WITH_TIMEOUT(window->job()->isRunning(), test::patience());
        QVERIFY(window->page(QStringLiteral("training"))->isVisible());
        const auto first = runningJob(path);
        // A second start is refused, here and in a terminal.
        QVERIFY(!launchJob(path, SPARSERL_BIN_DIR "/sparserl"));
        // The window goes, the job stays.
        window.reset();
        window = std::make_unique<MainWindow>(settings);
        window->setQuietClose(true);
        QVERIFY(window->openProject(QString::fromStdString(path.string())));
        window->show();
        QVERIFY(QTest::qWaitForWindowActive(window.get(), test::patience()));
        QTRY_VERIFY_WITH_TIMEOUT(window->job()->isRunning(), test::patience());
        QCOMPARE(runningJob(path), first);
        QTRY_VERIFY_WITH_TIMEOUT(!listCheckpoints(path / "runs" / "texts").empty(), test::patience());
        QSignalSpy ended(window->job(), &ProjectJobTask::ended);
        const auto& tasks = window->session()->tasks()->tasks();
        QVERIFY(!tasks.empty() && tasks.front().name.title == QLatin1String("Job"));
        window->session()->tasks()->cancel(tasks.front().id);
        QTRY_COMPARE_WITH_TIMEOUT(ended.count(), 1, test::patience());
        QVERIFY(!runningJob(path));
        const auto said = jobLogTail(path, 3);
        QVERIFY(!said.empty());
        QVERIFY(!stopJob(path));
        // On a machine too busy to let it save in time, it ends during its work and says so.
        if (said.back().find("stopped before the current step was saved") == std::string::npos) {
            QVERIFY2(said.back().find("resumes from the checkpoint") != std::string::npos,
                     said.back().c_str());
            QCOMPARE(readJobProgress(path)->outcome, std::string("stopped"));
            QVERIFY(!ended[0][1].toBool() && readJobProgress(path)->logged);
        }

        // One that is started in a terminal is seen as what it is: its stage, its own clock, how it ended.
        const auto terminal = QString::fromStdString((path / "terminal.txt").string());
        QProcess shell;
        shell.setStandardOutputFile(terminal);
        shell.setStandardErrorFile(terminal);
        const auto job = [&]() -> const TaskEntry& { return window->session()->tasks()->tasks().front(); };
        const auto startShell = [&] {
            shell.start(QStringLiteral(SPARSERL_BIN_DIR "/sparserl"),
                        {QStringLiteral("job"), QString::fromStdString(path.string())});
            return QTest::qWaitFor(
                [&] { return job().active() && job().said.contains(QLatin1String("terminal")); },
                test::patience());
        };
        const auto ends = [&](int before) {
            return QTest::qWaitFor([&] { return ended.count() == before + 1; }, test::patience()) &&
                   (shell.state() == QProcess::NotRunning || shell.waitForFinished(test::patience()));
        };
        // A machine too busy to let it save in time ends it during its work, and it says so: another attempt.
        for (int attempt = 0;; ++attempt) {
            QVERIFY(startShell());
            QVERIFY2(job().said.startsWith(QLatin1String("Stage 1 of 1: texts")), qPrintable(job().said));
            QCOMPARE(job().began, readJobProgress(path)->began);
            const int before = static_cast<int>(ended.count());
            shell.terminate();
            QVERIFY(ends(before));
            if (job().state == TaskState::Cancelled)
                break;
            const std::string text = readFile(path / "terminal.txt").value_or("");
            QVERIFY2(attempt < 5 * test::patienceFactor() &&
                         text.find("stopped before the current step was saved") != std::string::npos,
                     text.c_str());
        }
        QVERIFY2(job().said.contains(QLatin1String("resumes from the checkpoint")), qPrintable(job().said));
        // Killed: nobody has said anything, and that is not taken for an end of another job.
        QVERIFY(startShell());
        const int before = static_cast<int>(ended.count());
        shell.kill();
        QVERIFY(ends(before));
        QVERIFY(ended.last()[1].toBool());
        QCOMPARE(job().said, QStringLiteral("The job ended without a message."));
    }

private:
    std::filesystem::path projectPath() const
    {
        return m_directory.filePath(QStringLiteral("project")).toStdString();
    }
    QTemporaryDir m_directory;
    test::LiveRuns m_live;
};

SPARSERL_GUI_TEST_MAIN(TestStart)
#include "tst_widgets_start.moc"

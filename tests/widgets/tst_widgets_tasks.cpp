// SPDX-License-Identifier: Apache-2.0
// One list of all long things, each on a thread of its own, and what can be taken back.
#include "app/workbench/main_window.h"
#include "app/workbench/task_panel.h"
#include "app/workbench/task_strip.h"
#include "base/files.h"
#include "base/interruption.h"
#include "tests/patience.h"
#include "tests/widgets/fixture_project.h"
#include "tests/widgets/gui_test.h"
#include "widgets/common/format.h"
#include "widgets/common/session.h"
#include "widgets/matrices/matrices_page.h"
#include "widgets/matrices/matrix_import.h"
#include "widgets/matrices/matrix_table.h"
#include "widgets/training/run_list.h"
#include "widgets/training/training_page.h"

#include <QAbstractItemModelTester>
#include <QAction>
#include <QPlainTextEdit>
#include <QSemaphore>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

using namespace sparserl;

namespace {

QStringList states(const TaskList& list)
{
    QStringList all;
    for (const TaskEntry& task : list.tasks())
        all.append(task.name.title + QLatin1Char(' ') + taskStateText(task));
    return all;
}

} // namespace

class TestTasks : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        auto session = test::openMadeProject(path(), m_live);
        QVERIFY2(session, session ? "" : session.error().sentence().c_str());
        m_session = std::move(*session);
        QTRY_VERIFY_WITH_TIMEOUT(!m_session->busy(), patience);
        m_session->tasks()->clearEnded(); // opening the project is one where the machine is slow
    }

    void entriesEndOnceAndQuietOnesGo()
    {
        TaskList list;
        QAbstractItemModelTester tester(&list, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QSignalSpy ended(&list, &TaskList::ended);
        int asked = 0;
        {
            TaskTicket waits(&list, {QStringLiteral("a"), {}}, {}, TaskState::Waiting);
            TaskTicket runs(&list, {QStringLiteral("b"), {}}, [&asked] { ++asked; });
            TaskTicket quiet(&list, {QStringLiteral("c"), {}, true}, {});
            QCOMPARE(list.activeCount(), 3);
            QCOMPARE(list.fraction(), -1.0);
            runs.say(0.25, QStringLiteral("a quarter"));
            waits.say(0.75, {});
            QCOMPARE(list.fraction(), 0.5);
            QCOMPARE(states(list),
                     QStringList({QStringLiteral("c running"), QStringLiteral("b ") + formatPercent(0.25),
                                  QStringLiteral("a waiting")}));
            waits.run();
            list.cancel(runs.id());
            list.cancel(runs.id()); // asked once
            QCOMPARE(asked, 1);
            list.cancel(quiet.id()); // cannot be
            quiet.done(QStringLiteral("well"));
            TaskTicket moved = std::move(runs);
            QVERIFY(!runs.active() && moved.active()); // NOLINT(bugprone-use-after-move): what is left
            moved.failed(QStringLiteral("It broke."), QStringLiteral("line 1"));
            moved.done(QStringLiteral("too late"));
        } // "a" was given up
        QCOMPARE(states(list), QStringList({QStringLiteral("b failed"), QStringLiteral("a cancelled")}));
        QCOMPARE(list.tasks()[0].said, QStringLiteral("It broke."));
        QCOMPARE(ended.size(), 3);
        list.clearEnded();
        QCOMPARE(list.rowCount(), 0);
    }

    // The journals of a project that has no index yet are read in pieces, and how far that is can be seen.
    void readingJournalsIsATask()
    {
        QTemporaryDir other;
        const auto project = std::filesystem::path(other.path().toStdString()) / "unread";
        QVERIFY(test::makeProject(project));
        auto reader = ProjectReader::open(path());
        QVERIFY(reader);
        const auto all = reader->candidateOrder({}, {}, true);
        QVERIFY(all && !all->empty());
        std::vector<double> fractions;
        QStringList said;
        // How much a machine reads in this time is its own; the first that does not suffice shows the task.
        for (const double seconds : {0.02, 0.01, 0.005, 0.002}) {
            for (const char* index : {"project.sqlite", "project.sqlite-wal", "project.sqlite-shm"})
                std::filesystem::remove(project / index);
            auto session = ProjectSession::open(project, seconds);
            QVERIFY(session);
            connect((*session)->tasks(), &TaskList::changed, this, [&] {
                for (const TaskEntry& task : (*session)->tasks()->tasks())
                    if (task.name.title == QLatin1String("Read the journals") && task.active()) {
                        fractions.push_back(task.fraction);
                        said << task.said;
                    }
            });
            JobTracker jobs(this);
            std::size_t programs = 0;
            const auto count = [&] {
                (*session)->query<std::vector<CandidateId>>(
                    jobs, [](ProjectReader& its) { return its.candidateOrder({}, {}, true); },
                    [&](Result<std::vector<CandidateId>> ids) { programs = ids ? ids->size() : 0; });
                return QTest::qWaitFor([&] { return !jobs.running(); }, test::patience()) ? programs : 0;
            };
            QTRY_VERIFY_WITH_TIMEOUT((*session)->isReady(), patience);
            QTRY_VERIFY_WITH_TIMEOUT(!(*session)->tasks()->newestActive() && count() == all->size(),
                                     patience);
            if (!fractions.empty())
                break;
        }
        QVERIFY(!fractions.empty());
        QVERIFY(fractions.back() >= fractions.front() && fractions.back() <= 1);
        QVERIFY2(said.join(u' ').contains(QLatin1String("remain to be read")), qPrintable(said.join(u' ')));
    }

    // What the brief of this list is about: nothing waits for an import, and each can be cancelled alone.
    void eachTaskHasItsOwnThread()
    {
        QSemaphore gate;
        QStringList order;
        const auto start = [&](const QString& name, bool held) {
            m_session->runTask<void>(
                {name, {}},
                [&gate, held](Project&, const TaskWork& work) -> Status {
                    for (int i = 0; held && !work.cancel.cancelled() && !gate.tryAcquire(1, 5); ++i)
                        work.say(0.5, QStringLiteral("round"));
                    if (work.cancel.cancelled())
                        return fail(interruption());
                    return {};
                },
                this, [&, name](Status, TaskTicket&) { order.append(name); });
        };
        start(QStringLiteral("long"), true);
        start(QStringLiteral("longer"), true);
        start(QStringLiteral("short"), false);
        QTRY_COMPARE_WITH_TIMEOUT(order, QStringList(QStringLiteral("short")), patience);
        QVERIFY(m_session->busy());
        QTRY_COMPARE_WITH_TIMEOUT(m_session->tasks()->newestActive()->said, QStringLiteral("round"),
                                  patience);
        m_session->tasks()->cancel(m_session->tasks()->tasks()[1].id); // "longer"
        QTRY_COMPARE_WITH_TIMEOUT(order.size(), 2, patience);
        gate.release();
        QTRY_COMPARE_WITH_TIMEOUT(order.size(), 3, patience);
        QCOMPARE(states(*m_session->tasks()),
                 QStringList({QStringLiteral("short done"), QStringLiteral("longer cancelled"),
                              QStringLiteral("long done")}));
        m_session->tasks()->clearEnded();
    }

    // Three drops are three entries; the one that waits can be taken back alone, and each keeps its report.
    void importsAreTasks()
    {
        QTemporaryDir files;
        const auto write = [&](const char* name, const char* text) {
            const QString file = files.filePath(QLatin1String(name));
            if (!writeFileAtomic(file.toStdString(), text))
                qFatal("cannot write");
            return file;
        };
        const QString good =
            write("good.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 1\n1 2 1\n");
        const QString bad = write("bad.mtx", "nothing of the kind\n");
        MatrixImport import;
        import.setSession(m_session.get());
        QSignalSpy finished(&import, &MatrixImport::finished);
        import.start({good, bad}, ImportSplit::Train);
        import.startGenerated("stencil2d(n=6)", "unwanted", "train");
        import.start({bad}, ImportSplit::Train);
        TaskList& tasks = *m_session->tasks();
        QCOMPARE(tasks.rowCount(), 3);
        QCOMPARE(tasks.tasks()[1].state, TaskState::Waiting);
        tasks.cancel(tasks.tasks()[1].id);
        QCOMPARE(tasks.tasks()[1].state, TaskState::Cancelled);
        QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 2, patience);
        QCOMPARE(states(tasks),
                 QStringList({QStringLiteral("Import failed"), QStringLiteral("Generate a matrix cancelled"),
                              QStringLiteral("Import done")}));
        QVERIFY2(
            tasks.tasks()[2].said.startsWith(QLatin1String("One matrix was added. One file was refused")),
            qPrintable(tasks.tasks()[2].said));
        QVERIFY(tasks.tasks()[2].report.contains(QLatin1String("bad.mtx")));
        // The task is called after its one file, so the sentence does not name it.
        const TaskEntry& failed = tasks.tasks()[0];
        const QString all = failed.name.what + failed.said + failed.report;
        QCOMPARE(all.count(QLatin1String("bad.mtx")), 1);
        tasks.clearEnded();
    }

    // By keyboard from any page: the list, its report, cancel, back.
    void listIsReachedFromEveryPage()
    {
        auto window = openWindow();
        QVERIFY(window);
        QVERIFY(!window->taskPanel()->isVisible());
        CancelToken seen;
        window->session()->runTask<void>(
            {QStringLiteral("Long work"), QStringLiteral("a thing")},
            [seen](Project&, const TaskWork& work) -> Status {
                work.say(0.4, QStringLiteral("in the middle"));
                while (!work.cancel.cancelled())
                    QThread::msleep(2);
                seen.cancel();
                return fail(interruption());
            },
            window.get(), [](Status, TaskTicket&) {});
        QTRY_VERIFY_WITH_TIMEOUT(window->taskStrip()->text().contains(QLatin1String("in the middle")),
                                 patience);
        for (int page = 0; page < window->pageCount(); ++page) {
            window->showPage(page);
            QTest::keyClick(window.get(), Qt::Key_J, Qt::ControlModifier);
            QVERIFY(window->taskPanel()->isVisible());
            QTRY_VERIFY_WITH_TIMEOUT(window->taskPanel()->table()->hasFocus(), test::patience());
            QVERIFY(
                window->taskPanel()->report()->toPlainText().contains(QLatin1String("Long work: a thing")));
            QTest::keyClick(window->taskPanel()->table(), Qt::Key_Escape);
            QVERIFY(!window->taskPanel()->isVisible());
        }
        QTest::keyClick(window.get(), Qt::Key_J, Qt::ControlModifier);
        QTest::keyClick(window->taskPanel()->table(), Qt::Key_Delete);
        QTRY_VERIFY_WITH_TIMEOUT(seen.cancelled(), patience);
        QTRY_COMPARE_WITH_TIMEOUT(states(*window->session()->tasks()),
                                  QStringList(QStringLiteral("Long work cancelled")), patience);
        QVERIFY(window->grab().save(QStringLiteral("tasks.png")));
        // A project that is closed with a task under way waits for nothing but its end.
        window->session()->runTask<void>(
            {QStringLiteral("Left alone"), {}},
            [](Project&, const TaskWork& work) -> Status {
                while (!work.cancel.cancelled())
                    QThread::msleep(2);
                return fail(interruption());
            },
            window.get(), [](Status, TaskTicket&) { QFAIL("nobody asks any more"); });
        window.reset();
        QCOMPARE(test::takeWarnings(), QStringList());
    }

    // Star, archive, note and split, each taken back by Ctrl+Z from the page that is shown, with a sentence.
    void whatHurtsIsTakenBack()
    {
        m_session.reset(); // the window keeps the index
        auto window = openWindow();
        QVERIFY(window);
        auto* training = qobject_cast<TrainingPage*>(window->page(QStringLiteral("training")));
        auto* matrices = qobject_cast<MatricesPage*>(window->page(QStringLiteral("matrices")));
        const auto notes = [&] {
            auto reader = ProjectReader::open(path());
            auto run = reader ? reader->runByName("0002-rl") : Result<RunSummary>(fail(reader.error()));
            return run ? run->notes : AnnotationState();
        };
        window->showPage(QStringLiteral("training"));
        QTRY_VERIFY_WITH_TIMEOUT(!window->busy() && training->model()->rowCount() > 3, patience);
        training->select(QStringLiteral("0002-rl"));
        const AnnotationState before = notes();
        QTest::keyClick(training->list()->table(), Qt::Key_D, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(notes().starred != before.starred, patience);
        QTest::keyClick(training->list()->table(), Qt::Key_Delete);
        QTRY_VERIFY_WITH_TIMEOUT(notes().archived, patience);
        window->showPage(QStringLiteral("kernels")); // from another page, too
        QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(window->statusBar()->currentMessage(),
                                  QStringLiteral("Undone: archive of 0002-rl."), patience);
        QTRY_VERIFY_WITH_TIMEOUT(!notes().archived, patience);
        QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(notes() == before, patience);
        QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY_WITH_TIMEOUT(notes().starred != before.starred, patience);
        QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
        QTRY_VERIFY_WITH_TIMEOUT(notes() == before, patience);

        window->showPage(QStringLiteral("matrices"));
        QTRY_VERIFY_WITH_TIMEOUT(matrices->model()->rowCount() > 2, patience);
        const auto heldOut = [&] {
            int count = 0;
            for (const MatrixItem& item : matrices->model()->rows())
                count += item.row.split == "held-out" ? 1 : 0;
            return count;
        };
        const int held = heldOut();
        matrices->table()->selectAll();
        matrices->setSplit(QStringLiteral("held-out"));
        QTRY_COMPARE_WITH_TIMEOUT(heldOut(), matrices->model()->rowCount(), patience);
        QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE_WITH_TIMEOUT(heldOut(), held, patience);
        QVERIFY(!window->session()->undoStack()->canUndo());
        QCOMPARE(test::takeWarnings(), QStringList());
    }

    void cleanup() { QVERIFY(QApplication::topLevelWidgets().isEmpty()); }

private:
    std::filesystem::path path() const
    {
        return m_directory.filePath(QStringLiteral("project")).toStdString();
    }
    std::unique_ptr<MainWindow> openWindow()
    {
        m_settings = std::make_unique<Settings>(m_directory.filePath(QStringLiteral("settings.ini")));
        auto window = std::make_unique<MainWindow>(*m_settings);
        window->setQuietClose(true);
        if (!window->openProject(toQString(path().string())))
            return nullptr;
        window->show();
        return QTest::qWaitForWindowActive(window.get(), test::patience()) ? std::move(window) : nullptr;
    }
    QTemporaryDir m_directory;
    test::LiveRuns m_live;
    std::unique_ptr<ProjectSession> m_session;
    std::unique_ptr<Settings> m_settings;
};

SPARSERL_GUI_TEST_MAIN(TestTasks)
#include "tst_widgets_tasks.moc"

// SPDX-License-Identifier: Apache-2.0
// A run outlives the window that started it, however that one ends, and a window that comes later shows all
// of it. The first windows are processes of their own, so that they can be killed.
#include "project/run/launch.h"
#include "tests/patience.h"
#include "tests/widgets/gui_test.h"
#include "tests/widgets/journal_curves.h"
#include "tests/widgets/journey.h"
#include "widgets/common/format.h"
#include "widgets/common/session.h"
#include "widgets/training/charts_panel.h"
#include "widgets/training/training_page.h"

#include <QProcess>
#include <QTest>
#include <QTextStream>
#include <csignal>
#include <cstring>

using namespace sparserl;

namespace {

constexpr const char* title = "long";

/// A window that starts a long run, says so and stays until it is killed.
int startAndStay(const QString& project)
{
    test::Journey user;
    if (auto opened = user.open(project, QStringLiteral("survival-first")); !opened) {
        QTextStream(stderr) << toQString(opened.error().sentence()) << "\n";
        return 1;
    }
    user.press(Qt::Key_2, Qt::ControlModifier);
    user.press(Qt::Key_R, Qt::ControlModifier);
    auto values = test::tinySft();
    for (auto& [key, value] : values)
        if (std::strcmp(key, "sft.steps") == 0)
            value = "200000";
    values.emplace_back("sft.lr", "1e-9"); // what learns for so long spikes, and an alarm stops it
    if (!user.fillFineTuning(title, values))
        return 3;
    user.press(Qt::Key_R, Qt::AltModifier);
    if (!QTest::qWaitFor([&] { return user.runIs(title) && user.run()->hasWorker && user.run()->step > 0; },
                         test::patience()))
        return 4;
    QTextStream(stdout) << user.run()->name.c_str() << Qt::endl;
    return QApplication::exec();
}

/// A window beside another: says what it tells of the index and how far it sees the run go, then closes.
int lookBeside(const QString& project, const QString& run)
{
    test::Journey user;
    if (auto opened = user.open(project, QStringLiteral("survival-beside")); !opened)
        return 1;
    user.press(Qt::Key_2, Qt::ControlModifier);
    user.training()->select(run);
    if (!QTest::qWaitFor([&] { return user.runIs(title) && user.run()->step > 0; }, test::patience()))
        return 2;
    const auto first = user.run()->step;
    if (!QTest::qWaitFor([&] { return user.run()->step > first; }, test::patience()))
        return 3;
    QTextStream(stdout) << user.window().session()->indexerState() << Qt::endl;
    user.leave(); // the run is not its to stop
    return 0;
}

} // namespace

class TestSurvival : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void killedClosedAndOpenedAgain()
    {
        QTemporaryDir directory;
        const QString project = directory.filePath(QStringLiteral("project"));
        auto live = test::makeProject(project.toStdString());
        QVERIFY2(live, live ? "" : live.error().sentence().c_str());

        QProcess first;
        first.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--start"), project});
        QVERIFY2(first.waitForReadyRead(2 * test::patience()), first.readAllStandardError().constData());
        const QString name = QString::fromLatin1(first.readAllStandardOutput().trimmed());
        const std::filesystem::path run =
            std::filesystem::path(project.toStdString()) / "runs" / name.toStdString();
        ::kill(static_cast<pid_t>(first.processId()), SIGKILL);
        QVERIFY(first.waitForFinished(test::patience()));
        QCOMPARE(first.exitStatus(), QProcess::CrashExit);

        // The worker has not noticed.
        const auto steps = [&] { return test::curvesOf(run)[{"loss", "train"}].size(); };
        const auto atDeath = steps();
        QTRY_VERIFY_WITH_TIMEOUT(steps() > atDeath, test::patience());

        {
            test::Journey user;
            const Status opened = user.open(project, QStringLiteral("survival-second"));
            QVERIFY2(opened, opened ? "" : opened.error().sentence().c_str());
            user.press(Qt::Key_2, Qt::ControlModifier);
            user.training()->select(name);
            QTRY_VERIFY_WITH_TIMEOUT(user.runIs(title), test::patience());
            QCOMPARE(user.run()->status, RunStatus::Running);
            QTRY_VERIFY_WITH_TIMEOUT(charted(user) > atDeath, test::patience());
            const auto before = charted(user);
            QTRY_VERIFY_WITH_TIMEOUT(charted(user) > before, test::patience()); // the chart goes on

            QProcess beside;
            beside.start(QCoreApplication::applicationFilePath(), {QStringLiteral("--look"), project, name});
            QVERIFY(QTest::qWaitFor([&] { return beside.state() == QProcess::NotRunning; },
                                    2 * test::patience()));
            QCOMPARE(beside.exitCode(), 0);
            const QByteArray said = beside.readAllStandardOutput().trimmed();
            QVERIFY2(said.startsWith("This window does not maintain the index"), said.constData());
            QVERIFY(user.window().session()->indexerState().isEmpty());
            user.window().close();
            user.leave();
        }
        const auto atClose = steps();
        QTRY_VERIFY_WITH_TIMEOUT(steps() > atClose, test::patience());

        test::Journey user;
        const Status opened = user.open(project, QStringLiteral("survival-third"));
        QVERIFY2(opened, opened ? "" : opened.error().sentence().c_str());
        user.press(Qt::Key_2, Qt::ControlModifier);
        user.training()->select(name);
        QTRY_VERIFY_WITH_TIMEOUT(user.runIs(title) && charted(user) > atClose, test::patience());
        QVERIFY(user.command("checkpoint and stop"));
        QTRY_VERIFY_WITH_TIMEOUT(!user.run()->hasWorker, test::patience());
        // Nothing was lost, not a point of any curve.
        const auto journal = test::curvesOf(run);
        const auto differs = [&] {
            for (const auto& [key, points] : journal)
                if (const auto curve =
                        user.training()->charts()->curves().find({user.run()->id, key.first, key.second}))
                    if (const QString found = test::difference(*curve, points); !found.isEmpty())
                        return found;
            return QString();
        };
        QTRY_COMPARE_WITH_TIMEOUT(differs(), QString(), test::patience());
        QVERIFY(charted(user) > 0);
        QCOMPARE(user.end(), QStringList());
    }

private:
    static std::size_t charted(const test::Journey& user)
    {
        if (!user.run())
            return 0;
        const auto curve = user.training()->charts()->curves().find({user.run()->id, "loss", "train"});
        return curve ? curve->size() : 0;
    }
};

int main(int argc, char** argv)
{
    QApplication application(argc, argv);
    test::prepareGui(application);
    const QStringList arguments = QApplication::arguments();
    if (arguments.value(1) == QLatin1String("--start"))
        return startAndStay(arguments.value(2));
    if (arguments.value(1) == QLatin1String("--look"))
        return lookBeside(arguments.value(2), arguments.value(3));
    TestSurvival test;
    return QTest::qExec(&test, argc, argv);
}

#include "tst_widgets_survival.moc"

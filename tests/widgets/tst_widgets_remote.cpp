// SPDX-License-Identifier: Apache-2.0
// Runs on another machine in the window: where a new run works, what a check says, a run that is not reached.
#include "base/time.h"
#include "project/run/remote_mark.h"
#include "remote/known_hosts.h"
#include "tests/patience.h"
#include "tests/widgets/fixture_project.h"
#include "tests/widgets/gui_test.h"
#include "tests/widgets/training_page_test.h"
#include "widgets/common/format.h"
#include "widgets/training/host_chooser.h"
#include "widgets/training/launch_dialog.h"
#include "widgets/training/run_header.h"
#include "widgets/training/run_list.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

using namespace sparserl;

namespace {

RunSummary awayRun()
{
    RunSummary run;
    run.id = 7;
    run.name = "0007-rl";
    run.stage = "rl";
    run.status = RunStatus::Unreached;
    run.step = 12;
    run.totalSteps = 100;
    RemoteMark mark;
    mark.host = "gpu1";
    mark.reached = mark.since = unixSeconds() - 600;
    mark.problem = "gpu1 does not answer";
    mark.remedy = "See whether it is on and the network reaches it";
    run.remote = mark;
    run.reason = unreachedSentence(mark);
    return run;
}

QPushButton* buttonNamed(const QWidget& widget, const QString& text)
{
    for (QPushButton* button : widget.findChildren<QPushButton*>())
        if (QString(button->text()).remove(QLatin1Char('&')) == text)
            return button;
    return nullptr;
}

} // namespace

class TestRemoteWidgets : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("XDG_CONFIG_HOME", m_folder.filePath(QStringLiteral("config")).toUtf8());
        QVERIFY(rememberHost({"gpu1", "sparserl-projects", "sparserl"}));
        QVERIFY(rememberHost({"gpu2", "/data/my runs", "/opt/sparserl/bin/sparserl"}));
    }

    void hostsAreChosenWrittenAndChecked()
    {
        HostChooser chooser(readKnownHosts(), nullptr);
        QSignalSpy asked(&chooser, &HostChooser::checkAsked);
        chooser.show();
        QVERIFY(!chooser.host() && chooser.problem().isEmpty());
        auto* check = buttonNamed(chooser, QStringLiteral("Check"));
        QVERIFY(check && check->isHidden());
        QCOMPARE(chooser.box()->count(), 4); // this machine, two hosts, another one
        chooser.box()->setCurrentIndex(1);   // the one that was used last
        QCOMPARE(*chooser.host(), (RemoteHost{"gpu2", "/data/my runs", "/opt/sparserl/bin/sparserl"}));
        chooser.box()->setCurrentIndex(3);
        QVERIFY(!chooser.problem().isEmpty() && !chooser.host());
        auto* line = chooser.findChild<QLineEdit*>();
        QTest::keyClicks(line, QStringLiteral("-oProxyCommand=x"));
        QVERIFY(chooser.problem().contains(QLatin1String("is not the name of a host")));
        QVERIFY(!check->isEnabled());
        line->setText(QStringLiteral("gpu3:some where"));
        QVERIFY(chooser.problem().isEmpty() && check->isEnabled());
        check->click();
        QCOMPARE(asked.size(), 1);
        RemoteMachine machine;
        machine.version = "0.2.0";
        machine.items.push_back({"gpu", "GPU", "ok", "An NVIDIA H200."});
        chooser.showAnswer({"elsewhere", "x", "sparserl"}, machine); // of a host that is not chosen any more
        QVERIFY(!chooser.answer()->text().contains(QLatin1String("H200")));
        chooser.showAnswer(*chooser.host(), machine);
        QVERIFY(chooser.answer()->text().contains(QLatin1String("0.2.0")) &&
                chooser.answer()->text().contains(QLatin1String("H200")));
        chooser.showAnswer(*chooser.host(),
                           tl::unexpected(Error{"gpu3 does not answer", {}, 0, "Switch it on"}));
        QVERIFY(chooser.answer()->text().contains(QLatin1String("Switch it on")));
        line->setText(QStringLiteral("gpu4"));
        QVERIFY(chooser.answer()->text().isEmpty()); // it was of another
    }

    void launchFormAsksWhere()
    {
        LaunchDialog dialog({}, "/tmp", nullptr);
        dialog.show();
        QVERIFY(!dialog.where()->host());
        QVERIFY2(dialog.problem().isEmpty(), qPrintable(dialog.problem()));
        dialog.where()->choose({"bad host", "x", "sparserl"});
        QVERIFY(!dialog.problem().isEmpty());
        dialog.where()->choose({"gpu9", "x y", "sparserl"});
        QVERIFY(dialog.problem().isEmpty());
        QCOMPARE(dialog.where()->host()->name, std::string("gpu9"));
        RemoteMachine machine;
        machine.version = "0.2.0";
        machine.items.push_back({"gpu", "GPU", "ok", "An NVIDIA H200 with 139 GiB."});
        dialog.where()->showAnswer(*dialog.where()->host(), machine);
        QVERIFY(dialog.grab().save(QStringLiteral("launch-where.png")));
    }

    void aRunThatIsNotReachedSaysWhy()
    {
        RunHeader header;
        header.resize(1000, 200);
        header.setRun(awayRun());
        header.show();
        QSignalSpy reach(&header, &RunHeader::reachAsked);
        auto* again = buttonNamed(header, QStringLiteral("Try again now"));
        QVERIFY(again);
        QTRY_VERIFY_WITH_TIMEOUT(again->isVisible(), test::patience());
        QVERIFY(header.grab().save(QStringLiteral("run-away.png")));
        again->click();
        QCOMPARE(reach.size(), 1);
        QStringList texts;
        for (const QLabel* label : header.findChildren<QLabel*>())
            texts.append(label->text());
        const QString all = texts.join(QLatin1Char('\n'));
        QVERIFY2(all.contains(QLatin1String("gpu1 has not been reached since")), qPrintable(all));
        QVERIFY(all.contains(QLatin1String("See whether it is on")));
        QVERIFY(all.contains(QLatin1String("on gpu1")));
        // It may well work: it can be stopped, and is not started a second time.
        int shown = 0;
        for (const QToolButton* button : header.buttons()->findChildren<QToolButton*>()) {
            shown += button->isHidden() ? 0 : 1;
            QVERIFY(button->isHidden() || button->text() != RunHeader::tr("Resume"));
        }
        QVERIFY(shown >= 3);
    }

    // Marks are read with the runs: no index has to know of them.
    void theListShowsTheHost()
    {
        test::LiveRuns live;
        auto session = test::openMadeProject(m_folder.filePath(QStringLiteral("p")).toStdString(), live);
        QVERIFY2(session, session ? "" : session.error().sentence().c_str());
        TrainingPage page;
        test::openRun(page, session->get(), QStringLiteral("0002-rl"));
        const auto status = [&] { return toQString(std::string(nameOf(page.list()->current()->status))); };
        QCOMPARE(status(), QStringLiteral("failed"));
        RemoteMark mark;
        mark.host = "gpu1";
        mark.worker = true;
        mark.reached = unixSeconds() - 300;
        mark.ended = false;
        QVERIFY(writeRemoteMark(page.list()->current()->path, mark));
        QTRY_COMPARE_WITH_TIMEOUT(status(), QStringLiteral("unreached"), patience);
        mark.ended = true;
        QVERIFY(writeRemoteMark(page.list()->current()->path, mark));
        QTRY_COMPARE_WITH_TIMEOUT(status(), QStringLiteral("failed"), patience);
    }

private:
    QTemporaryDir m_folder;
};

SPARSERL_GUI_TEST_MAIN(TestRemoteWidgets)
#include "tst_widgets_remote.moc"

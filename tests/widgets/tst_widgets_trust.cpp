// SPDX-License-Identifier: Apache-2.0
// A project of somebody else in the window: every page shows it, and until the user trusts it nothing is
// written, started or contacted.
#include "app/workbench/main_window.h"
#include "base/files.h"
#include "base/trust.h"
#include "project/files/project.h"
#include "project/run/remote_mark.h"
#include "remote/known_hosts.h"
#include "tests/base/hostile_names.h"
#include "tests/base/strange_files.h"
#include "tests/drawn_share.h"
#include "tests/patience.h"
#include "tests/widgets/fixture_project.h"
#include "tests/widgets/gui_test.h"
#include "widgets/common/format.h"
#include "widgets/common/page.h"
#include "widgets/common/panels.h"
#include "widgets/common/parameter_form.h"
#include "widgets/common/settings.h"
#include "widgets/kernels/export_dialog.h"
#include "widgets/kernels/kernel_detail.h"
#include "widgets/training/host_chooser.h"
#include "widgets/training/launch_dialog.h"
#include "widgets/training/run_list.h"
#include "widgets/training/training_page.h"

#include <QComboBox>
#include <QDirIterator>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QPointer>
#include <QPushButton>
#include <QSet>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <utility>

using namespace sparserl;
namespace fs = std::filesystem;

namespace {

/// Names, times and sizes of all that lies in a folder.
QStringList snapshot(const fs::path& folder)
{
    QStringList all;
    QDirIterator it(toQString(folder.string()), QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot,
                    QDirIterator::Subdirectories);
    while (it.hasNext()) {
        it.next();
        all.append(QStringLiteral("%1 %2 %3")
                       .arg(it.filePath())
                       .arg(it.fileInfo().lastModified().toMSecsSinceEpoch())
                       .arg(it.fileInfo().isFile() ? it.fileInfo().size() : 0));
    }
    all.sort();
    return all;
}

/// What tells that this process started another one: those that have ended left their page faults, the others
/// are there. Whatever program it was, and however it was found.
QString startedProcesses()
{
    rusage ended{};
    ::getrusage(RUSAGE_CHILDREN, &ended);
    QString alive;
    for (const auto& process : fs::directory_iterator("/proc")) {
        QFile stat(toQString((process.path() / "stat").string()));
        if (!process.path().filename().string().starts_with("self") && stat.open(QIODevice::ReadOnly)) {
            const QByteArray line = stat.readAll(); // "PID (NAME) STATE PARENT ..."
            const QList<QByteArray> words = line.mid(line.lastIndexOf(')') + 1).simplified().split(' ');
            if (words.size() > 1 && words[1].toLongLong() == ::getpid())
                alive += toQString(process.path().filename().string()) + QLatin1Char(' ');
        }
    }
    return QStringLiteral("%1 faults; alive: %2").arg(ended.ru_minflt).arg(alive.simplified());
}

} // namespace

class TestTrustInTheWindow : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        // Whatever is started is written down.
        m_calls = m_folder.filePath(QStringLiteral("calls"));
        for (const char* program : {"ssh", "rsync", "sparserl", "sparserl-runner"}) {
            QFile script(m_folder.filePath(QStringLiteral("path/") + QLatin1String(program)));
            QDir(m_folder.path()).mkpath(QStringLiteral("path"));
            QVERIFY(script.open(QIODevice::WriteOnly));
            script.write("#!/bin/sh\necho \"$0 $*\" >> '" + m_calls.toUtf8() + "'\n");
            script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        }
        qputenv("PATH", m_folder.filePath(QStringLiteral("path:")).toUtf8() + qgetenv("PATH"));
        qputenv("XDG_CONFIG_HOME", m_folder.filePath(QStringLiteral("config")).toUtf8());
        const fs::path own = m_folder.filePath(QStringLiteral("own")).toStdString();
        {
            auto made = test::makeProject(own);
            QVERIFY2(made, made ? "" : made.error().sentence().c_str());
        }
        RemoteMark mark;
        mark.host = "far";
        mark.run = "sparserl-projects/own/runs/r";
        const auto runs = Project::open(own)->runDirectories();
        QVERIFY(!runs.empty());
        QVERIFY(writeRemoteMark(runs.front(), mark));
        m_sent = m_folder.filePath(QStringLiteral("sent")).toStdString();
        fs::copy(own, m_sent, fs::copy_options::recursive);
        qunsetenv("SPARSERL_TRUST");
        QVERIFY(!trustOf(m_sent).value_or(false));
    }

    void nothingHappensBeforeTrust()
    {
        const QStringList before = snapshot(m_sent);
        const QString processes = startedProcesses();
        Settings settings(m_folder.filePath(QStringLiteral("settings.ini")));
        MainWindow window(settings);
        window.show();
        QVERIFY(window.openProject(toQString(m_sent.string())));
        auto* bar = window.findChild<MessageBar*>(QStringLiteral("trust"));
        QVERIFY(bar && bar->isVisible());
        for (const char* page : {"matrices", "training", "kernels", "evaluation"}) {
            QVERIFY(window.showPage(QLatin1String(page)));
            QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), patience);
        }
        window.showPage(QStringLiteral("training"));
        QTest::qWait(1500); // followers begin within a second
        QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), patience);
        // Every tab of a program, and what its header offers: nothing is compiled, judged or exported.
        window.showPage(QStringLiteral("kernels"));
        auto* detail = window.page(QStringLiteral("kernels"))->findChild<KernelDetail*>();
        QVERIFY(detail);
        for (auto* table : window.page(QStringLiteral("kernels"))->findChildren<QTableView*>())
            if (table->isVisible() && table->model() && table->model()->rowCount() > 1)
                for (int row = 0; row < 2; ++row) {
                    table->setCurrentIndex(table->model()->index(row, 0));
                    QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), patience);
                    for (auto* tabs : detail->findChildren<QTabWidget*>())
                        for (int tab = 0; tab < tabs->count(); ++tab) {
                            tabs->setCurrentIndex(tab);
                            QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), patience);
                        }
                    // Counters are not computed here, which says nothing of what ran.
                    if (detail->candidate() && detail->candidate()->verdict == Verdict::Correct)
                        for (const auto* label : detail->findChildren<QLabel*>())
                            QVERIFY(label->text() != QLatin1String("no part of it ran"));
                    detail->togglePtx();
                    QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), patience);
                    detail->toggleSass();
                    QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), patience);
                    QTest::qWait(200);
                }
        // "Verify again", the editor and the dialogs write these files first.
        auto strange = Project::open(m_sent);
        QVERIFY(strange && !strange->matrices().empty());
        const auto files = writeJobFiles(*strange, "text", strange->matrices().front().digest);
        QVERIFY(!files && files.error().sentence().find("is read-only") != std::string::npos);
        QVERIFY(!QFile::exists(m_calls));
        QCOMPARE(startedProcesses(), processes);
        QCOMPARE(snapshot(m_sent), before);

        // One button says what trusting allows, and asks.
        auto* button = bar->findChild<QPushButton*>();
        QVERIFY(button && button->text().contains(QLatin1String("trusting")));
        button->click();
        auto* box = window.findChild<QMessageBox*>(QStringLiteral("askForTrust"));
        QVERIFY(box && box->isVisible());
        QVERIFY(box->informativeText().contains(QLatin1String("hosts that you have confirmed")));
        box->button(QMessageBox::Cancel)->click();
        QVERIFY(!trustOf(m_sent).value_or(false));
        QCOMPARE(snapshot(m_sent), before);
        button->click();
        box = window.findChildren<QMessageBox*>(QStringLiteral("askForTrust")).constLast();
        for (QAbstractButton* each : box->buttons())
            if (box->buttonRole(each) == QMessageBox::AcceptRole)
                each->click();
        QVERIFY(trustOf(m_sent).value_or(false));
        QVERIFY(!bar->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(fs::exists(m_sent / "index.lock"), patience);
        QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), patience);
    }

    /// The form may be filled in; its Start says why nothing starts.
    void aForkOfAStrangersRunIsNotStarted()
    {
        const fs::path project = m_folder.filePath(QStringLiteral("forked")).toStdString();
        fs::copy(m_sent, project, fs::copy_options::recursive);
        QVERIFY(!trustOf(project).value_or(false));
        fs::remove(m_calls.toStdString());
        const QStringList before = snapshot(project);
        const QString processes = startedProcesses();
        Settings settings(m_folder.filePath(QStringLiteral("forked.ini")));
        MainWindow window(settings);
        window.show();
        QVERIFY(window.openProject(toQString(project.string())));
        QPointer<LaunchDialog> form;
        askForFork(window, form);
        QVERIFY(form);
        QPushButton* start = nullptr;
        for (auto* button : form->findChildren<QPushButton*>())
            if (button->text() == QStringLiteral("Start the &run"))
                start = button;
        QVERIFY(start);
        form->form()->enter("sft.steps", QStringLiteral("2000")); // more than that run did
        QTRY_VERIFY_WITH_TIMEOUT(!window.busy() && start->isEnabled(), patience);
        start->click();
        QVERIFY(!form->isVisible()); // it comes back with the sentence
        QTRY_VERIFY_WITH_TIMEOUT(form && form->isVisible() && !window.busy(), patience);
        QStringList said;
        for (const auto* label : form->findChildren<QLabel*>())
            if (label->isVisible() && label->text().contains(QLatin1String("is read-only")))
                said.append(label->text());
        QCOMPARE(said.size(), 1);
        QVERIFY(!QFile::exists(m_calls));
        QCOMPARE(startedProcesses(), processes);
        QCOMPARE(snapshot(project), before);
    }

    /// Only hosts that the user has confirmed or types are contacted, whatever hosts the project's runs name.
    void hostsAreTheUsersOwn()
    {
        const fs::path project = m_folder.filePath(QStringLiteral("hosts")).toStdString();
        fs::copy(m_sent, project, fs::copy_options::recursive);
        // Every run says that it works on another machine.
        for (const fs::path& run : Project::open(project)->runDirectories())
            QVERIFY(test::writePlainly(run / "remote.json",
                                       R"({"format":1,"host":"far","folder":"x","program":"far-program",)"
                                       R"("run":"sparserl-projects/own/runs/r"})"));
        QVERIFY(!trustOf(project).value_or(false));
        QVERIFY(rememberHost({"confirmed", "there", "sparserl"}));
        fs::remove(m_calls.toStdString());
        const QStringList before = snapshot(project);
        Settings settings(m_folder.filePath(QStringLiteral("hosts.ini")));
        MainWindow window(settings);
        window.show();
        QVERIFY(window.openProject(toQString(project.string())));
        QPointer<LaunchDialog> form;
        askForFork(window, form);
        QVERIFY(form);
        // Nothing of "far" is filled in or offered, and nobody is asked by himself.
        auto* where = form->where();
        QVERIFY(!where->host());
        auto* box = where->findChild<QComboBox*>();
        auto* check = where->findChild<QPushButton*>();
        auto* line = where->findChild<QLineEdit*>();
        QVERIFY(box && check && line && !check->isVisible());
        QCOMPARE(box->count(), 3);
        QCOMPARE(box->itemText(1), QStringLiteral("confirmed:there"));
        for (const auto* field : where->findChildren<QLineEdit*>())
            QVERIFY2(!field->text().contains(QLatin1String("far")), qPrintable(field->text()));
        box->setCurrentIndex(2);
        QVERIFY(line->isVisible() && line->text().isEmpty() && check->isVisible() && !check->isEnabled());
        QTest::qWait(1500); // as long as followers take to begin
        QVERIFY(!QFile::exists(m_calls));
        // The user types a host and presses the button: that is asked for.
        line->setFocus();
        QTest::keyClicks(line, QStringLiteral("typed"));
        QVERIFY(!QFile::exists(m_calls));
        check->click();
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(m_calls) && !window.busy(), patience);
        QFile calls(m_calls);
        QVERIFY(calls.open(QIODevice::ReadOnly));
        for (const QByteArray& call : calls.readAll().trimmed().split('\n'))
            QVERIFY2(call.contains("/ssh ") && call.contains("typed") && !call.contains("far"),
                     call.constData());
        // Nothing else follows from it: not that this host is confirmed, and not that the project is trusted.
        QCOMPARE(readKnownHosts().size(), std::size_t(1));
        QVERIFY(!trustOf(project).value_or(false));
        QCOMPARE(snapshot(project), before);
    }

    /// Something strange where a file of ours would be, in a project that is trusted: every page is shown,
    /// nobody waits for ever, and nothing is written to where it leads.
    void strangeFilesLeadNowhere_data()
    {
        QTest::addColumn<QString>("kind");
        QTest::addColumn<QString>("place");
        const test::DrawnShare share(4);
        for (const char* kind : {"a link", "a hard link", "a named pipe", "a socket", "a device"})
            for (const char* place : {"index.lock", "project.sqlite", "project.sqlite-wal", "cache", "runs",
                                      "annotations.jsonl", "verifications.jsonl", "programs.jsonl",
                                      "journal.jsonl", "control.jsonl", "remote.json", "thumbnail"}) {
                const std::string_view what = kind;
                if (what == "a hard link" &&
                    (place == std::string_view("cache") || place == std::string_view("runs")))
                    continue; // folders have none
                if (!share.has(std::string(kind) + place))
                    continue;
                QTest::addRow("%s, %s", kind, place)
                    << QString::fromLatin1(kind) << QString::fromLatin1(place);
            }
    }
    void strangeFilesLeadNowhere()
    {
        const QString keeps = QStringLiteral("This window does not maintain the index: ");
        QFETCH(QString, kind);
        QFETCH(QString, place);
        qputenv("SPARSERL_TRUST", "all");
        const fs::path project = m_folder.filePath(QStringLiteral("linked")).toStdString(),
                       outside = m_folder.filePath(QStringLiteral("outside")).toStdString();
        fs::remove_all(project);
        fs::remove_all(outside);
        fs::copy(m_sent, project, fs::copy_options::recursive);
        fs::create_directories(outside);
        const bool picture = place == u"thumbnail";
        const auto opened = Project::open(project);
        const fs::path run = opened->runDirectories().front();
        const fs::path at =
            picture ? opened->thumbnailPath(opened->matrices().front().digest)
            : place == u"journal.jsonl" || place == u"control.jsonl" || place == u"remote.json"
                ? run / place.toStdString()
                : project / place.toStdString();
        if (!picture && fs::exists(at))
            fs::rename(at, outside / "target");
        else
            QVERIFY(writeFileAtomic(outside / "target", "precious"));
        fs::remove(at);
        fs::create_directories(at.parent_path());
        if (kind == u"a link")
            fs::create_symlink(outside / "target", at);
        else if (kind == u"a hard link")
            fs::create_hard_link(outside / "target", at);
        else if (kind == u"a named pipe")
            QCOMPARE(::mkfifo(at.c_str(), 0600), 0);
        else if (kind == u"a socket")
            QVERIFY(test::makeSocket(at));
        else if (::mknod(at.c_str(), S_IFCHR | 0666, makedev(1, 7)) != 0) // /dev/full
            QSKIP("only root can make a device");
        const QStringList before = snapshot(outside);
        const std::string bytes = fs::is_regular_file(outside / "target")
                                      ? readFile(outside / "target").value_or("none")
                                      : std::string();
        {
            Settings settings(m_folder.filePath(QStringLiteral("linked.ini")));
            MainWindow window(settings);
            window.show();
            // What is said about it, in the bar across the top and on the pages.
            QSet<QString> told;
            const auto tell = [&](const QString& sentence) { told.insert(sentence); };
            for (int page = 0; page < window.pageCount(); ++page)
                connect(window.page(window.pageKey(page)), &Page::problem, &window, tell);
            QVERIFY(window.openProject(toQString(project.string())));
            connect(window.session(), &ProjectSession::problem, &window, tell);
            for (const char* page : {"matrices", "training", "kernels", "evaluation", "matrices"}) {
                QVERIFY(window.showPage(QLatin1String(page)));
                QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), patience);
                for (const auto* label : window.findChildren<QLabel*>())
                    if (label->isVisible() && label->text().contains(toQString(project.string())))
                        told.insert(label->text().remove(keeps));
            }
            QTest::qWait(300); // pictures are made a few at a time
            QTRY_VERIFY_WITH_TIMEOUT(!window.busy(), patience);
            QVERIFY2(told.size() <= 1, qPrintable(told.values().join(u'\n')));
            for (const QString& sentence : std::as_const(told)) {
                QVERIFY2(!sentence.contains(u'\n'), qPrintable(sentence));
                QVERIFY2(sentence.contains(place), qPrintable(sentence));
            }
        }
        QCOMPARE(snapshot(outside), before);
        QCOMPARE(fs::is_regular_file(outside / "target") ? readFile(outside / "target").value_or("none")
                                                         : std::string(),
                 bytes);
        qunsetenv("SPARSERL_TRUST");
    }

private:
    /// Shows the form for a fork of the run 0001-sft.
    static void askForFork(MainWindow& window, QPointer<LaunchDialog>& form)
    {
        QVERIFY(window.showPage(QStringLiteral("training")));
        auto* page = window.findChild<TrainingPage*>();
        QVERIFY(page);
        QTRY_VERIFY_WITH_TIMEOUT(!window.busy() && page->list()->current(), patience);
        page->select(QStringLiteral("0001-sft"));
        QTRY_VERIFY_WITH_TIMEOUT(!window.busy() && page->list()->current()->name == "0001-sft", patience);
        QToolButton* fork = nullptr;
        for (auto* button : page->findChildren<QToolButton*>())
            if (button->text() == QStringLiteral("Fork…"))
                fork = button;
        QVERIFY(fork);
        QTRY_VERIFY_WITH_TIMEOUT(fork->isVisible(), patience);
        fork->click();
        QTRY_VERIFY_WITH_TIMEOUT(page->findChild<LaunchDialog*>(), patience);
        form = page->findChild<LaunchDialog*>();
    }

    QTemporaryDir m_folder;
    QString m_calls;
    fs::path m_sent;
};

SPARSERL_GUI_TEST_MAIN(TestTrustInTheWindow)
#include "tst_widgets_trust.moc"

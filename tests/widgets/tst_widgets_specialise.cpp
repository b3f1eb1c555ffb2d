// SPDX-License-Identifier: Apache-2.0
// A policy that is trained briefly on chosen matrices: the command is a script here, since no policy is
// small.
#include "base/files.h"
#include "tests/patience.h"
#include "tests/widgets/fixture_project.h"
#include "tests/widgets/gui_test.h"
#include "widgets/common/format.h"
#include "widgets/common/tasks.h"
#include "widgets/kernels/policy_choice.h"
#include "widgets/kernels/specialise_dialog.h"

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>

using namespace sparserl;

class TestSpecialise : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        auto session = test::openMadeProject(path(), m_live);
        QVERIFY2(session, session ? "" : session.error().sentence().c_str());
        m_session = std::move(*session);
        const auto found = [this] {
            auto reader = ProjectReader::open(path());
            const auto checkpoints = reader ? reader->checkpoints() : fail(reader.error());
            for (const CheckpointRow& checkpoint : checkpoints.value_or(std::vector<CheckpointRow>()))
                if (checkpoint.present)
                    m_policy = checkpoint.path;
            return !m_policy.empty();
        };
        QTRY_VERIFY_WITH_TIMEOUT(found(), patience); // once they are indexed
        // The others hold none, as those of a search: also those that are not indexed yet.
        for (const auto& entry : std::filesystem::recursive_directory_iterator(path() / "runs"))
            if (entry.path().filename() == "model.safetensors" && entry.path().parent_path() != m_policy)
                std::filesystem::remove(entry.path());
        m_path = qgetenv("PATH");
        qputenv("PATH", m_bin.path().toUtf8() + ":" + m_path);
    }
    void cleanupTestCase()
    {
        qputenv("PATH", m_path);
        m_session.reset();
        QCOMPARE(test::takeWarnings(), QStringList());
    }

    void ranksWhatWasFoundAndGoesOnUnseen()
    {
        script(
            "echo '{\"progress\":0.25,\"phase\":\"iteration 1/2\"}'\n" + untilToldSo() +
            "echo '{\"matrix\":\"social\",\"rank\":1,\"family\":\"S2\",\"verdict\":\"correct\",\"warm_us\":4,"
            "\"speedup\":2.5,\"break_even_calls\":120,\"file\":\"/k/social-1.cu\"}'\n"
            "echo '{\"matrix\":\"social\",\"rank\":2,\"family\":\"S1\",\"verdict\":\"wrong-result\","
            "\"warm_us\":null,\"speedup\":0,\"break_even_calls\":null,\"file\":\"\"}'\n");
        SpecialiseDialog dialog(m_session.get(), {}, nullptr);
        dialog.show();
        auto* matrices = dialog.choice()->matrices();
        QTRY_VERIFY_WITH_TIMEOUT(matrices->count() > 3, patience);
        QCOMPARE(dialog.choice()->policies()->count(), 2); // the default one; the others hold no policy
        for (int row = 0; row < matrices->count(); ++row)
            matrices->item(row)->setCheckState(Qt::Unchecked);
        dialog.start();
        QVERIFY(!dialog.running());
        QCOMPARE(dialog.outcome()->text(), QStringLiteral("Choose at least one matrix."));
        matrices->item(1)->setCheckState(Qt::Checked);
        dialog.iterations()->setValue(7);
        dialog.samples()->setValue(9);
        const QString folder = m_bin.filePath(QStringLiteral("found"));
        dialog.folder()->setText(folder);
        dialog.start();
        QTRY_COMPARE_WITH_TIMEOUT(dialog.outcome()->text(), QStringLiteral("iteration 1/2"), patience);
        const TaskEntry* task = m_session->tasks()->newestActive();
        QVERIFY(task);
        QCOMPARE(task->fraction, 0.25);
        const quint64 id = task->id;
        dialog.reject(); // out of sight, not at its end
        QVERIFY(!dialog.isVisible() && dialog.running());
        QVERIFY(writeFileAtomic(m_bin.filePath(QStringLiteral("go")).toStdString(), ""));
        QTRY_VERIFY_WITH_TIMEOUT(!dialog.running(), patience);
        QCOMPARE(dialog.table()->rowCount(), 2);
        QCOMPARE(
            row(dialog, 0),
            QStringLiteral("social|1|S2 · CSR, part of a warp per row|4.00\u00a0µs|2.50×|after 120 calls"));
        QCOMPARE(row(dialog, 1), QStringLiteral("social|2|S1 · CSR, thread per row|–|–|wrong result"));
        QCOMPARE(m_session->tasks()->find(id)->state, TaskState::Done);
        QVERIFY(m_session->tasks()->find(id)->report.contains(QStringLiteral("2.50×")));
        const auto words = readFile(m_bin.filePath(QStringLiteral("words")).toStdString());
        for (const std::string& word :
             {std::string("specialise"), m_policy.string(), std::string("--iterations=7"),
              std::string("--samples=9"), "--out=" + folder.toStdString()})
            QVERIFY2(words && words->find(word) != std::string::npos, word.c_str());
        dialog.show();
        QSignalSpy asked(&dialog, &SpecialiseDialog::projectAsked);
        for (auto* button : dialog.findChildren<QPushButton*>())
            if (button->text() == QLatin1String("&Open its project"))
                button->click();
        QCOMPARE(asked.size(), 1);
        QCOMPARE(asked[0][0].toString(), folder);
        dialog.reject();
        QVERIFY(!dialog.isVisible());
    }

    void stoppedAndFailedSayWhy()
    {
        QFile::remove(m_bin.filePath(QStringLiteral("go")));
        script("echo '{\"progress\":0.5,\"phase\":\"half\"}'\n" + untilToldSo());
        auto reader = ProjectReader::open(path());
        const auto rows = reader->matrices();
        SpecialiseDialog dialog(m_session.get(), {(*rows)[2].digest}, nullptr);
        dialog.show();
        QTRY_VERIFY_WITH_TIMEOUT(dialog.choice()->matrices()->count() > 3, patience);
        QCOMPARE(dialog.choice()->chosen(), std::vector<std::string>{(*rows)[2].digest});
        dialog.start();
        QTRY_COMPARE_WITH_TIMEOUT(dialog.outcome()->text(), QStringLiteral("half"), patience);
        dialog.start();
        QTRY_VERIFY_WITH_TIMEOUT(!dialog.running(), patience);
        QVERIFY2(dialog.outcome()->text().startsWith(QLatin1String("The specialisation was stopped.")),
                 qPrintable(dialog.outcome()->text()));
        script("echo '{\"error\":{\"what\":\"No program was correct\",\"remedy\":\"Raise it\"}}'\nexit 1\n");
        dialog.start();
        QTRY_VERIFY_WITH_TIMEOUT(!dialog.running(), patience);
        QCOMPARE(dialog.outcome()->text(), QStringLiteral("No program was correct. Raise it"));
    }

private:
    std::filesystem::path path() const
    {
        return m_directory.filePath(QStringLiteral("project")).toStdString();
    }
    std::string untilToldSo() const
    {
        return "while [ ! -e '" + m_bin.filePath(QStringLiteral("go")).toStdString() +
               "' ]; do sleep 0.02; done\n";
    }
    void script(const std::string& text) const
    {
        const QString program = m_bin.filePath(QStringLiteral("sparserl"));
        QVERIFY(writeFileAtomic(program.toStdString(),
                                "#!/bin/sh\necho \"$@\" > '" +
                                    m_bin.filePath(QStringLiteral("words")).toStdString() + "'\n" + text));
        QFile::setPermissions(program, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }
    static QString row(const SpecialiseDialog& dialog, int at)
    {
        QStringList cells;
        for (int column = 0; column < dialog.table()->columnCount(); ++column)
            cells.append(dialog.table()->item(at, column)->text());
        return cells.join(QLatin1Char('|'));
    }

    QTemporaryDir m_directory, m_bin;
    test::LiveRuns m_live;
    std::unique_ptr<ProjectSession> m_session;
    std::filesystem::path m_policy;
    QByteArray m_path;
};

SPARSERL_GUI_TEST_MAIN(TestSpecialise)
#include "tst_widgets_specialise.moc"

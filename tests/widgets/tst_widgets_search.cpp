// SPDX-License-Identifier: Apache-2.0
// A search from the page of programs: what is asked for, how it is started, and what the page shows of the
// programs that it found. The worker is a script here: real ones are in tests/cli.
#include "base/files.h"
#include "project/run/launch.h"
#include "tests/patience.h"
#include "tests/widgets/fixture_project.h"
#include "tests/widgets/gui_test.h"
#include "training/parameters/parameter_keys.h"
#include "widgets/common/theme.h"
#include "widgets/kernels/evidence_view.h"
#include "widgets/kernels/kernels_page.h"
#include "widgets/kernels/search_dialog.h"

#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QPointer>
#include <QPushButton>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>

using namespace sparserl;

namespace {

const int patience = test::patience();

} // namespace

class TestWidgetsSearch : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        auto session = test::openMadeProject(path(), m_live);
        QVERIFY2(session, session ? "" : session.error().sentence().c_str());
        m_session = std::move(*session);
        const auto indexed = [this] {
            auto reader = ProjectReader::open(path());
            const auto matrices =
                reader ? reader->matrices() : Result<std::vector<MatrixRow>>(fail(reader.error()));
            return matrices && matrices->size() > 3;
        };
        QTRY_VERIFY_WITH_TIMEOUT(indexed(), patience);
        m_path = qgetenv("PATH");
        qputenv("PATH", m_bin.path().toUtf8() + ":" + m_path);
    }
    void cleanupTestCase()
    {
        qputenv("PATH", m_path);
        m_session.reset();
        QCOMPARE(test::takeWarnings(), QStringList());
    }

    void asksForWhatASearchNeeds()
    {
        SearchDialog dialog(m_session.get(), {}, nullptr);
        dialog.show();
        QSignalSpy asked(&dialog, &SearchDialog::startAsked);
        QVERIFY(!dialog.startButton()->isEnabled());
        QTRY_VERIFY_WITH_TIMEOUT(dialog.startButton()->isEnabled(), patience);
        QVERIFY(dialog.matrices()->count() > 3);
        QCOMPARE(dialog.matrices()->item(0)->checkState(), Qt::Checked); // there is no search yet
        QCOMPARE(dialog.matrices()->item(1)->checkState(), Qt::Unchecked);
        QCOMPARE(test::sharedKeys(dialog), QStringList());
        QCOMPARE(test::touchingButtons(dialog), QString());
        dialog.matrices()->item(0)->setCheckState(Qt::Unchecked);
        dialog.start();
        QCOMPARE(dialog.outcome()->text(), QStringLiteral("Choose at least one matrix."));
        QCOMPARE(asked.size(), 0);

        // Time or programs, columns for SpMM only.
        QVERIFY(dialog.seconds()->isEnabled() && !dialog.programs()->isEnabled());
        QVERIFY(!dialog.columns()->isEnabled());
        dialog.budget()->setCurrentIndex(1);
        dialog.task()->setCurrentIndex(1);
        QVERIFY(!dialog.seconds()->isEnabled() && dialog.programs()->isEnabled());
        QVERIFY(dialog.columns()->isEnabled());
        dialog.programs()->setValue(77);
        dialog.columns()->setValue(16);
        dialog.device()->setCurrentIndex(2);
        dialog.matrices()->item(1)->setCheckState(Qt::Checked);
        dialog.matrices()->item(2)->setCheckState(Qt::Checked);
        dialog.start();
        QCOMPARE(asked.size(), 1);
        const RunConfig config = dialog.config();
        QCOMPARE(config.stage, std::string("search"));
        QCOMPARE(config.title, std::string("2 matrices"));
        const auto value = [&](std::string_view key) {
            return toText(config.parameters.at(std::string(key)));
        };
        QCOMPARE(value(param::search::matrices.key), dialog.matrices()->item(1)->text().toStdString() + ";" +
                                                         dialog.matrices()->item(2)->text().toStdString());
        QCOMPARE(value(param::search::candidates.key), std::string("77"));
        QCOMPARE(value(param::denseColumns.key), std::string("16"));
        QCOMPARE(value(param::task.key), std::string("spmm"));
        QCOMPARE(value(param::judge::device.key), std::string("sim"));
        QVERIFY(config.parentCheckpoint.empty());
        QVERIFY(dialog.policy()->count() > 1); // the project's, and none
        dialog.policy()->setCurrentIndex(1);
        QCOMPARE(dialog.config().parentCheckpoint, dialog.policy()->currentData().toString().toStdString());
        dialog.refuse(QStringLiteral("No."));
        QVERIFY(dialog.startButton()->isEnabled());
        QCOMPARE(dialog.outcome()->text(), QStringLiteral("No."));
    }

    /// Started as other runs are; the next search begins with its entries.
    void startsARunAndRemembersIt()
    {
        KernelsPage page;
        page.resize(1200, 800);
        page.setSession(m_session.get());
        page.show();
        QSignalSpy away(&page, &KernelsPage::navigate);
        page.startSearch();
        const QPointer<SearchDialog> dialog(page.findChild<SearchDialog*>()); // It ends with its work.
        QVERIFY(dialog);
        QTRY_VERIFY_WITH_TIMEOUT(dialog->startButton()->isEnabled(), patience);
        const QString matrix = dialog->matrices()->item(0)->text();
        dialog->seconds()->setValue(45);
        dialog->device()->setCurrentIndex(2);
        for (const bool dark : {false, true}) {
            applyTheme(*qApp, dark ? ThemeChoice::Dark : ThemeChoice::Light);
            QVERIFY(dialog->grab().save(dark ? QStringLiteral("search-dark.png")
                                             : QStringLiteral("search-light.png")));
        }
        applyTheme(*qApp, ThemeChoice::Light);

        const auto runs = [this] { return Project::open(path())->runDirectories().size(); };
        const auto before = runs();
        dialog->start(); // no program is there that could run it
        QTRY_VERIFY_WITH_TIMEOUT(!dialog || dialog->startButton()->isEnabled(), patience);
        QVERIFY(dialog && away.isEmpty());
        QVERIFY(!dialog->outcome()->text().isEmpty());
        QCOMPARE(runs(), before);
        script("exit 0\n");
        dialog->start();
        QTRY_COMPARE_WITH_TIMEOUT(away.size(), 1, patience);
        const auto place = away[0][0].value<Destination>();
        QCOMPARE(int(place.kind), int(Destination::Kind::Training));
        QVERIFY(place.key.endsWith(QStringLiteral("-search")));
        const auto config = readRunConfig(path() / "runs" / place.key.toStdString() / "run.toml");
        QVERIFY(config);
        QCOMPARE(toText(config->parameters.at("search.seconds")), std::string("45"));
        QTRY_VERIFY_WITH_TIMEOUT(!page.findChild<SearchDialog*>(), patience);

        const auto found = [this, &place] {
            auto reader = ProjectReader::open(path());
            return reader && reader->runByName(place.key.toStdString());
        };
        QTRY_VERIFY_WITH_TIMEOUT(found(), patience);
        SearchDialog again(m_session.get(), {}, nullptr);
        again.show();
        QTRY_VERIFY_WITH_TIMEOUT(again.startButton()->isEnabled(), patience);
        QCOMPARE(again.seconds()->value(), 45);
        QCOMPARE(again.device()->currentIndex(), 2);
        QCOMPARE(again.matrices()->item(0)->text(), matrix);
        QCOMPARE(again.matrices()->item(0)->checkState(), Qt::Checked);
    }

    /// A program of a search says how it came about.
    void theEvidenceHasTheWayFromTheCorpus()
    {
        LineageRow corpus, edited;
        corpus.candidate.verdict = edited.candidate.verdict = Verdict::Correct;
        corpus.candidate.microseconds = 12;
        corpus.proposal.source = "bench";
        corpus.proposal.corpus = "S2 {lanes=4}";
        edited.candidate.microseconds = 10;
        edited.candidate.runName = "0001-search";
        edited.proposal.number = 18;
        edited.proposal.source = "edits";
        edited.proposal.niche = "S2, csr";
        edited.proposal.seconds = 8;
        edited.proposal.record = true;
        edited.proposal.edits = {{"block-size", "block of 512 threads instead of 256"}};
        EvidenceView view;
        view.resize(700, 500);
        view.show(edited.candidate, std::nullopt, false, {corpus, edited});
        view.QWidget::show();
        QMap<QString, QString> rows;
        for (int row = 0; row < view.table()->rowCount(); ++row)
            rows[view.table()->item(row, 0)->text()] = view.table()->item(row, 1)->text();
        QCOMPARE(
            rows[QStringLiteral("Found by")],
            QStringLiteral("edits, as program 19 after 8.0 s of the search; S2, csr; the fastest when it "
                           "came"));
        QCOMPARE(rows[QStringLiteral("Way from the corpus")],
                 QStringLiteral("12.0\u00a0µs: S2 {lanes=4}\n10.0\u00a0µs (20.0 %): block of 512 threads "
                                "instead of 256"));
        QVERIFY(!rows.contains(QStringLiteral("Tokens")));
        QVERIFY(view.grab().save(QStringLiteral("search-evidence.png")));
    }

private:
    std::filesystem::path path() const
    {
        return m_directory.filePath(QStringLiteral("project")).toStdString();
    }
    void script(const std::string& text) const
    {
        const QString program = m_bin.filePath(QStringLiteral("sparserl"));
        QVERIFY(writeFileAtomic(program.toStdString(), "#!/bin/sh\n" + text));
        QFile::setPermissions(program, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
    }

    QTemporaryDir m_directory, m_bin;
    test::LiveRuns m_live;
    std::unique_ptr<ProjectSession> m_session;
    QByteArray m_path;
};

SPARSERL_GUI_TEST_MAIN(TestWidgetsSearch)
#include "tst_widgets_search.moc"

// SPDX-License-Identifier: Apache-2.0
// A search from the page of programs: what is asked for, how it is started, and what the page shows of the
// programs that it found. The worker is a script here: real ones are in tests/cli.
#include "base/files.h"
#include "base/hash.h"
#include "project/run/launch.h"
#include "tests/patience.h"
#include "tests/widgets/fixture_project.h"
#include "tests/widgets/gui_test.h"
#include "training/parameters/parameter_keys.h"
#include "widgets/common/chart_widget.h"
#include "widgets/common/theme.h"
#include "widgets/kernels/evidence_view.h"
#include "widgets/kernels/kernel_tabs.h"
#include "widgets/kernels/kernels_page.h"
#include "widgets/kernels/lineage_view.h"
#include "widgets/kernels/search_dialog.h"

#include <QComboBox>
#include <QFile>
#include <QFont>
#include <QHeaderView>
#include <QImage>
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
#include <QTreeWidget>

#include <optional>

using namespace sparserl;

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
        dialog.programs()->setValue(32);
        QVERIFY2(dialog.outcome()->text().contains(QLatin1String("up to 32 for each matrix")),
                 qPrintable(dialog.outcome()->text()));
        dialog.programs()->setValue(77);
        QVERIFY(dialog.outcome()->text().isEmpty());
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
        QVERIFY(dialog.policy()->count() > 2); // none, the default policy, and the project's
        QCOMPARE(dialog.policy()->itemText(1), QStringLiteral("Default policy"));
        dialog.policy()->setCurrentIndex(1);
        QCOMPARE(dialog.config().parentCheckpoint, dialog.policy()->currentData().toString().toStdString());
        dialog.refuse(QStringLiteral("No."));
        QVERIFY(dialog.startButton()->isEnabled());
        QCOMPARE(dialog.outcome()->text(), QStringLiteral("No."));
    }

    /// An empty project's programs begin with a search: it needs neither a policy nor training.
    void emptyProjectOffersASearch()
    {
        QTemporaryDir directory;
        const std::string empty = directory.filePath(QStringLiteral("empty")).toStdString();
        QVERIFY(Project::create(empty, "empty"));
        auto session = ProjectSession::open(empty);
        QVERIFY(session);
        KernelsPage page;
        page.setSession(session->get());
        page.show();
        QTRY_VERIFY_WITH_TIMEOUT(page.state() == ProjectPage::State::Empty, patience);
        QStringList offered;
        for (QPushButton* button : page.findChildren<QPushButton*>()) {
            if (!button->isVisible())
                continue;
            offered.append(button->text());
            if (button->property("primary").toBool())
                QTest::mouseClick(button, Qt::LeftButton);
        }
        QVERIFY2(offered.size() == 2 && offered.front() == QStringLiteral("Search…"),
                 qPrintable(offered.join(QLatin1Char('|'))));
        const QPointer<SearchDialog> dialog(page.findChild<SearchDialog*>());
        QVERIFY(dialog);
        QTRY_VERIFY_WITH_TIMEOUT(dialog->outcome()->text().contains(QLatin1String("Import one")), patience);
        dialog->reject();
        QTRY_VERIFY_WITH_TIMEOUT(!dialog, patience);
        page.setSession(nullptr);
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
        corpus.proposal.corpus = R"(S2 {"batch":2,"lanes":4})";
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
            QStringLiteral(
                "edits, as program 19 after 8.0 s of the search; S2, csr; the fastest when it was judged"));
        QCOMPARE(
            rows[QStringLiteral("Path from the corpus")],
            QStringLiteral("12.0\u00a0µs: S2: batch 2, lanes 4\n10.0\u00a0µs (20.0 %): block of 512 threads "
                           "instead of 256"));
        QVERIFY(!rows.contains(QStringLiteral("Tokens")));
        QVERIFY(view.grab().save(QStringLiteral("search-evidence.png")));
    }

    /// From the corpus to the record, as the index has it: by eye, by keyboard and as a curve.
    void theLineageIsATree()
    {
        QVERIFY(writeSearch());
        std::optional<CandidateRow> shown;
        const auto indexed = [&] {
            auto reader = ProjectReader::open(path());
            const auto run = reader ? reader->runByName("0900-search") : fail(reader.error());
            if (!run || run->samples < 4)
                return false;
            CandidateFilter filter;
            filter.runs = {run->id};
            const auto ids = reader->candidateOrder(filter, CandidateSort::Step, false);
            const auto rows = ids ? reader->candidateRows(*ids) : fail(ids.error());
            for (const CandidateRow& row : rows ? *rows : std::vector<CandidateRow>()) {
                if (row.programHash == sha256Hex("program 2"))
                    shown = row;
            }
            return shown && shown->verdict == Verdict::Correct;
        };
        QTRY_VERIFY_WITH_TIMEOUT(indexed(), patience);
        KernelTabs tabs;
        tabs.resize(900, 320);
        tabs.setSession(m_session.get());
        tabs.setCurrentWidget(tabs.lineage());
        tabs.QWidget::show();
        tabs.show(*shown, std::nullopt, false, {});
        LineageView* view = tabs.lineage();
        QTRY_VERIFY_WITH_TIMEOUT(!view->reading() && view->tree()->topLevelItemCount() > 0, patience);
        const auto texts = [](const QTreeWidgetItem* item) {
            QStringList cells;
            for (const int column : {0, 1, 2, 4})
                cells.append(item->text(column));
            return cells.join(QStringLiteral(" | "));
        };
        QCOMPARE(view->tree()->topLevelItemCount(), 1); // the slower corpus program led nowhere
        const QTreeWidgetItem* corpus = view->tree()->topLevelItem(0);
        QCOMPARE(texts(corpus),
                 QStringLiteral("S2: batch 2, lanes 4 | 12.00\u00a0µs |  | led to the record"));
        QCOMPARE(corpus->childCount(), 1);
        const QTreeWidgetItem* edited = corpus->child(0);
        QCOMPARE(texts(edited), QStringLiteral("block of 512 threads instead of 256; loads of four | "
                                               "10.00\u00a0µs | +20.0 % | led to the record"));
        QCOMPARE(edited->childCount(), 1);
        QCOMPARE(texts(edited->child(0)), QStringLiteral("unrolled twice | 8.00\u00a0µs | +25.0 % | record"));
        QCOMPARE(view->note()->text(),
                 QStringLiteral("Gains: unroll +25.0 %, block-size +9.5 %, load +9.5 %."));
        const auto& best = *view->chart()->data().series.front().curve;
        QCOMPARE(best.size(), std::size_t(5)); // three records, with a step to each but the first

        // As wide as in a window of 1280 pixels, the figures come before the curve.
        for (const int width : {900, 500}) {
            tabs.resize(width, 320);
            QTRY_VERIFY_WITH_TIMEOUT(view->tree()->header()->length() <= view->tree()->viewport()->width(),
                                     patience);
            QCOMPARE(view->chart()->isVisible(), width == 900);
        }
        tabs.resize(900, 320);

        // The one that is shown is chosen; the arrows lead to others, Enter shows them.
        QCOMPARE(view->tree()->currentItem(), edited);
        QVERIFY(!view->openButton()->isEnabled());
        QSignalSpy asked(&tabs, &KernelTabs::openAsked);
        view->tree()->setFocus();
        QTest::keyClick(view->tree(), Qt::Key_Return); // it is there already
        QCOMPARE(asked.size(), 0);
        QTest::keyClick(view->tree(), Qt::Key_Down);
        QVERIFY(view->openButton()->isEnabled());
        QTest::keyClick(view->tree(), Qt::Key_Return);
        QCOMPARE(asked.size(), 1);
        QCOMPARE(asked[0][0].value<CandidateRow>().programHash, sha256Hex("program 3"));
        for (const bool dark : {false, true}) {
            applyTheme(*qApp, dark ? ThemeChoice::Dark : ThemeChoice::Light);
            QVERIFY(tabs.grab().save(dark ? QStringLiteral("lineage-dark.png")
                                          : QStringLiteral("lineage-light.png")));
        }
        applyTheme(*qApp, ThemeChoice::Light);

        // Other programs have no lineage, and another project has none either.
        CandidateRow other = *shown;
        other.id.seq = 1;
        tabs.show(other, std::nullopt, false, {});
        QTRY_COMPARE_WITH_TIMEOUT(view->tree()->topLevelItemCount(), 0, patience);
        QVERIFY(!view->openButton()->isVisible() && !view->chart()->isVisible());
        // Nothing makes the columns wide; their titles are painted as where there is room.
        QHeaderView* header = view->tree()->header();
        for (const int percent : {100, 150}) {
            const QFont usual = header->font();
            QFont large = usual;
            large.setPointSizeF(usual.pointSizeF() * percent / 100);
            header->setFont(large);
            QCoreApplication::processEvents();
            std::vector<QImage> titles;
            const int least = header->minimumSectionSize();
            for (const int section : {least, 2 * least}) {
                header->setMinimumSectionSize(section);
                QCoreApplication::processEvents();
                const QImage all = header->grab().toImage();
                for (int column = 1; column <= 3; ++column) { // numbers: their titles stand at the right
                    const QString title = view->tree()->headerItem()->text(column);
                    const int width = header->fontMetrics().horizontalAdvance(title) + 12;
                    const int end = header->sectionViewportPosition(column) + header->sectionSize(column);
                    titles.push_back(all.copy(end - width, 0, width, all.height()));
                }
            }
            for (std::size_t column = 0; column < 3; ++column)
                QVERIFY2(titles[column] == titles[column + 3], qPrintable(QString::number(column)));
            header->setMinimumSectionSize(least);
            header->setFont(usual);
        }
        tabs.show(*shown, std::nullopt, false, {});
        QTRY_COMPARE_WITH_TIMEOUT(view->tree()->topLevelItemCount(), 1, patience);
        tabs.setSession(nullptr);
        QCOMPARE(view->tree()->topLevelItemCount(), 0);
    }

private:
    /// A run of four programs: a slow one and the way to the record.
    Status writeSearch()
    {
        SPARSERL_TRY(auto project, Project::open(path()));
        SPARSERL_TRY(auto run, RunDirectory::create(project.runsPath() / "0900-search", {.stage = "search"}));
        SPARSERL_TRY(auto session, run.beginWork());
        JournalWriter& journal = session.journal();
        const std::vector<std::vector<ProposalEdit>> edits{
            {},
            {},
            {{"block-size", "block of 512 threads instead of 256"}, {"load", "loads of four"}},
            {{"unroll", "unrolled twice"}}};
        const double times[] = {12, 15, 10, 8};
        const std::size_t parents[] = {0, 0, 0, 2};
        TargetId target;
        target.contents = std::string(64, 'a');
        target.name = "grid";
        for (std::size_t i = 0; i < edits.size(); ++i) {
            const std::string text = "program " + std::to_string(i);
            const auto step = static_cast<std::int64_t>(i);
            SampleEvent sample;
            sample.programHash = sha256Hex(text);
            sample.target = target;
            sample.origin = "search";
            sample.split = "train";
            sample.proposal.emplace();
            sample.proposal->number = step;
            sample.proposal->source = edits[i].empty() ? "bench" : "edits";
            sample.proposal->edits = edits[i];
            sample.proposal->seconds = 2.5 * static_cast<double>(i);
            sample.proposal->record = i != 1;
            if (edits[i].empty())
                sample.proposal->corpus = i == 0 ? R"(S2 {"batch":2,"lanes":4})" : "S3 {}";
            else
                sample.proposal->parents = {sha256Hex("program " + std::to_string(parents[i]))};
            VerdictRecord record;
            record.programHash = sample.programHash;
            record.target = target;
            record.verdict = Verdict::Correct;
            record.baselineMicroseconds = 24;
            record.warm = Timing{times[i], times[i], times[i], 1};
            SPARSERL_CHECK(journal.appendProgram(step, sample.programHash, text));
            SPARSERL_CHECK(journal.append(step, sample));
            SPARSERL_CHECK(journal.append(step, VerdictEvent{record}));
        }
        return journal.append(4, StateEvent{RunState::Done, {}, 4});
    }
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

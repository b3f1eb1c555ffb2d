// SPDX-License-Identifier: Apache-2.0
#include "base/files.h"
#include "project/files/project.h"
#include "project/index/sqlite.h"
#include "tests/patience.h"
#include "tests/widgets/fixture_project.h"
#include "tests/widgets/gui_test.h"
#include "widgets/kernels/facet_bar.h"
#include "widgets/kernels/kernel_detail.h"
#include "widgets/kernels/kernels_page.h"
#include "widgets/kernels/verdict_text.h"

#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>
#include <QToolButton>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace sparserl;

namespace {

constexpr int bulk = 200'000;

/// A run with an empty journal, and its samples straight into the index: what the list does does not depend
/// on how they came there.
Status makeBulkProject(const std::filesystem::path& path)
{
    SPARSERL_TRY(auto project, Project::create(path));
    RunConfig config;
    config.stage = "rl";
    SPARSERL_TRY(auto run, RunDirectory::create(path / "runs" / "0001-rl", config));
    {
        SPARSERL_TRY(auto session, run.beginWork());
        SPARSERL_CHECK(session.journal().append(0, StateEvent{RunState::Done, {}, 0}));
    }
    {
        SPARSERL_TRY(auto indexer, Indexer::open(path));
        SPARSERL_TRY(auto update, indexer.update());
    }
    const auto filled = sql::guarded(path / "project.sqlite", [&] {
        sql::Database db(path / "project.sqlite", sql::Database::Mode::Write);
        const auto id = db.integer("SELECT id FROM run");
        db.execute(fmt::format(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i<{0}) INSERT INTO "
            "sample(run, seq, step, t, program, "
            "target, target_name, origin, split, family, log_prob, tokens, reward, parts, truncated, "
            "repeated, verdict, "
            "flags, message, speedup, micros, program_number) "
            "SELECT {1}, i, i/40, i*0.001, 'program'||i, 'digest'||(i%50), 'matrix '||(i%50), 'rollout', "
            "'train', 'S'||(i%9), -1.0, 200, i%7*0.1, '', 0, 0, iif(i%3,'correct','race'), '', '', "
            "iif(i%3,(i*7919%{0})*0.00001+0.1,0), iif(i%3,10.0,0), i FROM n; "
            "INSERT INTO program_number SELECT seq, program FROM sample; UPDATE run SET samples={0}",
            bulk, id));
    });
    if (!filled)
        return fail(filled.error());
    return {};
}

} // namespace

/// The page of programs at a size where what is slow shows.
class TestWidgetsKernels : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        const auto made = makeBulkProject(path());
        QVERIFY2(made.has_value(), made ? "" : made.error().sentence().c_str());
        auto opened = ProjectSession::open(path());
        QVERIFY(opened);
        m_session = std::move(*opened);
    }

    /// A program that was stopped while it was written could not compile: that it does not is no
    /// contradiction.
    void judgedAgainSaysWhatDiffers()
    {
        VerdictRecord before, now;
        before.verdict = Verdict::StoppedEarly;
        now.verdict = Verdict::PlanError;
        QVERIFY(!judgedAgainText(before, now).differs);
        QVERIFY(judgedAgainText(before, now).sentence.startsWith(QLatin1String("Verified: plan error.")));
        now.verdict = Verdict::Correct; // it was stopped wrongly
        QVERIFY(judgedAgainText(before, now).differs);
        before.verdict = Verdict::Correct;
        QVERIFY(!judgedAgainText(before, now).differs);
        now.verdict = Verdict::WrongResult;
        QVERIFY(judgedAgainText(before, now).differs);
        QVERIFY(!judgedAgainText({}, now).differs);
    }

    /// Export right after "Verify again" reads what that has found, however slow the disk is.
    void whatReadsComesAfterWhatWasWritten()
    {
        const auto flag = path() / "written";
        m_session->change(
            [flag](Project&) -> Status {
                QThread::msleep(150);
                SPARSERL_CHECK(writeFileAtomic(flag, "x"));
                return {};
            },
            this, [](bool) {});
        bool called = false, there = false;
        m_session->afterWrites(this, [&] {
            called = true;
            there = std::filesystem::exists(flag);
        });
        QVERIFY(!called);
        QTRY_VERIFY_WITH_TIMEOUT(called, patience);
        QVERIFY(there);
    }

    void listOfManyReachesItsEnd()
    {
        KernelsPage page;
        open(page);
        QCOMPARE(page.model()->rowCount(), bulk);
        page.table()->setFocus();
        QTest::keyClick(page.table(), Qt::Key_End, Qt::ControlModifier);
        QCOMPARE(page.table()->currentIndex().row(), bulk - 1);
        const auto current = [&] { return page.model()->row(page.table()->currentIndex()); };
        QTRY_VERIFY_WITH_TIMEOUT(current(), patience);
        QCOMPARE(current()->id.seq, std::int64_t(1)); // newest first, so the oldest is last
        QVERIFY(page.table()->viewport()->rect().intersects(
            page.table()->visualRect(page.table()->currentIndex())));
        // Far more is looked at than is kept; what is looked at is there in the end.
        for (int row = 0; row < bulk; row += 5000) {
            page.table()->scrollTo(page.model()->index(row, 0), QAbstractItemView::PositionAtTop);
            QTRY_VERIFY_WITH_TIMEOUT(page.model()->row(page.model()->index(row, 0)), patience);
            QCOMPARE(page.model()->row(page.model()->index(row, 0))->id.seq, std::int64_t(bulk - row));
        }
    }

    // The first click on a column shows its best, and what the detail shows is in sight.
    void firstClickSortsBestFirst()
    {
        KernelsPage page;
        page.resize(1100, 700);
        open(page);
        page.table()->setCurrentIndex(page.model()->index(bulk / 2, 0));
        const auto click = [&](int column) {
            QHeaderView* header = page.table()->horizontalHeader();
            const QPoint place(header->sectionViewportPosition(column) + header->sectionSize(column) / 2,
                               header->height() / 2);
            QTest::mouseClick(header->viewport(), Qt::LeftButton, {}, place);
        };
        const auto first = [&] { return page.model()->row(page.model()->index(0, 0)); };
        click(CandidateSpeedup);
        QTRY_VERIFY_WITH_TIMEOUT(!page.model()->searching() && first(), patience);
        QVERIFY(first()->speedup > 2.0);
        QCOMPARE(page.table()->currentIndex().row(), 0);
        QVERIFY(page.table()->visualRect(page.table()->currentIndex()).top() >= 0);
        click(CandidateSpeedup);
        QTRY_VERIFY_WITH_TIMEOUT(!page.model()->searching() && first() && first()->speedup < 0.2, patience);
        QVERIFY(first()->speedup > 0); // those without a time are last either way
        click(CandidateTime);
        QTRY_VERIFY_WITH_TIMEOUT(page.model()->sortColumn() == CandidateTime && !page.model()->searching(),
                                 patience);
        QCOMPARE(page.model()->sortOrder(), Qt::AscendingOrder);
    }

    // A row that a filter takes away is not what the detail shows; one that stays is scrolled to.
    void filterKeepsTheProgramInSight()
    {
        KernelsPage page;
        page.resize(1100, 700);
        open(page);
        const auto current = [&] { return page.model()->id(page.table()->currentIndex()); };
        const auto chooseRow = [&](int row) {
            page.table()->setCurrentIndex(page.model()->index(row, 0));
            QTRY_VERIFY_WITH_TIMEOUT(page.model()->row(page.table()->currentIndex()), patience);
        };
        const auto narrow = [&](const std::vector<std::string>& verdicts) {
            CandidateFilter filter = page.facets()->filter();
            filter.verdicts = verdicts;
            page.facets()->setFilter(filter);
            QTRY_VERIFY_WITH_TIMEOUT(!page.model()->searching(), patience);
        };
        chooseRow(150'000); // seq 50,000: correct
        const auto correct = current();
        QCOMPARE(correct->seq, std::int64_t(50'000));
        narrow({"correct"});
        QVERIFY(current() == correct);
        QVERIFY(page.table()->viewport()->rect().contains(
            page.table()->visualRect(page.table()->currentIndex()).center()));
        narrow({"race"});
        QVERIFY(current() && !(current() == correct));
        QCOMPARE(page.table()->currentIndex().row(), 0);
        QCOMPARE(page.model()->total(), std::int64_t(bulk / 3));
        const auto shown = [&] {
            const auto& candidate = page.detail()->candidate();
            return candidate && candidate->verdict == Verdict::Race;
        };
        QTRY_VERIFY_WITH_TIMEOUT(shown(), patience);
    }

    // Why programs fail, and what is wrong with times, in the same order whatever the counts are.
    void flagsAreFacets()
    {
        FacetBar bar;
        CandidateFacets facets;
        facets.flags = {{"out-of-memory", "out-of-memory", 3},
                        {"not-finite", "not-finite", 12},
                        {"suspicious", "suspicious", 1},
                        {"of-a-newer-version", "of-a-newer-version", 2}};
        bar.setFacets(facets);
        QToolButton* button = nullptr;
        for (auto* one : bar.findChildren<QToolButton*>())
            if (one->accessibleName() == QStringLiteral("Filter by Flag"))
                button = one;
        QVERIFY(button && button->isEnabled());
        QStringList texts;
        for (const QAction* action : button->menu()->actions())
            texts.append(action->text());
        QCOMPARE(texts,
                 (QStringList{QStringLiteral("out of memory\t3"), QStringLiteral("NaN or infinite\t12"),
                              QStringLiteral("suspicious\t1"), QStringLiteral("of a newer version\t2")}));
        QVERIFY(button->menu()->actions().at(0)->toolTip().contains(QStringLiteral("memory")));
        QSignalSpy changed(&bar, &FacetBar::filterChanged);
        button->menu()->actions().at(1)->trigger();
        QCOMPARE(changed.size(), 1);
        QVERIFY(bar.filter().flags == std::vector<std::string>{"not-finite"});
        QVERIFY(button->text().contains(QStringLiteral("(1)")));
        button->menu()->actions().at(1)->trigger();
        QVERIFY(bar.filter().flags.empty());
    }

    // Giving a search up brings back the filter and the order of what is shown.
    // A facet with many values has a line to search in; a short one has none.
    void longFacetsAreSearched()
    {
        FacetBar bar;
        CandidateFacets facets;
        for (int i = 0; i < 30; ++i)
            facets.matrices.push_back(
                {"digest" + std::to_string(i), i == 7 ? "Bcsstk17" : "mesh" + std::to_string(i), 3});
        facets.families = {{"S10", "S10", 4}, {"S2", "S2", 2}};
        bar.setFacets(facets);
        const auto menuOf = [&](const char* name) -> QMenu* {
            for (QToolButton* button : bar.findChildren<QToolButton*>())
                if (button->accessibleName() == QLatin1String(name))
                    return button->menu();
            return nullptr;
        };
        QMenu* families = menuOf("Filter by Family");
        QVERIFY(families && !families->findChild<QLineEdit*>());
        QVERIFY(families->actions().constFirst()->text().startsWith(QStringLiteral("S10 · ELL\t")) ||
                families->actions().constLast()->text().startsWith(QStringLiteral("S10 · ELL\t")));
        QMenu* menu = menuOf("Filter by Matrix");
        QVERIFY(menu);
        auto* words = menu->findChild<QLineEdit*>();
        QVERIFY(words);
        const auto shown = [&] {
            const QList<QAction*> actions = menu->actions();
            return std::count_if(actions.begin(), actions.end(), [](const QAction* action) {
                return action->isCheckable() && action->isVisible();
            });
        };
        QCOMPARE(shown(), 30);
        words->setText(QStringLiteral("mesh1"));
        QCOMPARE(shown(), 11);
        words->setText(QStringLiteral("bcs"));
        QCOMPARE(shown(), 1);
        QTest::keyClick(words, Qt::Key_Return); // the only one that is left
        QCOMPARE(bar.filter().matrices, std::vector<std::string>{"digest7"});
        words->setText(QStringLiteral("nothing like it"));
        QCOMPARE(shown(), 0);
        Q_EMIT menu->aboutToShow();
        QCOMPARE(shown(), 30);
    }

    void searchCanBeCancelled()
    {
        KernelsPage page;
        open(page);
        page.table()->horizontalHeader()->setSortIndicator(CandidateReward, Qt::DescendingOrder);
        QVERIFY(page.model()->searching());
        page.model()->cancelSearch();
        QVERIFY(!page.model()->searching());
        QCOMPARE(page.model()->sortColumn(), -1);
        QCOMPARE(page.table()->horizontalHeader()->sortIndicatorSection(), -1);
        CandidateFilter filter = page.facets()->filter();
        filter.families = {"S3"};
        page.facets()->setFilter(filter);
        page.model()->cancelSearch();
        QVERIFY(page.facets()->filter().families.empty());
        QCOMPARE(page.model()->rowCount(), bulk);
        QTRY_VERIFY_WITH_TIMEOUT(!m_session->busy(), patience);
        QCOMPARE(page.model()->rowCount(), bulk); // no late answer
    }

    void cleanup()
    {
        QCOMPARE(test::takeWarnings(), QStringList());
        QVERIFY(QApplication::topLevelWidgets().isEmpty());
    }
    void cleanupTestCase() { m_session.reset(); }

private:
    std::filesystem::path path() const { return m_directory.filePath(QStringLiteral("p")).toStdString(); }
    void open(KernelsPage& page)
    {
        page.setSession(m_session.get());
        page.show();
        QTRY_VERIFY_WITH_TIMEOUT(page.model()->rowCount() > 0 && !page.model()->searching(), patience);
    }

    QTemporaryDir m_directory;
    std::unique_ptr<ProjectSession> m_session;
};

SPARSERL_GUI_TEST_MAIN(TestWidgetsKernels)
#include "tst_widgets_kernels.moc"

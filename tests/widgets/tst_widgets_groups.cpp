// SPDX-License-Identifier: Apache-2.0
// Groups in the list of runs: what stands where, figures of a group, collapsing by mouse and keys, sorting
// inside, what is kept, and a group as one curve on the charts.
#include "base/time.h"
#include "project/run/metrics.h"
#include "tests/patience.h"
#include "tests/widgets/fixture_project.h"
#include "tests/widgets/gui_test.h"
#include "tests/widgets/training_page_test.h"
#include "widgets/common/chart_widget.h"
#include "widgets/common/filter_edit.h"
#include "widgets/common/format.h"
#include "widgets/training/charts_panel.h"
#include "widgets/training/run_figure_store.h"
#include "widgets/training/run_grouper.h"
#include "widgets/training/run_list.h"
#include "widgets/training/training_page.h"

#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QLineEdit>
#include <QMenu>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <array>
#include <ctime>

using namespace sparserl;

namespace {

using By = RunGrouping::By;
const std::string reward = "critic/rewards/mean";

RunSummary makeRun(const std::string& name, double created, double last = std::nan(""),
                   const std::string& parent = {})
{
    RunSummary run;
    run.id = static_cast<RunId>(std::hash<std::string>{}(name) >> 1);
    run.name = name;
    run.stage = "rl";
    run.created = created;
    run.parentRun = parent;
    run.status = RunStatus::Done;
    run.headline = std::isnan(last) ? std::string() : reward;
    run.lastValue = last;
    return run;
}

std::vector<RunRow> rowsOf(const std::vector<RunSummary>& runs)
{
    return inLineage(runs);
}

/// "[title: best/median] run run [..." of all rows.
QString describe(const std::vector<RunRow>& rows)
{
    QStringList words;
    for (const RunRow& row : rows)
        words.append(row.head ? QStringLiteral("[%1: %2]").arg(row.head->title).arg(row.head->runs.size())
                              : toQString(row.name) + (row.hidden ? QStringLiteral("-") : QString()));
    return words.join(QLatin1Char(' '));
}

/// What the table shows, from the top; heads in brackets.
QString seen(const RunList& list)
{
    QStringList words;
    for (int row = 0; row < list.visibleModel()->rowCount(); ++row) {
        const QModelIndex index = list.visibleModel()->index(row, RunName);
        words.append(index.data(RunHeadRole).toBool() ? QStringLiteral("[%1]").arg(index.data().toString())
                                                      : index.data(KeyRole).toString());
    }
    return words.join(QLatin1Char(' '));
}

QModelIndex headNamed(const RunList& list, const QString& title)
{
    for (int row = 0; row < list.visibleModel()->rowCount(); ++row) {
        const QModelIndex index = list.visibleModel()->index(row, RunName);
        if (index.data(RunHeadRole).toBool() && index.data().toString() == title)
            return index;
    }
    return {};
}

bool all(const RunSummary&)
{
    return true;
}

} // namespace

class TestGroups : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void numbersAscendAndNothingComesLast()
    {
        std::vector<RunSummary> runs{makeRun("a", 1), makeRun("b", 2), makeRun("c", 3), makeRun("d", 4),
                                     makeRun("e", 5)};
        RunValues values;
        const auto give = [&](std::size_t run, const char* rate) {
            values[runs[run].id] =
                std::make_shared<const std::map<std::string, std::string>>(std::map<std::string, std::string>{
                    {"rl.lr", rate}, {"seed", std::to_string(run)}, {"same", "1"}});
        };
        give(0, "0.01");
        give(1, "1e-05");
        give(2, "auto");
        give(3, "1e-05");
        const RunGrouping grouping{By::Parameter, "rl.lr"};
        QCOMPARE(describe(inGroups(rowsOf(runs), grouping, values, {}, all)),
                 QStringLiteral("[rl.lr = 1e-05: 2] d b [rl.lr = 0.01: 1] a [rl.lr = auto: 1] c "
                                "[without rl.lr: 1] e"));
        QCOMPARE(differingParameters(values), (std::vector<std::string>{"rl.lr", "seed"}));
        // What a scatter plot begins with: seeds and alarms tell runs apart and say nothing of them.
        auto headed = rowsOf(runs);
        for (RunRow& run : headed)
            run.headline = run.id == runs[0].id || run.id == runs[1].id ? "reward" : "loss";
        const auto set = [&](std::size_t run, const char* key, const char* value) {
            auto texts = *values[runs[run].id];
            texts[key] = value;
            values[runs[run].id] =
                std::make_shared<const std::map<std::string, std::string>>(std::move(texts));
        };
        for (std::size_t run = 0; run < 4; ++run) {
            set(run, "alarm.kl", run == 0 ? "1" : "2");
            set(run, "eval.samples", run < 2 ? "4" : "8"); // tells other runs apart
        }
        QCOMPARE(tellingParameter(values, headed, "reward").value_or(""), std::string("rl.lr"));
        QVERIFY(!tellingParameter(values, headed, "other")); // what tells others apart has no value there
        QVERIFY(!tellingParameter({}, headed, "reward"));
        QCOMPARE(RunGrouping::fromText(grouping.text()), grouping);
        QCOMPARE(RunGrouping::fromText(QStringLiteral("nonsense")), RunGrouping());
        for (const auto& [by, text] : runGroupings())
            QCOMPARE(RunGrouping::fromText(RunGrouping{by, {}}.text()).by, by);
    }

    void daysDescendAndTagsStandTogether()
    {
        constexpr double day = 86'400;
        std::vector<RunSummary> runs{makeRun("old", 10 * day + 43'200), makeRun("new", 20 * day + 43'200),
                                     makeRun("noon", 10 * day + 43'260)};
        runs[0].notes.tags = {"good", "baseline"};
        runs[2].notes.tags = {"baseline", "good"};
        const auto byDay = inGroups(rowsOf(runs), {By::Day, {}}, {}, {}, all);
        QCOMPARE(toQString(byDay[1].name), QStringLiteral("new"));
        QCOMPARE(byDay.size(), std::size_t(5));
        QCOMPARE(describe(inGroups(rowsOf(runs), {By::Tag, {}}, {}, {}, all)),
                 QStringLiteral("[baseline, good: 2] noon old [no tags: 1] new"));
    }

    // Best goes by the measure's direction; what is not a number counts neither there nor in the median.
    void figuresOfAGroup()
    {
        std::vector<RunSummary> runs{makeRun("a", 1, 0.5), makeRun("b", 2, 2), makeRun("c", 3, 1),
                                     makeRun("d", 4, 4), makeRun("e", 5)};
        runs.push_back(makeRun("f", 6, 0));
        runs.back().lastValue = std::nan("");
        auto head = inGroups(rowsOf(runs), {By::Stage, {}}, {}, {}, all).front().head;
        QCOMPARE(head->runs.size(), std::size_t(6));
        QCOMPARE(head->measured, std::size_t(4));
        QCOMPARE(head->best, 4.0);
        QCOMPARE(head->median, 1.5);
        for (RunSummary& run : runs)
            if (!run.headline.empty())
                run.headline = "loss";
        QCOMPARE(findMetric("loss")->better, MetricDescription::Better::Lower);
        // What the filter takes away does not count.
        head = inGroups(rowsOf(runs), {By::Stage, {}}, {}, {},
                        [](const RunSummary& run) { return run.name != "b"; })
                   .front()
                   .head;
        QCOMPARE(head->best, 0.5);
        QCOMPARE(head->median, 1.0);
        QCOMPARE(head->runs.size(), std::size_t(5));
    }

    void sortsInsideGroupsAndFilters()
    {
        RunList list;
        QAbstractItemModelTester tester(list.visibleModel(),
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        QAbstractItemModelTester sourceTester(list.model(),
                                              QAbstractItemModelTester::FailureReportingMode::QtTest);
        std::vector<RunSummary> runs{makeRun("a", 1, 3), makeRun("b", 2, 1), makeRun("c", 3, 2),
                                     makeRun("d", 4, 9)};
        runs[3].stage = "sft";
        list.setRuns(runs);
        QCOMPARE(seen(list), QStringLiteral("d c b a"));
        list.grouper()->group({By::Stage, {}});
        const QString rl = stageText("rl"), sft = stageText("sft");
        const auto expected = [&](const QString& inRl) {
            return rl < sft ? QStringLiteral("[%1] %2 [%3] d").arg(rl, inRl, sft)
                            : QStringLiteral("[%3] d [%1] %2").arg(rl, inRl, sft);
        };
        QCOMPARE(seen(list), expected(QStringLiteral("c b a")));
        list.table()->sortByColumn(RunLast, Qt::DescendingOrder);
        QCOMPARE(seen(list), expected(QStringLiteral("a c b")));
        list.table()->sortByColumn(RunLast, Qt::AscendingOrder);
        QCOMPARE(seen(list), expected(QStringLiteral("b c a")));
        list.filterEdit()->setText(QStringLiteral("last>1.5"));
        QCOMPARE(seen(list), expected(QStringLiteral("c a")));
        QCOMPARE(headNamed(list, rl).siblingAtColumn(RunStatusColumn).data().toString(),
                 QStringLiteral("2 runs"));
        list.filterEdit()->setText(QStringLiteral("stage:sft")); // an empty group has no head
        QCOMPARE(seen(list), QStringLiteral("[%1] d").arg(sft));
        list.filterEdit()->clear();
        list.table()->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
        list.grouper()->group({});
        QCOMPARE(seen(list), QStringLiteral("d c b a"));
    }

    void keysCollapseAndExpand()
    {
        RunList list;
        QAbstractItemModelTester tester(list.visibleModel(),
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        list.resize(500, 400);
        list.show();
        QVERIFY(QTest::qWaitForWindowActive(&list, test::patience()));
        std::vector<RunSummary> runs{makeRun("a", 1, 3), makeRun("b", 2, 1)};
        runs.push_back(makeRun("s", 3, 1));
        runs.back().stage = "sft";
        list.setRuns(runs);
        list.grouper()->group({By::Stage, {}});
        list.select(QStringLiteral("a"));
        list.table()->setFocus();
        const QString rl = stageText("rl");
        QTest::keyClick(list.table(), Qt::Key_Left); // to the head
        QCOMPARE(list.table()->currentIndex().data(KeyRole), headNamed(list, rl).data(KeyRole));
        QVERIFY(!list.current());
        QCOMPARE(list.charted().size(), std::size_t(2));
        QCOMPARE(list.chartedGroups().size(), std::size_t(1));
        QTest::keyClick(list.table(), Qt::Key_Left);
        QVERIFY(!seen(list).split(QLatin1Char(' ')).contains(QStringLiteral("a")));
        QVERIFY(headNamed(list, rl).data(RunCollapsedRole).toBool());
        QCOMPARE(list.table()->currentIndex().data(KeyRole), headNamed(list, rl).data(KeyRole));
        QCOMPARE(list.charted().size(), std::size_t(2)); // collapsed, it is on the charts all the same
        const QStringList kept = list.state();
        QTest::keyClick(list.table(), Qt::Key_Right);
        QVERIFY(seen(list).split(QLatin1Char(' ')).contains(QStringLiteral("a")));
        // What was kept comes back, and a run that is asked for opens its group.
        RunList other;
        other.setState(kept);
        other.setRuns(runs);
        QVERIFY(headNamed(other, rl).data(RunCollapsedRole).toBool());
        other.select(QStringLiteral("b"));
        QCOMPARE(toQString(other.current()->name), QStringLiteral("b"));
        QVERIFY(!headNamed(other, rl).data(RunCollapsedRole).toBool());
        // A group of the current run that is collapsed takes its place.
        other.grouper()->setCollapsed(headNamed(other, rl).data(KeyRole).toString(), true);
        QCOMPARE(other.table()->currentIndex().data(KeyRole), headNamed(other, rl).data(KeyRole));
        // Where runs have their eye, a head has its chevron.
        const QModelIndex chevron = headNamed(list, rl).siblingAtColumn(RunShown);
        QTest::mouseClick(list.table()->viewport(), Qt::LeftButton, {},
                          list.table()->visualRect(chevron).center());
        QVERIFY(headNamed(list, rl).data(RunCollapsedRole).toBool());
    }

    // A run that ends moves to another group: the selection goes with it.
    void selectionLivesThroughAChangeOfGroup()
    {
        RunList list;
        std::vector<RunSummary> runs{makeRun("a", 1, 3), makeRun("b", 2, 1), makeRun("c", 3, 1)};
        runs[1].status = RunStatus::Running;
        list.setRuns(runs);
        list.grouper()->group({By::State, {}});
        list.select(QStringLiteral("b"));
        runs[1].status = RunStatus::Failed;
        list.setRuns(runs);
        QCOMPARE(toQString(list.current()->name), QStringLiteral("b"));
        QCOMPARE(seen(list), QStringLiteral("[%1] c a [%2] b")
                                 .arg(statusText(RunStatus::Done), statusText(RunStatus::Failed)));
    }

    void aThousandRunsStayQuick()
    {
        std::vector<RunSummary> runs;
        RunValues values;
        for (int i = 0; i < 1000; ++i) {
            runs.push_back(
                makeRun(QStringLiteral("%1-rl").arg(i, 4, 10, QLatin1Char('0')).toStdString(), i, i % 7));
            runs.back().notes.tags = {"t" + std::to_string(i % 9)};
            runs.back().spark.assign(64, 0.5F);
        }
        RunList list;
        list.resize(500, 800);
        list.show();
        list.setRuns(runs);
        const auto spent = [](const auto& act) {
            double best = 1e9;
            for (int i = 0; i < 3; ++i) {
                const std::clock_t begin = std::clock(); // of this process: others make nothing longer
                act(i);
                QCoreApplication::processEvents();
                best = std::min(best, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
            }
            return best;
        };
        const std::array ways{By::Tag, By::Lineage, By::Day};
        QVERIFY2(spent([&](int i) {
                     list.grouper()->group({ways[static_cast<std::size_t>(i)], {}});
                 }) < 0.1,
                 "group");
        list.grouper()->group({By::Tag, {}});
        const QString head = headNamed(list, QStringLiteral("t3")).data(KeyRole).toString();
        QVERIFY2(spent([&](int i) { list.grouper()->setCollapsed(head, i % 2 == 0); }) < 0.1, "collapse");
        QVERIFY2(spent([&](int) { list.setRuns(runs); }) < 0.1, "refresh");
        QVERIFY2(spent([&](int i) {
                     list.table()->sortByColumn(i % 2 ? RunLast : RunName, Qt::AscendingOrder);
                 }) < 0.1,
                 "sort");
    }

    void aGroupIsOneCurveWithItsBand()
    {
        QTemporaryDir folder;
        test::LiveRuns live;
        auto session = test::openMadeProject(folder.path().toStdString() + "/p", live);
        QVERIFY2(session, session ? "" : session.error().sentence().c_str());
        TrainingPage page;
        test::openRun(page, session->get(), QStringLiteral("0006-rl"));
        // Parameters are read when somebody looks.
        QSignalSpy read(page.list()->figures(), &RunFigureStore::parametersRead);
        QMenu menu;
        page.list()->grouper()->fillMenu(&menu);
        QTRY_COMPARE_WITH_TIMEOUT(read.size(), 1, patience);
        QCOMPARE(page.list()->figures()->parameters().size(), page.model()->rows().size());
        page.list()->grouper()->group({By::Stage, {}});
        const QModelIndex head = headNamed(*page.list(), stageText("rl"));
        QVERIFY(head.isValid());
        const auto count = static_cast<std::size_t>(
            head.siblingAtColumn(RunStatusColumn).data().toString().section(QLatin1Char(' '), 0, 0).toInt());
        QVERIFY(count > 1);
        page.list()->table()->setCurrentIndex(head);
        const auto series = [&] { return page.charts()->charts()[0]->data().series; };
        QTRY_VERIFY_WITH_TIMEOUT(!series().isEmpty() && series()[0].low && series()[0].high, patience);
        QCOMPARE(page.charts()->curves().runs().size(), count);
        for (const ChartSeries& s : series())
            for (std::size_t i = 0; s.low && i < s.low->size(); ++i)
                if (std::isfinite(s.low->y(i)))
                    QVERIFY(s.low->y(i) <= s.curve->y(i) + 1e-9 && s.curve->y(i) <= s.high->y(i) + 1e-9);
        QVERIFY(series()[0].name.contains(stageText("rl")));
        QVERIFY(page.grab().save(QStringLiteral("training-groups.png")));
        // A run selected beside it has a curve of its own only if it is in no selected group.
        const auto groups = page.charts()->curves().subjects();
        QCOMPARE(groups.size(), std::size_t(1));
    }
};

SPARSERL_GUI_TEST_MAIN(TestGroups)
#include "tst_widgets_groups.moc"

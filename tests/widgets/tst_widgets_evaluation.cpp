// SPDX-License-Identifier: Apache-2.0
#include "fixture_project.h"
#include "gui_test.h"
#include "tests/patience.h"
#include "widgets/common/chart_readout.h"
#include "widgets/common/chart_table.h"
#include "widgets/common/chart_widget.h"
#include "widgets/common/panels.h"
#include "widgets/evaluation/box_view.h"
#include "widgets/evaluation/comparison_view.h"
#include "widgets/evaluation/evaluation_charts.h"
#include "widgets/evaluation/evaluation_page.h"
#include "widgets/evaluation/matrix_results.h"
#include "widgets/evaluation/policy_list.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QtCharts/QBarCategoryAxis>
#include <QtCharts/QBoxPlotSeries>
#include <QtCharts/QBoxSet>
#include <QtCharts/QChart>
#include <cmath>

using namespace sparserl;

namespace {

EvaluationRow rowOf(const char* run, const char* policy, const char* matrix, std::int64_t correct,
                    double best = 0, double t = 1)
{
    EvaluationRow r;
    r.runName = run;
    r.step = 1;
    r.t = t;
    r.event.policy = policy;
    r.event.target.contents = r.event.target.name = matrix;
    r.event.nnz = 1000;
    r.event.samples = r.event.compiled = 4;
    r.event.correct = correct;
    r.event.faster = correct / 2;
    r.event.bestMicroseconds = best;
    r.event.baselineMicroseconds = 8;
    return r;
}

EvaluationView viewOfRows(const std::vector<EvaluationRow>& rows, const EvaluationChoice& choice = {})
{
    return viewOf(std::make_shared<const std::vector<EvaluationSet>>(groupEvaluations(rows)), choice);
}

const QString sft = QStringLiteral("0001-sft/sft");
const QString ppo = QStringLiteral("0004-rl/step-000060");
const QString again = QStringLiteral("0005-evaluate/0004-rl/step-000060"); // ppo, evaluated once more

} // namespace

class TestWidgetsEvaluation : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        auto session = test::openMadeProject(path(), m_live);
        QVERIFY2(session, session ? "" : session.error().sentence().c_str());
        m_session = std::move(*session);
        QTRY_VERIFY_WITH_TIMEOUT(!m_session->busy(), patience);
    }

    // An evaluation reports its matrices at steps of their own and is still one evaluation; without a label
    // of the policy, steps are what tells policies apart.
    void rowsBecomeEvaluations()
    {
        const auto at = [](EvaluationRow row, std::int64_t step) {
            row.step = step;
            return row;
        };
        const auto labelled =
            groupEvaluations({at(rowOf("r", "ppo", "a", 1), 4), at(rowOf("r", "ppo", "b", 1), 8),
                              at(rowOf("r", "sft", "a", 1), 4)});
        QCOMPARE(labelled.size(), std::size_t(2));
        QCOMPARE(labelled[0].rows.size() + labelled[1].rows.size(), std::size_t(3));
        QCOMPARE(
            groupEvaluations({rowOf("r", "", "a", 1), rowOf("r", "", "b", 1), at(rowOf("r", "", "a", 1), 2)})
                .size(),
            std::size_t(2));
        // Evaluated twice after a resume: the later answer counts.
        // y = A x and C = A B of one matrix are two targets.
        EvaluationRow vector = rowOf("r", "p", "a", 1), eight = rowOf("r", "p", "a", 3), more = eight;
        eight.event.target.variant.columns = 8;
        more.event.target.variant.columns = 32;
        const auto both = groupEvaluations({vector, eight, more});
        QCOMPARE(both.size(), std::size_t(1));
        QCOMPARE(both.front().rows.size(), std::size_t(3));
        const auto resumed = groupEvaluations({rowOf("r", "p", "a", 1, 0, 1), rowOf("r", "p", "a", 3, 0, 2)});
        QCOMPARE(resumed[0].rows.size(), std::size_t(1));
        QCOMPARE(resumed[0].rows[0].event.correct, std::int64_t(3));
    }

    // Targets of one matrix are rows of their own: each with its name, its GFLOPS and its policies.
    void targetsOfOneMatrixAreApart()
    {
        std::vector<EvaluationRow> rows;
        for (const char* policy : {"p", "q"})
            for (const std::int64_t columns : {1, 8, 32}) {
                rows.push_back(rowOf("r", policy, "a", 1 + columns % 3, 4));
                rows.back().event.target.variant.columns = columns;
            }
        EvaluationChoice choice;
        choice.split.clear();
        const auto view = std::make_shared<const EvaluationView>(viewOfRows(rows, choice));
        MatrixResults results;
        results.showView(view, view->sets->front().key);
        const auto* model = results.model();
        QCOMPARE(model->rowCount(), 3);
        QStringList names;
        QVariantList gflops;
        constexpr int nameColumn = 0, gflopsColumn = 7;
        for (int row = 0; row < model->rowCount(); ++row) {
            names.append(model->index(row, nameColumn).data().toString());
            gflops.append(model->index(row, gflopsColumn).data(SortRole));
            const EvaluationEvent& event = model->rows()[static_cast<std::size_t>(row)].row;
            const auto policies = view->policiesOf(event);
            QCOMPARE(policies.size(), std::size_t(2));
            for (const auto& [set, of] : policies)
                QCOMPARE(of.target.key(), event.target.key());
        }
        QCOMPARE(names, (QStringList{QStringLiteral("a"), QStringLiteral("a, 8 columns"),
                                     QStringLiteral("a, 32 columns")}));
        QCOMPARE(gflops, (QVariantList{0.5, 4.0, 16.0})); // 2 x 1,000 non-zeros x columns in 4 us

        // From a row to its kernels: those of its task alone, where the matrix has another.
        const auto placeOf = [](MatrixResults& shown, int row) {
            QSignalSpy places(&shown, &MatrixResults::navigate);
            shown.table()->setCurrentIndex(shown.table()->model()->index(row, 0));
            Q_EMIT shown.table()->doubleClicked(shown.table()->currentIndex());
            return places.isEmpty() ? Destination{Destination::Kind::Project, {}}
                                    : places.first().first().value<Destination>();
        };
        QVERIFY(placeOf(results, 0).task == "spmv" && placeOf(results, 1).task == "spmm");
        QCOMPARE(placeOf(results, 1).key, QStringLiteral("a"));
        const auto alone = std::make_shared<const EvaluationView>(viewOfRows({rows[0]}, choice));
        MatrixResults ofOne;
        ofOne.showView(alone, alone->sets->front().key);
        QCOMPARE(placeOf(ofOne, 0).key, QStringLiteral("a"));
        QVERIFY(placeOf(ofOne, 0).task.empty());
    }

    // The newest stand first, and a colour stays while newer ones come.
    void coloursStay()
    {
        const std::vector<EvaluationRow> two{rowOf("r", "a", "m", 1, 0, 1), rowOf("r", "b", "m", 1, 0, 2)};
        auto three = two;
        three.push_back(rowOf("r", "c", "m", 1, 0, 3));
        const auto before = groupEvaluations(two), after = groupEvaluations(three);
        QCOMPARE(before[0].label, QStringLiteral("r/b"));
        QCOMPARE(after[1].label, QStringLiteral("r/b"));
        QCOMPARE(before[0].colour, after[1].colour);
        QVERIFY(after[0].colour != after[1].colour);
    }

    // pass@k of Chen et al. by hand: n = 4, c = 2: k = 1: 1/2, k = 2: 1 - 1/6, k = 3: 1.
    void passChartHasALineForEachPolicy()
    {
        EvaluationChoice choice;
        const std::vector<EvaluationRow> rows{rowOf("r", "a", "m", 2), rowOf("r", "a", "n", 0),
                                              rowOf("s", "b", "m", 4)};
        const ChartData chart = passChart(viewOfRows(rows, choice));
        QCOMPARE(chart.series.size(), 2);
        const ChartSeries& line = chart.series[chart.series[0].name == QLatin1String("r/a") ? 0 : 1];
        QCOMPARE(line.name, QStringLiteral("r/a"));
        QCOMPARE(line.curve->size(), std::size_t(4));
        QCOMPARE(line.curve->x(1), 2.0);
        QVERIFY(std::abs(line.curve->y(0) - 25) < 1e-9);
        QVERIFY(std::abs(line.curve->y(1) - 100 * (1 - 1 / 6.0) / 2) < 1e-9);
        QVERIFY(std::abs(line.curve->y(2) - 50) < 1e-9);
        choice.fasterOnly = true; // n = 4, c = 1
        QVERIFY(std::abs(passChart(viewOfRows(rows, choice)).series[0].curve->y(0) -
                         (chart.series[0].name == QLatin1String("r/a") ? 12.5 : 50)) < 1e-9);
    }

    // With a thousand programs what matters is among the first few: k goes by decades then.
    void manyProgramsGoByDecades()
    {
        auto many = rowOf("r", "a", "m", 100);
        many.event.samples = 1000;
        const ChartData data = passChart(viewOfRows({many}));
        QVERIFY(data.logX && !passChart(viewOfRows({rowOf("r", "a", "m", 2)})).logX);
        ChartWidget chart;
        chart.resize(600, 300);
        chart.setData(data);
        chart.show();
        QVERIFY(chart.view().x.logarithmic && chart.view().y.high == 100);
        QVERIFY(std::abs(chart.view().x.toUnit(std::sqrt(1000.0)) - 0.5) < 1e-6);
        QTest::keyClick(&chart, Qt::Key_Home);
        QTest::keyClick(&chart, Qt::Key_Right);
        QCOMPARE(chart.readout().x, 2.0);
        QTest::keyClick(&chart, Qt::Key_Plus); // around the cursor
        QVERIFY(chart.view().x.logarithmic && chart.view().x.high < 300 && chart.view().x.low <= 2);
        QTest::keyClick(&chart, Qt::Key_1); // nothing is left to be seen
        QTest::keyClick(&chart, Qt::Key_0);
    }

    void ratesStandBySplit()
    {
        auto train = rowOf("r", "a", "t", 4);
        train.event.split = "train";
        EvaluationChoice choice;
        choice.split = QStringLiteral("held-out"); // rates show both whatever is chosen
        const ChartData chart = ratesChart(viewOfRows({rowOf("r", "a", "m", 2), train}, choice));
        QCOMPARE(chart.categories.size(), 6);
        const ChartSeries& bars = chart.series.first();
        QCOMPARE(pointName(chart, bars, 3), QStringLiteral("correct, training"));
        const double expected[] = {100, 100, 50,
                                   100, 25,  50}; // compiled, correct, faster; held-out, training
        for (std::size_t i = 0; i < 6; ++i)
            QCOMPARE(bars.curve->y(i), expected[i]);
    }

    // The title has the largest k that all policies have; k is in the cells only where it differs.
    void passColumnNamesItsK()
    {
        EvaluationRow more = rowOf("s", "b", "m", 4, 0, 9);
        more.event.samples = more.event.compiled = 8;
        const auto seen = [](const std::vector<EvaluationRow>& rows) {
            PolicyList list;
            list.showView(viewOfRows(rows));
            const QAbstractItemModel* model = list.model();
            for (int column = 0; column < model->columnCount(); ++column)
                if (const QString title = model->headerData(column, Qt::Horizontal).toString();
                    title.startsWith(QLatin1String("pass@")) && title != QLatin1String("pass@1"))
                    return QString(title + QLatin1Char('|') + model->index(0, column).data().toString());
            return QStringLiteral("none");
        };
        const QString alike = seen({rowOf("r", "a", "m", 4)});
        QVERIFY2(alike.startsWith(QLatin1String("pass@4|")) && alike.count(QLatin1Char('@')) == 1,
                 qPrintable(alike));
        const QString several = seen({rowOf("r", "a", "m", 4), more});
        QVERIFY2(several.startsWith(QLatin1String("pass@k|")) && several.contains(QLatin1String(" @")),
                 qPrintable(several));
    }

    // Figures for matrices that the policy was trained on are never shown as if they were of others.
    void trainedOnIsSaid()
    {
        auto train = rowOf("r", "a", "t", 4);
        train.event.split = "train";
        EvaluationChoice choice;
        const auto nameIn = [](const EvaluationView& view) {
            PolicyList list;
            list.showView(view);
            return list.model()->index(0, 1).data().toString();
        };
        choice.split.clear();
        QCOMPARE(nameIn(viewOfRows({rowOf("r", "a", "m", 2), train}, choice)),
                 QStringLiteral("r/a (trained on 1 of 2)"));
        QCOMPARE(nameIn(viewOfRows({train}, choice)), QStringLiteral("r/a (trained on)"));
        QCOMPARE(nameIn(viewOfRows({rowOf("r", "a", "m", 2)}, choice)), QStringLiteral("r/a"));
        // So are all that show them: legends, boxes, differences, tables, headings.
        auto other = rowOf("s", "b", "t", 1, 0, 9);
        other.event.split = "train";
        const auto shared = std::make_shared<const EvaluationView>(viewOfRows({train, other}, choice));
        const EvaluationView& view = *shared;
        for (const ChartData& shown : {passChart(view), boxChart(view), ratesChart(view)})
            QVERIFY(std::any_of(shown.series.begin(), shown.series.end(), [](const ChartSeries& series) {
                return series.name == QLatin1String("s/b (trained on)");
            }));
        for (const BoxLine& line : view.boxLines())
            QVERIFY(!line.colour || line.label.endsWith(QLatin1String(" (trained on)")));
        QVERIFY(!view.comparison.empty());
        QCOMPARE(view.comparison.front().label, QStringLiteral("s/b (trained on)"));
        QCOMPARE(view.comparisonTable().rows.front().front(), std::string("s/b (trained on)"));
        QVERIFY(view.comparisonTable().title.find("r/a (trained on)") != std::string::npos);
        QCOMPARE(policyTable(view.results).rows.front().front(), view.results.front().label);
        QVERIFY(view.results.front().label.ends_with(" (trained on)"));
        ComparisonView differences;
        differences.showView(view);
        MatrixResults matrices;
        matrices.showView(shared, QStringLiteral("s/b"));
        QCOMPARE(matrices.model()->index(0, 0).data().toString(), QStringLiteral("t (trained on)"));
        QCOMPARE(matrices.policies()->index(0, 0).data().toString().section(QLatin1Char(' '), 1),
                 QStringLiteral("(trained on)"));
        const auto says = [](const QWidget& widget, const QString& text) {
            const auto labels = widget.findChildren<QLabel*>();
            return std::any_of(labels.begin(), labels.end(), [&](const QLabel* label) {
                return label->text().contains(text) || label->toolTip().contains(text);
            });
        };
        QVERIFY(says(differences, QStringLiteral("Differences from r/a (trained on)")));
        QVERIFY(
            says(matrices, QStringLiteral("Matrices of s/b (trained on), compared with r/a (trained on)")));
        const ChartData chart = ratesChart(viewOfRows({train}, choice)); // of one split, which it names
        QCOMPARE(pointName(chart, chart.series.first(), 1), QStringLiteral("correct, training"));
    }

    // GFLOPS = 2 nnz / time: 1,000 non-zeros in 1 us are 2; the baseline takes 8 us.
    void boxesAreQtsBoxes()
    {
        const EvaluationView view = viewOfRows({rowOf("r", "a", "m", 1, 1), rowOf("r", "a", "n", 1, 2),
                                                rowOf("r", "a", "o", 1, 4), rowOf("r", "a", "p", 0)});
        const ChartData data = boxChart(view);
        QCOMPARE(data.series.size(), 2); // and the baseline
        QCOMPARE(data.categories, QStringList(QStringLiteral("below 10,000")));
        QCOMPARE(data.series[0].boxes.first().count, std::int64_t(3));
        ChartWidget chart;
        chart.resize(600, 300);
        chart.setData(data);
        chart.show();
        QVERIFY(chart.view().y.high >= 2 && chart.view().y.low == 0);
        const auto* boxes = qobject_cast<QBoxPlotSeries*>(chart.chart()->series().first());
        QVERIFY(boxes);
        const double expected[] = {0.5, 0.75, 1, 1.5, 2};
        for (int i = 0; i < 5; ++i)
            QVERIFY(std::abs(boxes->boxSets().first()->at(i) - expected[i]) < 1e-9);
        QTest::keyClick(&chart, Qt::Key_Home);
        QCOMPARE(chart.readout().head, QStringLiteral("below 10,000"));
        QVERIFY(chart.readout().lines.first().text.contains(QLatin1String("1 (0.5 to 2, n = 3)")));
        QVERIFY(chart.accessibleDescription().contains(QLatin1String("1 at below 10,000")));
        QVERIFY(chartCsv(data).contains(QLatin1String("\"below 10,000\",0.5,0.75,1,1.5,2,3\n")));
        ChartTableModel table(data);
        QAbstractItemModelTester tester(&table, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QCOMPARE(table.columnCount(), 8);
        QCOMPARE(table.data(table.index(0, 4), Qt::DisplayRole).toString(), QStringLiteral("1"));
        // A hidden policy frees the axis; a logarithmic one has boxes too.
        QTest::keyClick(&chart, Qt::Key_1);
        QVERIFY(chart.view().y.high < 1);
        QTest::keyClick(&chart, Qt::Key_1);
        QTest::keyClick(&chart, Qt::Key_L);
        QVERIFY(chart.view().y.low > 0 && chart.view().y.low < 0.5);
        QVERIFY(!chart.toImage({400, 200}, 2).isNull());
    }

    // A bin where a policy has solved nothing leaves its place empty and does not move the others.
    void missingBoxesKeepTheirPlace()
    {
        auto large = rowOf("s", "b", "big", 1, 100);
        large.event.nnz = 100'000;
        const ChartData data = boxChart(viewOfRows({rowOf("r", "a", "m", 1, 1), large}));
        QCOMPARE(data.categories.size(), 2);
        ChartWidget chart;
        chart.resize(600, 300);
        chart.setData(data);
        for (const QAbstractSeries* series : chart.chart()->series())
            QCOMPARE(qobject_cast<const QBoxPlotSeries*>(series)->count(), 2);
        const auto axes = chart.chart()->axes(Qt::Horizontal);
        QCOMPARE(qobject_cast<QBarCategoryAxis*>(axes.first())->count(), 2);
        for (const ChartSeries& series : data.series)
            if (series.name == QLatin1String("s/b"))
                QCOMPARE(series.curve->x(0), 1.0);
    }

    // What was trained on is left out unless there is nothing else.
    void heldOutMatricesComeFirst()
    {
        auto train = rowOf("r", "a", "t", 4);
        train.event.split = "train";
        QCOMPARE(viewOfRows({train, rowOf("r", "a", "m", 1)}).policies[0].matrices, std::int64_t(1));
        QCOMPARE(viewOfRows({train}).policies[0].matrices, std::int64_t(1));
        EvaluationChoice all;
        all.split.clear();
        QCOMPARE(viewOfRows({train, rowOf("r", "a", "m", 1)}, all).policies[0].matrices, std::int64_t(2));
    }

    // Without a correct program there are no GFLOPS, which is another reason than that there are no matrices.
    void emptyBoxesSayWhy()
    {
        const auto text = [](const EvaluationView& view) { return boxChart(view).emptyText; };
        EvaluationRow row = rowOf("r", "a", "m", 0);
        row.event.baselineMicroseconds = 0;
        QVERIFY(boxChart(viewOfRows({row})).empty());
        QCOMPARE(text(viewOfRows({row})),
                 QStringLiteral("No ticked policy has a correct program on these matrices."));
        QVERIFY(text(viewOfRows({})).contains(QLatin1String("ticked")));
        EvaluationChoice nowhere;
        nowhere.split = QStringLiteral("nowhere");
        QVERIFY(text(viewOfRows({row}, nowhere)).contains(QLatin1String("split")));
    }

    // A search sums up what it found as an evaluation does; it is no policy.
    void searchesAreNoPolicies()
    {
        EvaluationRow search = rowOf("0001-search", "search", "m", 4, 1, 9);
        search.stage = "search";
        const EvaluationView view = viewOfRows({search, rowOf("r", "a", "m", 1)});
        QCOMPARE(view.policies.size(), std::size_t(1));
        QCOMPARE(view.policies[0].label, QStringLiteral("r/a"));
        QVERIFY(viewOfRows({search}).sets->empty());
    }

    void neverAPolicyWithItself()
    {
        // The same checkpoint by its own run and by a stage that evaluates.
        const EvaluationView view =
            viewOfRows({rowOf("rl", "step-1", "m", 2, 0, 1), rowOf("e", "rl/step-1", "m", 3, 0, 2),
                        rowOf("sft", "x", "m", 1, 0, 3)});
        QCOMPARE(view.choice.other, QStringLiteral("rl/step-1"));
        QCOMPARE(view.leftOut, std::int64_t(1));
        QVERIFY(!view.comparison.empty());
        for (const ComparisonLine& line : view.comparison)
            QCOMPARE(line.key, QStringLiteral("sft/x"));
        for (const auto& cells : view.comparisonTable().rows)
            QCOMPARE(cells[0], std::string("sft/x"));
        QVERIFY(viewOfRows({rowOf("r", "a", "m", 1)}).comparison.empty());
        QVERIFY(viewOfRows({}).comparisonTable().rows.empty());
    }

    void pageShowsTheProject()
    {
        EvaluationPage page;
        const auto strict = QAbstractItemModelTester::FailureReportingMode::QtTest;
        QAbstractItemModelTester policies(page.policies()->policies(), strict),
            comparison(page.comparison()->model(), strict), boxes(page.boxes()->model(), strict),
            matrices(page.matrices()->model(), strict), detail(page.matrices()->policies(), strict);
        open(page);
        QCOMPARE(page.policies()->policies()->rowCount(), 3);
        EvaluationChoice choice;
        choice.chosen = true;
        choice.shown = {sft, ppo};
        choice.other = sft;
        page.choose(choice);
        QTRY_COMPARE_WITH_TIMEOUT(page.view().results.size(), std::size_t(2), patience);
        page.policies()->setCurrent(ppo);
        QCOMPARE(page.matrices()->model()->rowCount(), 4);
        for (const MatrixLine& line : page.matrices()->model()->rows())
            QVERIFY(line.other.has_value());
        QCOMPARE(page.matrices()->policies()->rowCount(), 2);
        QCOMPARE(page.passChart()->data().series.size(), 2);
        QVERIFY(page.comparison()->model()->rowCount() >= 4);
        QVERIFY(page.boxes()->model()->rowCount() >= 2);
        // The names of what is measured against stand in the index's verdicts; here the programs are made up.
        QVERIFY(page.boxes()->model()->rows().back().label.startsWith(QLatin1String("Baseline")));
        choice.split = QStringLiteral("nowhere");
        page.choose(choice);
        QTRY_VERIFY_WITH_TIMEOUT(page.passChart()->data().empty(), patience);
        QVERIFY(page.passChart()->data().emptyText.contains(QLatin1String("split")));
        QCOMPARE(page.matrices()->model()->rowCount(), 0);
    }

    // However low the page is, three policies are seen whole, below their heads.
    void policiesAreSeenWhole()
    {
        EvaluationPage page;
        open(page);
        page.resize(1100, page.minimumSizeHint().height());
        page.show();
        const PolicyList* list = page.policies();
        QVERIFY(list->policies()->rowCount() >= 3);
        QTRY_VERIFY_WITH_TIMEOUT(list->viewport()->height() >= 3 * list->rowHeight(0), patience);
    }

    // Ticks, tables and kernels by the keyboard alone.
    // Every column of the results is painted, to the edge of the table, at widths where it scrolls and where
    // not.
    void columnsArePaintedWhole()
    {
        EvaluationPage page;
        open(page);
        page.showTab(EvaluationPage::Tab::Matrices);
        QTableView* table = page.matrices()->table();
        QTRY_VERIFY_WITH_TIMEOUT(table->model()->rowCount() > 0, patience);
        table->selectRow(0);
        for (const int width : {700, 1000, 1164, 1280, 1500}) {
            page.resize(width, 700);
            QTest::qWait(50);
            const QImage row = table->viewport()
                                   ->grab(QRect(0, table->rowViewportPosition(0), table->viewport()->width(),
                                                table->rowHeight(0)))
                                   .toImage();
            const int end = std::min(row.width(), table->horizontalHeader()->length() -
                                                      table->horizontalHeader()->offset());
            for (int x = 0; x < end; ++x)
                QVERIFY2(row.pixel(x, 1) == row.pixel(2, 1),
                         qPrintable(QStringLiteral("%1 of %2").arg(x).arg(width)));
        }
    }

    void keyboardGoesDownToKernels()
    {
        EvaluationPage page;
        open(page);
        QApplication::setActiveWindow(&page);
        PolicyList* list = page.policies();
        list->setCurrent(sft);
        list->setFocus();
        const auto shown = page.view().results.size();
        QTest::keyClick(list, Qt::Key_Space);
        QTRY_COMPARE_WITH_TIMEOUT(page.view().results.size(), shown - 1, patience);
        QCOMPARE(page.view().resultOf(sft), -1);
        QCOMPARE(list->current(), sft); // the selection stays where it was
        QTest::keyClick(list, Qt::Key_Space);
        QTRY_COMPARE_WITH_TIMEOUT(page.view().results.size(), shown, patience);
        QTest::keyClick(list, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(page.matrices()->table()->hasFocus(), test::patience());
        QTest::keyClick(page.matrices()->table(), Qt::Key_Down);
        QTest::keyClick(page.matrices()->table(), Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(page.matrices()->policyTable()->hasFocus(), test::patience());
        QSignalSpy places(&page, &Page::navigate);
        QTest::keyClick(page.matrices()->policyTable(), Qt::Key_Return);
        QCOMPARE(places.size(), 1);
        const auto place = places.takeFirst().first().value<Destination>();
        QVERIFY(place.kind == Destination::Kind::KernelsOfMatrix);
        QCOMPARE(place.page(), QStringLiteral("kernels"));
        const MatrixPolicyLine& line = page.matrices()->policies()->rows().front();
        QCOMPARE(place.key, QString::fromStdString(line.row.target.name));
        QCOMPARE(place.run, line.run);
        QTest::keyClick(page.matrices()->policyTable(), Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(page.matrices()->table()->hasFocus(), test::patience());
        // From a difference to the matrices behind it.
        page.showTab(EvaluationPage::Tab::Comparison);
        QTableView* differences = page.comparison()->table();
        QVERIFY(page.comparison()->model()->rowCount() > 0);
        // What is better or worse differs in the digits that are shown.
        const auto titled = [&](const char* title) {
            for (int column = 0; column < differences->model()->columnCount(); ++column)
                if (differences->model()->headerData(column, Qt::Horizontal) == QLatin1String(title))
                    return column;
            return -1;
        };
        int small = 0;
        for (int row = 0; row < differences->model()->rowCount(); ++row) {
            const auto cell = [&](const char* title) {
                return differences->model()->index(row, titled(title)).data().toString();
            };
            if (cell("Conclusion") != QLatin1String("better") && cell("Conclusion") != QLatin1String("worse"))
                continue;
            static const QRegularExpression none(QStringLiteral("^[+-]?(0\\.0+|1\\.0+\u00d7)$"));
            QVERIFY2(!none.match(cell("Difference")).hasMatch(), qPrintable(cell("Difference")));
            for (const QString& end : cell("95 % interval").split(QStringLiteral(" to ")))
                QVERIFY2(!none.match(end).hasMatch(), qPrintable(cell("95 % interval")));
            small += cell("Difference").startsWith(QLatin1String("+0.0")) ? 1 : 0;
        }
        QVERIFY(small > 0); // there is one that tenths of a percentage point would not show
        differences->setCurrentIndex(differences->model()->index(0, 0));
        const QString compared = page.comparison()->model()->rows().front().key;
        QTest::keyClick(differences, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(page.matrices()->table()->hasFocus(), test::patience());
        QCOMPARE(list->current(), compared);
        list->setCurrent(sft);
        // And by the mouse.
        QTableView* table = page.matrices()->table();
        const QPoint cell = table->visualRect(table->currentIndex()).center();
        QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, cell);
        QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, cell);
        QCOMPARE(places.size(), 1);
        QCOMPARE(places.first().first().value<Destination>().run, QStringLiteral("0001-sft"));
    }

    void choicesComeBack()
    {
        QStringList told;
        {
            EvaluationPage page;
            open(page);
            connect(&page, &Page::viewStateChanged, &page, [&](const QStringList& state) { told = state; });
            page.showTab(EvaluationPage::Tab::Comparison);
            EvaluationChoice choice;
            choice.chosen = true;
            choice.shown = {ppo, sft};
            choice.other = ppo;
            choice.split = QStringLiteral("held-out");
            page.choose(choice);
            QTRY_COMPARE_WITH_TIMEOUT(page.view().choice.other, ppo, patience);
        }
        EvaluationPage page;
        page.resize(1200, 760);
        page.setSession(m_session.get());
        page.restoreViewState(told);
        page.show();
        QTRY_COMPARE_WITH_TIMEOUT(page.view().results.size(), std::size_t(2), patience);
        QCOMPARE(page.view().choice.other, ppo);
        QCOMPARE(QString::fromStdString(page.shownTable().title).left(27),
                 QStringLiteral("Paired differences to 0004-"));
        page.restoreViewState({QStringLiteral("of another version")}); // is forgotten
        QCOMPARE(page.view().results.size(), std::size_t(2));
    }

    void tablesAreExported()
    {
        EvaluationPage page;
        open(page);
        const auto text = [&](const char* name, bool all) {
            const QString file = m_directory.filePath(QLatin1String(name));
            if (!page.exportTo(file.toStdString(), all))
                return QString();
            QFile read(file);
            return read.open(QIODevice::ReadOnly) ? QString::fromUtf8(read.readAll()) : QString();
        };
        const auto policyRows = static_cast<qsizetype>(page.view().results.size());
        QCOMPARE(text("t.csv", false).count(QLatin1Char('\n')), policyRows + 1);
        QVERIFY(text("t.csv", false).startsWith(QLatin1String("policy,pass@1,pass@5,")));
        QVERIFY(text("t.tex", false).contains(QLatin1String("\\toprule\npolicy & pass@1 &")));
        page.showTab(EvaluationPage::Tab::Boxes);
        QVERIFY(text("t.csv", false).startsWith(QLatin1String("non-zeros,policy,matrices,solved,smallest")));
        page.showTab(EvaluationPage::Tab::Matrices);
        std::int64_t matrices = 0;
        for (const PolicyLine& line : page.view().policies)
            matrices += line.shown ? line.matrices : 0;
        QCOMPARE(text("t.csv", false).count(QLatin1Char('\n')), matrices + 1);
        const QString all = text("all.md", true);
        for (const char* head :
             {"| policy | pass@1 |", "| non-zeros | policy |", "| policy | measure |", "| policy | matrix |"})
            QVERIFY2(all.contains(QLatin1String(head)), head);
        QCOMPARE(text("all.tex", true).count(QLatin1String("\\begin{table}")), 6);
        QVERIFY(!page.exportTo(m_directory.filePath(QStringLiteral("all.md/below-a-file.md")).toStdString(),
                               true));
    }

    void emptyProjectSaysWhatToDo()
    {
        QTemporaryDir directory;
        const std::string empty = directory.filePath(QStringLiteral("empty")).toStdString();
        QVERIFY(Project::create(empty, "empty"));
        auto session = ProjectSession::open(empty);
        QVERIFY(session);
        EvaluationPage page;
        page.setSession(session->get());
        page.show();
        QTRY_VERIFY_WITH_TIMEOUT(page.state() == ProjectPage::State::Empty, patience);
        QSignalSpy places(&page, &Page::navigate);
        const auto states = page.findChildren<EmptyState*>();
        for (const EmptyState* shown : states)
            if (shown->isVisible())
                QTest::mouseClick(shown->findChild<QPushButton*>(), Qt::LeftButton);
        QCOMPARE(places.size(), 1);
        QCOMPARE(places.first().first().value<Destination>().page(), QStringLiteral("training"));
        page.setSession(nullptr);
    }

    // An evaluation that runs: its matrices come one after the other, and what is selected stays.
    void rowsArriveWhileItRuns()
    {
        EvaluationPage page;
        const auto strict = QAbstractItemModelTester::FailureReportingMode::QtTest;
        QAbstractItemModelTester policies(page.policies()->policies(), strict),
            matrices(page.matrices()->model(), strict);
        open(page);
        page.policies()->setCurrent(ppo);
        const QString key = QStringLiteral("0006-rl/now");
        for (int i = 0; i < 3; ++i) {
            EvaluationEvent event = rowOf("", "now", "", i, 4).event;
            event.target.name = event.target.contents = "m" + std::to_string(i);
            auto& journal = m_live.sessions.back()->journal();
            QVERIFY(journal.append(50 + i, event));
            QVERIFY(journal.flush());
            m_session->updateNow();
            const auto seen = [&] {
                const auto& all = page.view().policies;
                return std::any_of(all.begin(), all.end(), [&](const PolicyLine& line) {
                    return line.key == key && line.matrices == i + 1;
                });
            };
            QTRY_VERIFY_WITH_TIMEOUT(seen(), patience);
            QCOMPARE(page.policies()->current(), ppo);
        }
        page.policies()->setCurrent(key);
        QCOMPARE(page.matrices()->model()->rowCount(), 3);
        QVERIFY(page.view().resultOf(key) >= 0); // the newest are shown until the user chooses
    }

    // Every control that takes the focus has a name, and Tab reaches tables and charts.
    void everythingHasAName()
    {
        EvaluationPage page;
        open(page);
        for (int tab = 0; tab < 4; ++tab) {
            page.showTab(static_cast<EvaluationPage::Tab>(tab));
            for (const QWidget* widget : page.findChildren<QWidget*>()) {
                if (!widget->isVisible() || widget->focusProxy() || !(widget->focusPolicy() & Qt::TabFocus))
                    continue; // viewports are their views
                const bool named = !widget->accessibleName().isEmpty() ||
                                   qobject_cast<const QAbstractButton*>(widget) ||
                                   widget->inherits("QTabBar") || widget->inherits("QTabWidget");
                QVERIFY2(named, qPrintable(widget->objectName() + QLatin1Char(32) +
                                           QLatin1String(widget->metaObject()->className())));
            }
        }
    }

    void cleanup()
    {
        QCOMPARE(test::takeWarnings(), QStringList());
        QVERIFY(QApplication::topLevelWidgets().isEmpty());
    }
    void cleanupTestCase() { m_session.reset(); }

private:
    std::filesystem::path path() const
    {
        return m_directory.filePath(QStringLiteral("project")).toStdString();
    }
    void open(EvaluationPage& page)
    {
        page.resize(1200, 760);
        page.setSession(m_session.get());
        page.show();
        QTRY_VERIFY_WITH_TIMEOUT(page.state() == ProjectPage::State::Content, patience);
    }

    QTemporaryDir m_directory;
    test::LiveRuns m_live;
    std::unique_ptr<ProjectSession> m_session;
};

SPARSERL_GUI_TEST_MAIN(TestWidgetsEvaluation)
#include "tst_widgets_evaluation.moc"

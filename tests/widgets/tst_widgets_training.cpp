// SPDX-License-Identifier: Apache-2.0
// The charts of runs: every point of the journal and no other, read once; which metrics, over what, and
// against what.
#include "app/workbench/main_window.h"
#include "project/index/index.h"
#include "project/run/metrics.h"
#include "tests/patience.h"
#include "tests/widgets/fixture_project.h"
#include "tests/widgets/gui_test.h"
#include "tests/widgets/journal_curves.h"
#include "tests/widgets/training_page_test.h"
#include "training/parameters/stage_parameters.h"
#include "widgets/common/chart_dates.h"
#include "widgets/common/chart_widget.h"
#include "widgets/common/filter_edit.h"
#include "widgets/common/format.h"
#include "widgets/training/charts_panel.h"
#include "widgets/training/metric_panels.h"
#include "widgets/training/metric_tree.h"
#include "widgets/training/run_charts.h"
#include "widgets/training/run_cost_view.h"
#include "widgets/training/run_curves.h"
#include "widgets/training/run_figure_store.h"
#include "widgets/training/run_header.h"
#include "widgets/training/run_list.h"
#include "widgets/training/run_model.h"
#include "widgets/training/run_readout.h"
#include "widgets/training/run_scatter.h"
#include "widgets/training/scatter_view.h"
#include "widgets/training/system_summary.h"
#include "widgets/training/training_page.h"

#include <QAbstractItemModelTester>
#include <QHeaderView>
#include <QLabel>
#include <QMouseEvent>
#include <QSignalSpy>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QTabWidget>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QtCharts/QChart>
#include <QtCharts/QLegend>
#include <QtCharts/QLegendMarker>
#include <cmath>
#include <map>

using namespace sparserl;
using test::curvesOf;
using test::difference;

class TestTraining : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        auto session = test::openMadeProject(path(), m_live);
        QVERIFY2(session, session ? "" : session.error().sentence().c_str());
        m_session = std::move(*session);
    }

    // The charts that a run is read by, point by point against its journal, and again after
    // points arrived while they were looked at.
    void diagnosticsEqualTheJournal()
    {
        TrainingPage page;
        open(page, QStringLiteral("0006-rl"));
        ChartsPanel& panel = *page.charts();
        const std::vector<std::vector<std::string>> diagnostics{
            {metric::reward},
            {metric::klSftK1},
            {metric::ppoKl, metric::updateKl},
            {metric::entropy},
            {metric::valueLoss},
            {metric::correctRate},
            {metric::speedupGeomean},
            {metric::programInformation, metric::familyInformation}};
        const std::vector<MetricPanel> panels = defaultPanels("rl");
        QCOMPARE(panels.size(), diagnostics.size());
        const RunId run = panel.curves().runs().front().id;
        const auto compare = [&] {
            const auto journal = curvesOf(path() / "runs" / "0006-rl");
            for (std::size_t p = 0; p < panels.size(); ++p) {
                if (panels[p].metrics != diagnostics[p])
                    return QStringLiteral("chart %1 shows other metrics").arg(p);
                qsizetype expected = 0;
                for (const auto& [key, points] : journal) {
                    if (std::find(diagnostics[p].begin(), diagnostics[p].end(), key.first) ==
                        diagnostics[p].end())
                        continue;
                    ++expected;
                    const auto curve = panel.curves().find({run, key.first, key.second});
                    if (!curve)
                        return QStringLiteral("no curve of %1").arg(toQString(key.first));
                    const auto& series = panel.charts()[p]->data().series;
                    if (std::none_of(series.begin(), series.end(),
                                     [&](const ChartSeries& s) { return s.curve == curve; }))
                        return QStringLiteral("%1 is not on its chart").arg(toQString(key.first));
                    if (const QString found = difference(*curve, points); !found.isEmpty())
                        return QStringLiteral("%1: %2").arg(toQString(key.first), found);
                }
                if (panel.charts()[p]->data().series.size() != expected || (expected == 0 && p < 6))
                    return QStringLiteral("chart %1 has other curves than the journal").arg(p);
            }
            return QString();
        };
        QTRY_COMPARE_WITH_TIMEOUT(compare(), QString(), patience);
        const auto kept = panel.curves().find({run, "reward", "train"});
        const std::size_t before = kept->size();
        JournalWriter& journal = m_live.sessions.front()->journal();
        for (int step = 200; step < 230; ++step) {
            const double value = step == 211 ? std::nan("") : 0.1 * step;
            QVERIFY(journal.append(step, MetricEvent{"train",
                                                     {{"reward", value},
                                                      {"actor/ppo_kl", step == 220 ? 9e9 : 1e-9},
                                                      {"kl/sft_k1", 0.3},
                                                      {"actor/entropy", -0.0},
                                                      {"critic/vf_loss", 1 / 3.0}}}));
            if (step % 10 == 0) {
                QVERIFY(journal.flush());
                QTest::qWait(150);
            }
        }
        QVERIFY(journal.flush());
        QTRY_COMPARE_WITH_TIMEOUT(compare(), QString(), patience);
        // The curve itself grew: nothing was read again.
        QCOMPARE(panel.curves().find({run, "reward", "train"}), kept);
        QCOMPARE(kept->size(), before + 30);
    }

    // What a chart says without a curve: that it is being read is true only until the answer has come.
    void emptyChartsSayWhy()
    {
        const MetricPanel panel = panelFor("loss");
        RunSummary young;
        young.id = 7;
        RunCurves curves;
        QCOMPARE(chartOf(panel, curves, -1).emptyText, QStringLiteral("Select a run to see its curves."));
        curves.setRuns({young}, RunCurves::Axis::Step);
        QCOMPARE(chartOf(panel, curves, -1).emptyText, QStringLiteral("Reading the project…"));
        QVERIFY(curves.apply({})); // to be shown
        const QString nothing = QStringLiteral("Nothing yet: values come with the first step.");
        QCOMPARE(chartOf(panel, curves, -1).emptyText, nothing);
        QVERIFY(!curves.apply({}));
        curves.setRuns({young}, RunCurves::Axis::Step);
        QCOMPARE(chartOf(panel, curves, -1).emptyText, nothing);
        CurvesAnswer others;
        others.names = {{"reward", "train"}};
        curves.apply(std::move(others));
        QCOMPARE(chartOf(panel, curves, -1).emptyText, panel.missing);
        young.id = 8;
        RunCurves next;
        next.setRuns({young}, RunCurves::Axis::Step);
        next.apply({});
        young.id = 9;
        next.setRuns({young}, RunCurves::Axis::Step);
        QCOMPARE(chartOf(panel, next, -1).emptyText, QStringLiteral("Reading the project…"));
    }

    // A journal with more splits than can be told apart: our own are drawn, some others, and it is said.
    void splitsOfOthersAreFew()
    {
        RunSummary run;
        run.id = 7;
        RunCurves curves;
        curves.setRuns({run}, RunCurves::Axis::Step);
        CurvesAnswer answer;
        for (int i = 0; i < 300; ++i) {
            const std::string split = i == 200 ? "train" : i == 100 ? "held-out" : "a" + std::to_string(i);
            CurvesAnswer::Chunk chunk;
            chunk.key = {7, "loss", split};
            chunk.points = {{1, 2}, {0.5, 0.25}, {1, 2}};
            chunk.fromStart = true;
            answer.chunks.push_back(std::move(chunk));
            answer.names.emplace_back("loss", split);
        }
        QVERIFY(curves.apply(std::move(answer)));
        const MetricPanel panel = panelFor("loss");
        const ChartData chart = chartOf(panel, curves, -1);
        QCOMPARE(chart.series.size(), 8);
        QCOMPARE(chart.series[0].name, QStringLiteral("train"));
        QCOMPARE(chart.series[1].name, QStringLiteral("held-out"));
        QVERIFY2(chart.hint.endsWith(QLatin1String("(8 of 300 splits)")), qPrintable(chart.hint));
        QCOMPARE(readoutRows({panel}, curves).size(), std::size_t(8));
    }

    // Over steps, the curve of a fork begins where it left its parent's.
    void forksBranchOff()
    {
        const auto parent = curvesOf(path() / "runs" / "0001-sft").at({"loss", "train"});
        auto opened = RunDirectory::open(path() / "runs" / "0001-sft");
        QVERIFY(opened);
        RunConfig config = opened->config();
        config.forkOf = "0001-sft";
        const auto add = [&](const char* name, const char* checkpoint, int first) {
            config.forkCheckpoint = checkpoint;
            auto run = RunDirectory::create(path() / "runs" / name, config);
            if (!run)
                qFatal("%s", run.error().sentence().c_str());
            auto session = run->beginWork();
            if (!session)
                qFatal("%s", session.error().sentence().c_str());
            for (int step = first; step < first + 20; ++step)
                (void)session->journal().append(step, MetricEvent{"train", {{"loss", 0.01 * step}}});
            (void)session->journal().flush();
        };
        add("0090-fork", "step-000040", 41);
        add("0091-again", "step-000040", 1); // from the weights: at a step of its own
        auto reader = ProjectReader::open(path());
        QVERIFY(reader);
        const auto indexed = [&](const char* name) {
            const auto run = reader->runByName(name);
            if (!run)
                return false;
            const auto metrics = reader->metricNames(run->id);
            return metrics && !metrics->empty() && metrics->front().points == 20;
        };
        QTRY_VERIFY_WITH_TIMEOUT(indexed("0090-fork") && indexed("0091-again"), patience);
        for (const auto& [name, branches] : {std::pair{"0090-fork", true}, {"0091-again", false}}) {
            const auto run = reader->runByName(name);
            RunCurves curves;
            curves.setRuns({*run}, RunCurves::Axis::Step);
            curves.setMetrics({"loss"});
            auto answer = readCurves(*reader, curves.question());
            QVERIFY(answer && curves.apply(std::move(*answer)));
            const auto curve = curves.find({run->id, "loss", "train"});
            QVERIFY(curve);
            QCOMPARE(curve->size(), branches ? std::size_t{21} : std::size_t{20});
            if (branches) {
                QCOMPARE(curve->x(0), 40.0);
                QCOMPARE(curve->y(0), parent.at(40).value);
            }
            QCOMPARE(curve->x(branches ? 1 : 0), branches ? 41.0 : 1.0);
            // What is drawn besides is no point of the run: nothing is read again for it.
            auto again = readCurves(*reader, curves.question());
            QVERIFY(again && again->chunks.empty());
            // Over time it would stand before the run itself.
            curves.setRuns({*run}, RunCurves::Axis::Time);
            curves.setMetrics({"loss"});
            answer = readCurves(*reader, curves.question());
            QVERIFY(answer && curves.apply(std::move(*answer)));
            QCOMPARE(curves.find({run->id, "loss", "train"})->size(), std::size_t{20});
        }
        for (const char* name : {"0090-fork", "0091-again"})
            std::filesystem::remove_all(path() / "runs" / name);
        QTRY_VERIFY_WITH_TIMEOUT(!reader->runByName("0090-fork"), patience);
    }

    // In portions, from the middle, and from the start where what is known does not hold.
    void curvesAreReadOnce()
    {
        auto reader = ProjectReader::open(path());
        QVERIFY(reader);
        const auto summary = reader->runByName("0001-sft");
        QVERIFY(summary);
        const auto journal = curvesOf(path() / "runs" / "0001-sft");
        RunCurves curves;
        curves.setRuns({*summary}, RunCurves::Axis::Step);
        curves.setMetrics({"loss", "reward"});
        int questions = 0;
        bool more = true;
        while (more && questions < 100) {
            auto answer = readCurves(*reader, curves.question(), 37);
            QVERIFY(answer);
            std::size_t points = 0;
            for (const CurvesAnswer::Chunk& chunk : answer->chunks)
                points += chunk.points.steps.size();
            QVERIFY(points <= 37);
            more = answer->more;
            QCOMPARE(curves.apply(std::move(*answer)), points > 0);
            ++questions;
        }
        QCOMPARE(questions, 12); // 416 points
        for (const auto& [name, split] :
             {std::pair{"loss", "train"}, {"loss", "held-out"}, {"reward", "held-out"}}) {
            const auto curve = curves.find({summary->id, name, split});
            QVERIFY(curve);
            QCOMPARE(difference(*curve, journal.at({name, split})), QString());
        }
        // Nothing new: nothing read, nothing changed.
        auto answer = readCurves(*reader, curves.question());
        QVERIFY(answer && answer->chunks.empty() && !answer->more);
        QVERIFY(!curves.apply(std::move(*answer)));
        // A point that came before the last one, and points that are gone.
        for (const KnownCurve& wrong : {KnownCurve{399, 400}, KnownCurve{500, 400}, KnownCurve{300, 350}}) {
            CurvesQuestion question = curves.question();
            question.known[{summary->id, "loss", "train"}] = wrong;
            auto again = readCurves(*reader, question);
            QVERIFY(again);
            QCOMPARE(again->chunks.size(), std::size_t{1});
            QVERIFY(again->chunks[0].fromStart);
            QCOMPARE(again->chunks[0].points.steps.size(), std::size_t{400});
            curves.apply(std::move(*again));
            QCOMPARE(difference(*curves.find({summary->id, "loss", "train"}), journal.at({"loss", "train"})),
                     QString());
        }
        // Another generation is another history.
        RunSummary resumed = *summary;
        ++resumed.generation;
        curves.setRuns({resumed}, RunCurves::Axis::Step);
        QVERIFY(!curves.find({summary->id, "loss", "train"}));
    }

    void curvesOverTime()
    {
        TrainingPage page;
        open(page, QStringLiteral("0001-sft"));
        ChartsPanel& panel = *page.charts();
        QTRY_VERIFY_WITH_TIMEOUT(!panel.charts()[0]->data().empty(), patience);
        QCOMPARE(panel.charts()[0]->data().x, ChartX::Whole);
        panel.setAxis(RunCurves::Axis::Time);
        QVERIFY(panel.charts()[0]->data().empty()); // no step on an axis of time, not even for a moment
        QTRY_VERIFY_WITH_TIMEOUT(!panel.charts()[0]->data().empty(), patience);
        const RunSummary& run = panel.curves().runs().front();
        const auto curve = panel.curves().find({run.id, "loss", "train"});
        const auto journal = curvesOf(path() / "runs" / "0001-sft");
        QCOMPARE(difference(*curve, journal.at({"loss", "train"}), run.created), QString());
        QCOMPARE(panel.charts()[0]->data().x, ChartX::Seconds);
        panel.setAxis(RunCurves::Axis::Step);
        QTRY_VERIFY_WITH_TIMEOUT(!panel.charts()[0]->data().empty(), patience);
        QCOMPARE(panel.charts()[0]->data().series[0].curve->x(0), 1.0);
    }

    // Counted from the start, or step by step; an evaluation stands where its step ended.
    void curvesOverTokens()
    {
        QTemporaryDir directory;
        const auto project = std::filesystem::path(directory.path().toStdString()) / "project";
        QVERIFY(Project::create(project, "tokens"));
        RunConfig config;
        config.stage = "rl";
        const auto begin = [&](const char* name) {
            auto run = RunDirectory::create(project / "runs" / name, config);
            return run ? run->beginWork() : Result<RunSession>(fail(run.error()));
        };
        auto sampled = begin("0001-rl"), read = begin("0002-rl"), silent = begin("0003-rl");
        QVERIFY(sampled && read && silent);
        const auto append = [](RunSession& run, int step, const char* split, double reward, const char* count,
                               double tokens) {
            MetricEvent event{split, {{"reward", reward}}};
            if (count)
                event.values[count] = tokens;
            QVERIFY(run.journal().append(step, event) && run.journal().flush());
        };
        append(*sampled, 0, "held-out", 0.0, nullptr, 0);
        append(*sampled, 1, "train", 0.1, "perf/total_num_tokens", 100);
        append(*sampled, 3, "train", 0.3, "perf/total_num_tokens", 50);
        append(*sampled, 3, "held-out", 0.35, nullptr, 0);
        append(*read, 1, "train", 0.5, "num_tokens", 1000);
        append(*read, 2, "train", 0.6, "num_tokens", 2500);
        append(*silent, 1, "train", 0.7, nullptr, 0);
        auto indexer = Indexer::open(project);
        QVERIFY(indexer && indexer->update());
        auto reader = ProjectReader::open(project);
        QVERIFY(reader);
        RunCurves curves;
        curves.setMetrics({"reward"});
        const auto runs = reader->runs();
        QVERIFY(runs);
        curves.setRuns(*runs, RunCurves::Axis::Tokens);
        const auto ask = [&](std::size_t limit) {
            for (bool more = true; more;) {
                auto answer = readCurves(*reader, curves.question(), limit);
                QVERIFY(answer);
                more = answer->more;
                curves.apply(std::move(*answer));
            }
        };
        const auto xs = [&](const char* run, const char* split) {
            const auto curve = curves.find({reader->runByName(run)->id, "reward", split});
            QList<double> list;
            for (std::size_t i = 0; curve && i < curve->size(); ++i)
                list.append(curve->x(i));
            return list;
        };
        ask(1);
        QCOMPARE(xs("0001-rl", "train"), QList<double>({100, 150}));
        QCOMPARE(xs("0001-rl", "held-out"), QList<double>({0, 150}));
        QCOMPARE(xs("0002-rl", "train"), QList<double>({1000, 2500}));
        QVERIFY(xs("0003-rl", "train").isEmpty());
        append(*sampled, 4, "train", 0.4, "perf/total_num_tokens", 7);
        append(*sampled, 5, "train", 0.4, nullptr, 0); // its tokens are not known yet
        QVERIFY(indexer->update());
        ask(200'000);
        QCOMPARE(xs("0001-rl", "train"), QList<double>({100, 150, 157}));
        append(*sampled, 6, "train", 0.4, "perf/total_num_tokens", 3);
        QVERIFY(indexer->update());
        ask(200'000);
        QCOMPARE(xs("0001-rl", "train"), QList<double>({100, 150, 157, 157, 160}));
    }

    /// One chart has one meaning and the unit that it says: how far from the reference, how far in one
    /// update.
    void chartsHaveOneUnit()
    {
        for (const StageKind kind : stageKinds())
            for (const MetricPanel& panel : defaultPanels(std::string(nameOf(kind))))
                for (const std::string& name : panel.metrics) {
                    const auto* first = findMetric(panel.metrics.front());
                    const auto* metric = findMetric(name);
                    QVERIFY2(first && metric && metric->unit == first->unit, name.c_str());
                    if (!metric->unit.empty())
                        QVERIFY2(panel.hint.startsWith(toQString(std::string(metric->unit))), name.c_str());
                }
        TrainingPage page;
        open(page, QStringLiteral("0006-rl"));
        ChartWidget* reference = page.charts()->charts()[1];
        QTRY_COMPARE_WITH_TIMEOUT(reference->data().series.size(), 2, patience); // on both splits
        QCOMPARE(reference->data().title, QStringLiteral("KL to reference")); // as list and terminal call it
        QCOMPARE(metricWords(std::string(metric::klSftK1)), reference->data().title);
        QVERIFY(reference->data().hint.startsWith(QLatin1String("per token")));
        QCOMPARE(reference->chart()->axes(Qt::Vertical).size(), 1);
        QVERIFY(reference->data().series[1].name.contains(QLatin1String("held-out")));
        ChartWidget* update = page.charts()->charts()[2];
        QCOMPARE(update->data().title, QStringLiteral("KL of update"));
        QVERIFY(page.grab().save(QStringLiteral("training-reinforcement.png")));
        QCOMPARE(update->chart()->axes(Qt::Vertical).size(), 1);
    }

    void theMachineInOneLine()
    {
        const auto metric = [](const char* name, double value) {
            return LatestMetric{name, systemSplit, 7, value};
        };
        std::vector<LatestMetric> all{{"loss", "train", 7, 3.5}, {"system/cpu", "train", 7, 99}};
        QCOMPARE(systemSummary(all), QString()); // nothing of the machine
        all.push_back(metric("system/cpu", 2.04));
        all.push_back(metric("system/memory/worker", 1.0));
        all.push_back(metric("system/memory/runners", 0.3));
        QCOMPARE(systemSummary(all), QStringLiteral("2.0 cores, 1.3 GiB"));
        all.push_back(metric("system/gpu_utilisation/0", 87.4));
        all.push_back(metric("system/gpu_memory/0", 41.2));
        all.push_back(metric("system/gpu_memory_total/0", 139.1));
        QCOMPARE(systemSummary(all), QStringLiteral("2.0 cores, 1.3 GiB; GPU 87 %, 41 of 139 GiB"));
        all.push_back(metric("system/gpu_utilisation/3", 12.6));
        all.push_back(metric("system/gpu_memory/3", 3));
        all.push_back(metric("system/gpu_memory_total/3", 139.1));
        QCOMPARE(systemSummary(all), QStringLiteral("2.0 cores, 1.3 GiB; 2 GPUs 50 %, 44 of 278 GiB"));
        all.push_back(metric("system/cpu", std::nan("")));
        QVERIFY(systemSummary(all).startsWith(QLatin1String("2.0 cores")));
    }

    // Under a heading of its own, on no chart until it is asked for; a line below what the run cost.
    void theMachineIsCharted()
    {
        QTemporaryDir directory;
        const auto project = std::filesystem::path(directory.path().toStdString()) / "project";
        QVERIFY(Project::create(project, "machine"));
        RunConfig config;
        config.stage = "sft";
        auto run = RunDirectory::create(project / "runs" / "0001-sft", config);
        QVERIFY(run);
        {
            auto work = run->beginWork();
            QVERIFY(work);
            auto& journal = work->journal();
            QVERIFY(journal.append(0, StateEvent{RunState::Running, {}, 40}));
            QVERIFY(journal.append(0, MetricEvent{systemSplit, {{"system/cpu", 0.4}}}));
            for (int step = 1; step <= 40; ++step) {
                QVERIFY(
                    journal.append(step, MetricEvent{"train", {{"loss", 9.0 / step}, {"timing_s/step", 2}}}));
                if (step % 5 != 0)
                    continue;
                std::map<std::string, double> values{{"system/cpu", 1.9 + 0.01 * step},
                                                     {"system/memory/worker", 1.1},
                                                     {"system/memory/runners", 0.2}};
                for (const char* gpu : {"0", "1"}) {
                    values[metric::gpuUtilisation.part(gpu)] = 80 + std::sin(step) * 15;
                    values[metric::gpuMemory.part(gpu)] = 41;
                    values[metric::gpuMemoryTotal.part(gpu)] = 139;
                    values[metric::gpuPower.part(gpu)] = 400 + step;
                }
                QVERIFY(journal.append(step, MetricEvent{systemSplit, values}));
            }
            QVERIFY(journal.append(40, StateEvent{RunState::Done, {}, 40}));
        }
        auto indexer = Indexer::open(project);
        QVERIFY(indexer && indexer->update());
        {
            // What the list says of a run is never of its machine, even where there is nothing else.
            auto reader = ProjectReader::open(project);
            QVERIFY(reader);
            const auto summary = reader->runByName("0001-sft");
            QVERIFY(summary);
            QCOMPARE(summary->headline, std::string("loss"));
        }
        auto session = ProjectSession::open(project);
        QVERIFY(session);
        TrainingPage page;
        test::openRun(page, session->get(), QStringLiteral("0001-sft"));
        ChartsPanel& panel = *page.charts();
        QTRY_VERIFY_WITH_TIMEOUT(!panel.charts()[0]->data().empty(), patience);
        const std::size_t usual = panel.charts().size();
        for (const ChartWidget* chart : panel.charts())
            for (const ChartSeries& series : chart->data().series)
                QVERIFY(!series.name.contains(QLatin1String("system")));
        const QStandardItemModel* tree = panel.metricTree()->model();
        const auto groups = tree->findItems(QStringLiteral("System"));
        QCOMPARE(groups.size(), 1);
        QCOMPARE(groups.first()->rowCount(), 3 + 2 * 4);
        for (int i = 0; i < groups.first()->rowCount(); ++i)
            QCOMPARE(groups.first()->child(i)->checkState(), Qt::Unchecked);
        panel.setExtraMetric("system/gpu_power/1", true);
        panel.setExtraMetric("system/cpu", true);
        QCOMPARE(panel.charts().size(), usual + 2);
        ChartWidget* power = panel.charts()[usual];
        ChartWidget* cpu = panel.charts()[usual + 1];
        QTRY_VERIFY_WITH_TIMEOUT(!power->data().empty() && !cpu->data().empty(), patience);
        QCOMPARE(power->data().hint, QStringLiteral("W"));
        QCOMPARE(cpu->data().hint, QStringLiteral("cores"));
        QCOMPARE(power->data().series.size(), 1);
        QCOMPARE(power->data().series[0].name, QStringLiteral("machine"));
        QCOMPARE(power->data().series[0].curve->size(), std::size_t{8});
        QCOMPARE(power->data().series[0].curve->y(7), 440.0);
        QCOMPARE(cpu->data().series[0].curve->x(0), 0.0);
        auto* tabs = page.findChild<QTabWidget*>();
        for (int tab = 0; tab < tabs->count(); ++tab)
            if (tabs->tabText(tab).contains(QLatin1String("Charts")))
                tabs->setCurrentIndex(tab);
        QVERIFY(page.grab().save(QStringLiteral("machine-charts.png")));
        auto* cost = page.findChild<RunCostView*>();
        tabs->setCurrentWidget(cost);
        QTRY_VERIFY_WITH_TIMEOUT(!cost->machine()->text().isEmpty(), patience);
        QCOMPARE(cost->machine()->text(),
                 QStringLiteral("In use on its machine: 2.3 cores, 1.3 GiB; 2 GPUs 91 %, 82 of 278 GiB"));
        QVERIFY(cost->machine()->isVisible());
        QVERIFY(page.grab().save(QStringLiteral("machine-cost.png")));
        page.setSession(nullptr);
    }

    void treeGroupsAndFindsMetrics()
    {
        MetricTree tree;
        QAbstractItemModelTester tester(tree.visibleModel(),
                                        QAbstractItemModelTester::FailureReportingMode::QtTest);
        std::vector<std::string> names;
        for (const MetricDescription& description : metricDescriptions())
            for (const std::string& name : description.names())
                names.push_back(name);
        std::sort(names.begin(), names.end());
        names.push_back("someone/else's");
        tree.setMetrics(names, {metric::reward});
        const auto leaves = [&] {
            int count = 0;
            for (int g = 0; g < tree.visibleModel()->rowCount(); ++g)
                count += tree.visibleModel()->rowCount(tree.visibleModel()->index(g, 0));
            return count;
        };
        QCOMPARE(leaves(), static_cast<int>(names.size()));
        QVERIFY(tree.model()->rowCount() >= 5 && tree.model()->rowCount() < 30);
        QCOMPARE(tree.model()->item(0)->text(), QStringLiteral("Loss")); // the order of metrics.def
        QCOMPARE(tree.model()->item(tree.model()->rowCount() - 1)->text(), QStringLiteral("Others"));
        // By name, and by what the sentence about it says.
        tree.setFilter(QStringLiteral("GRAD_norm"));
        QVERIFY(leaves() >= 1 && leaves() < 8);
        tree.setFilter(QStringLiteral("before clipping"));
        QVERIFY(leaves() >= 1);
        tree.setFilter(QStringLiteral("no such thing"));
        QCOMPARE(leaves(), 0);
        tree.setFilter({});
        // A tick is told once; what has a chart has one.
        QSignalSpy toggled(&tree, &MetricTree::toggled);
        const auto item = [&](const QString& name) {
            const auto found = tree.model()->findItems(name, Qt::MatchExactly | Qt::MatchRecursive);
            return found.isEmpty() ? nullptr : found.first();
        };
        item(QStringLiteral("perplexity"))->setCheckState(Qt::Checked);
        QCOMPARE(toggled.size(), 1);
        QCOMPARE(toggled[0][0].toString(), QStringLiteral("perplexity"));
        QCOMPARE(item(QStringLiteral("reward"))->checkState(), Qt::Checked);
        // Told from outside, it says nothing back.
        tree.setMetrics(names, {metric::reward});
        QCOMPARE(item(QStringLiteral("perplexity"))->checkState(), Qt::Unchecked);
        QCOMPARE(toggled.size(), 1);
    }

    // The set is there again when the project is opened the next time; another project has its own.
    void chosenMetricsAreKeptPerProject()
    {
        const QString file = m_directory.filePath(QStringLiteral("charts.ini"));
        const QString other = m_directory.filePath(QStringLiteral("other project"));
        QVERIFY(Project::create(other.toStdString(), "other"));
        const QStringList chosen{QStringLiteral("timing_s/sampling"), QStringLiteral("actor/grad_norm")};
        {
            Settings settings(file);
            MainWindow window(settings);
            window.setQuietClose(true);
            QVERIFY(window.openProject(toQString(path().string())));
            auto* panel = window.findChild<ChartsPanel*>();
            QVERIFY(panel);
            for (const QString& metric : chosen)
                panel->setExtraMetric(metric.toStdString(), true);
            QCOMPARE(panel->charts().size(), std::size_t{10});
            QVERIFY(window.openProject(other));
            QCOMPARE(panel->chosenMetrics(), QStringList());
            QVERIFY(window.openProject(toQString(path().string())));
            QCOMPARE(panel->chosenMetrics(), chosen);
            panel->setExtraMetric("actor/grad_norm", false);
            panel->setSmoothing(0.85);
            panel->setAxis(RunCurves::Axis::Time);
        }
        Settings settings(file);
        MainWindow window(settings);
        window.setQuietClose(true);
        QVERIFY(window.openProject(toQString(path().string())));
        auto* panel = window.findChild<ChartsPanel*>();
        QCOMPARE(panel->chosenMetrics(), QStringList(QStringLiteral("timing_s/sampling")));
        QCOMPARE(panel->look(), QStringList({QStringLiteral("@over=1"), QStringLiteral("@smoothing=0.85")}));
        QVERIFY(window.openProject(other)); // which has its own look
        QCOMPARE(panel->look(), QStringList({QStringLiteral("@over=0"), QStringLiteral("@smoothing=0")}));
    }

    // Charts are enlarged, hidden and put in another order, by keys, menu and title; and stay so.
    void chartsAreArranged()
    {
        TrainingPage page;
        open(page, QStringLiteral("0006-rl"));
        ChartsPanel& panel = *page.charts();
        const auto titles = [&] {
            QStringList seen;
            for (ChartWidget* chart : panel.charts())
                if (chart->isVisibleTo(&panel))
                    seen.append(chart->data().title);
            return seen;
        };
        const QStringList before = titles();
        QVERIFY(before.size() > 4);
        // Enter enlarges, Escape goes back; Alt+Right moves, Delete hides.
        QTest::keyClick(panel.charts()[1], Qt::Key_Return);
        QCOMPARE(titles(), QStringList(before[1]));
        QVERIFY(panel.enlarged() == std::optional<std::size_t>(1));
        QTest::qWait(50); // for the layout
        QVERIFY(panel.charts()[1]->height() > 2 * panel.charts()[1]->minimumHeight());
        QVERIFY(page.grab().save(QStringLiteral("enlarged.png")));
        const auto* size = panel.charts()[1]->findChild<QToolButton*>(QStringLiteral("enlarge"));
        QVERIFY(size);
        QCOMPARE(size->icon().name(), QStringLiteral("reduce"));
        QTest::keyClick(panel.charts()[1], Qt::Key_Escape);
        QCOMPARE(size->icon().name(), QStringLiteral("enlarge"));
        QCOMPARE(titles(), before);
        QTest::keyClick(panel.charts()[0], Qt::Key_Right, Qt::AltModifier);
        QStringList order = before;
        order.move(0, 1);
        QCOMPARE(titles(), order);
        const QString alone = order[2];
        QTest::keyClick(panel.charts()[2], Qt::Key_Delete);
        order.removeAt(2);
        QCOMPARE(titles(), order);
        // What is drawn moved with its title.
        for (ChartWidget* chart : panel.charts())
            if (chart->data().title == before[0])
                QTRY_VERIFY_WITH_TIMEOUT(!chart->data().series.isEmpty(), patience);
        // By its title with the mouse: onto another.
        QTest::qWait(50);
        ChartWidget* held = panel.charts()[0];
        ChartWidget* target = panel.charts()[1];
        const QPoint grip(20, 6);
        const auto send = [&](QEvent::Type type, const QPoint& at, Qt::MouseButtons buttons) {
            QMouseEvent event(type, QPointF(at), held->viewport()->mapToGlobal(QPointF(at)), Qt::LeftButton,
                              buttons, Qt::NoModifier);
            QCoreApplication::sendEvent(held->viewport(), &event);
        };
        const QPoint there = held->viewport()->mapFromGlobal(target->mapToGlobal(target->rect().center()));
        send(QEvent::MouseButtonPress, grip, Qt::LeftButton);
        send(QEvent::MouseMove, there, Qt::LeftButton);
        send(QEvent::MouseButtonRelease, there, Qt::NoButton);
        order.move(0, 1);
        QTRY_COMPARE_WITH_TIMEOUT(titles(), order, patience);
        // The tree has what is hidden without its tick, and gives it back.
        const QStringList look = panel.look();
        ChartsPanel other;
        other.setLook(look);
        QCOMPARE(other.look(), look);
        panel.showHidden();
        QVERIFY(titles().contains(alone));
        panel.setMetricShown("reward", false);
        const int rewards = static_cast<int>(titles().size());
        panel.setMetricShown("reward", true);
        QCOMPARE(titles().size(), rewards + 1);
        // The last one stays.
        while (panel.charts().size() > 1)
            panel.hideChart(0);
        panel.hideChart(0);
        QCOMPARE(panel.charts().size(), std::size_t(1));
        panel.setLook({});
        QCOMPARE(titles(), before);
    }

    // Linked charts zoom together, others alone; smoothing is a number; wall time is by the clock.
    void axesAndSmoothing()
    {
        TrainingPage page;
        open(page, QStringLiteral("0006-rl"));
        ChartsPanel& panel = *page.charts();
        QTRY_VERIFY_WITH_TIMEOUT(!panel.charts()[0]->data().series.isEmpty(), patience);
        QTest::keyClick(panel.charts()[0], Qt::Key_Plus);
        QVERIFY(panel.charts()[0]->zoomed() && panel.charts()[3]->zoomed());
        QTest::keyClick(panel.charts()[0], Qt::Key_0);
        QVERIFY(!panel.charts()[3]->zoomed());
        panel.linkButton()->setChecked(false);
        QTest::keyClick(panel.charts()[0], Qt::Key_Plus);
        QVERIFY(panel.charts()[0]->zoomed() && !panel.charts()[3]->zoomed());
        QTest::keyClick(panel.charts()[0], Qt::Key_0);
        panel.setSmoothing(0.7);
        QCOMPARE(panel.charts()[0]->data().series[0].curve->smoothing(), 0.7);
        QVERIFY(panel.look().contains(QStringLiteral("@smoothing=0.7")));
        QVERIFY(panel.look().contains(QStringLiteral("@linked=0")));
        panel.setAxis(RunCurves::Axis::Clock);
        QTRY_VERIFY_WITH_TIMEOUT(panel.charts()[0]->data().x == ChartX::Date &&
                                     !panel.charts()[0]->data().series.isEmpty(),
                                 patience);
        auto reader = ProjectReader::open(path());
        QVERIFY(reader);
        const auto run = reader->runByName("0006-rl");
        QVERIFY(run);
        const auto points = reader->points(run->id, "reward", "train");
        QVERIFY(points && !points->times.empty());
        const ChartSeries& series = panel.charts()[0]->data().series[0];
        QCOMPARE(series.curve->x(0), points->times.front());
        QCOMPARE(series.curve->size(), points->times.size());
        QTest::keyClick(panel.charts()[0], Qt::Key_Home);
        QCOMPARE(panel.charts()[0]->readout().head, dateText(points->times.front()));
        QTest::qWait(50);
        QVERIFY(page.grab().save(QStringLiteral("wall-time.png")));
    }

    // A parameter against a metric: a point for each run that the filter leaves, in its colour.
    void scatterOfRuns()
    {
        TrainingPage page;
        open(page, QStringLiteral("0006-rl"));
        page.findChild<QTabWidget*>()->setCurrentWidget(page.scatter());
        ScatterView& view = *page.scatter()->view();
        QTRY_VERIFY_WITH_TIMEOUT(page.list()->figures()->named(), patience);
        const RunFigure x{RunFigure::Kind::Parameter, "rl.entropy_coef", {}},
            y{RunFigure::Kind::Metric, "reward", "train"};
        page.scatter()->setAxes(x, y);
        auto reader = ProjectReader::open(path());
        QVERIFY(reader);
        const auto runs = reader->runs();
        QVERIFY(runs);
        std::map<QString, std::pair<double, double>> expected;
        for (const RunSummary& run : *runs) {
            const auto config = reader->runConfig(run.id);
            const auto latest = reader->latestMetrics(run.id);
            if (!config || !latest || run.notes.archived || !config->parameters.contains("rl.entropy_coef"))
                continue;
            for (const LatestMetric& metric : *latest)
                if (metric.name == "reward" && metric.split == "train")
                    expected[toQString(run.name)] = {
                        std::stod(toText(config->parameters.at("rl.entropy_coef"))), metric.value};
        }
        QVERIFY(expected.size() > 1);
        QTRY_COMPARE_WITH_TIMEOUT(view.data().points.size(), expected.size(), patience);
        for (const ScatterPoint& point : view.data().points) {
            QCOMPARE(point.x, expected.at(point.key).first);
            QVERIFY(point.y == expected.at(point.key).second ||
                    (std::isnan(point.y) && std::isnan(expected.at(point.key).second)));
            for (const RunRow& row : page.model()->rows())
                if (toQString(row.name) == point.key)
                    QCOMPARE(point.colour, runColour(row));
        }
        QVERIFY(page.grab().save(QStringLiteral("scatter.png")));
        // A click chooses the run.
        std::size_t other = 0;
        while (other < view.data().points.size() &&
               (view.data().points[other].key == page.selectedKey() || !view.placeOf(other)))
            ++other;
        QVERIFY(other < view.data().points.size());
        const QString key = view.data().points[other].key;
        QTest::mouseMove(&view, view.placeOf(other)->toPoint());
        QTest::mouseClick(&view, Qt::LeftButton, {}, view.placeOf(other)->toPoint());
        const QPointF place = *view.placeOf(other);
        bool shared = false; // by another point in the same place
        for (std::size_t i = 0; i < view.data().points.size(); ++i)
            shared = shared ||
                     (i != other && view.placeOf(i) && (*view.placeOf(i) - place).manhattanLength() < 12);
        QVERIFY(shared || page.selectedKey() == key);
        // The filter of the list is the plot's, too; texts stand in their order.
        page.list()->filterEdit()->setText(QStringLiteral("name = ") + key);
        QTRY_COMPARE_WITH_TIMEOUT(view.data().points.size(), std::size_t(1), patience);
        page.list()->filterEdit()->clear();
        page.scatter()->setAxes(RunFigure{RunFigure::Kind::Parameter, "rl.algorithm", {}}, y);
        QTRY_VERIFY_WITH_TIMEOUT(view.data().xName == QLatin1String("rl.algorithm"), patience);
        QVERIFY(view.csv().startsWith("\"run\",\"rl.algorithm\""));
        const QStringList look = page.scatter()->look();
        page.scatter()->setLook({});
        page.scatter()->setLook(look);
        QCOMPARE(page.scatter()->look(), look);
    }

    // Several runs over each other: one cursor, one table of values, differences to a baseline.
    void runsAreComparedAtTheCursor()
    {
        TrainingPage page;
        open(page, QStringLiteral("0006-rl"));
        auto reader = ProjectReader::open(path());
        QVERIFY(reader);
        const auto first = reader->runByName("0006-rl"), second = reader->runByName("0002-rl");
        QVERIFY(first && second);
        ChartsPanel& panel = *page.charts();
        QVERIFY(!panel.readout()->isVisibleTo(&panel));
        QTableView* table = nullptr;
        for (QTableView* view : page.findChildren<QTableView*>())
            if (view->selectionMode() == QAbstractItemView::ExtendedSelection)
                table = view;
        QVERIFY(table);
        for (int row = 0; row < table->model()->rowCount(); ++row)
            if (table->model()->index(row, RunName).data().toString() == QLatin1String("0002-rl"))
                table->selectionModel()->select(table->model()->index(row, RunName),
                                                QItemSelectionModel::Select | QItemSelectionModel::Rows);
        QTRY_COMPARE_WITH_TIMEOUT(panel.curves().runs().size(), std::size_t{2}, patience);
        const auto curve = [&](const RunSummary& run) {
            return panel.curves().find({run.id, "reward", "train"});
        };
        QTRY_VERIFY_WITH_TIMEOUT(curve(*first) && curve(*second), patience);
        QVERIFY(panel.readout()->isVisibleTo(&panel));
        const QTableWidget& values = *panel.readout()->table();
        QCOMPARE(values.columnCount(), 3);
        const auto row = [&](const QString& metric) {
            const auto found = values.findItems(metric, Qt::MatchStartsWith);
            return found.isEmpty() ? -1 : found.first()->row();
        };
        const int reward = row(QStringLiteral("reward · train"));
        QVERIFY(reward >= 0);
        const std::size_t last = curve(*second)->size() - 1;
        QCOMPARE(values.item(reward, 2)->text(), formatNumber(curve(*second)->y(last), 5));
        for (QToolButton* button : panel.findChildren<QToolButton*>())
            if (button->text() == QLatin1String("Metrics"))
                button->click();
        QVERIFY(panel.metricTree()->isVisibleTo(&panel));
        // The cursor of one chart is everyone's.
        panel.charts()[2]->setFocus();
        QTest::keyClick(panel.charts()[2], Qt::Key_Home);
        for (ChartWidget* chart : panel.charts())
            if (!chart->data().series.isEmpty())
                QCOMPARE(chart->readout().x, 1.0);
        QCOMPARE(values.item(reward, 1)->text(), formatNumber(curve(*first)->y(0), 5));
        panel.setBaseline(0);
        QTest::qWait(50); // for the layout
        QVERIFY(page.grab().save(QStringLiteral("compared.png")));
        QCOMPARE(values.item(reward, 1)->text(), formatNumber(curve(*first)->y(0), 5));
        const QString compared = values.item(reward, 2)->text();
        const double delta = curve(*second)->y(0) - curve(*first)->y(0);
        QVERIFY2(compared.startsWith(formatNumber(curve(*second)->y(0), 5)) &&
                     compared.contains(formatNumber(delta, 3)),
                 qPrintable(compared));
        // The legend has each run once, and what the dashes mean; a click hides all of a run.
        ChartWidget& rewards = *panel.charts()[0];
        QStringList legend;
        for (const QLegendMarker* marker : rewards.chart()->legend()->markers())
            legend.append(marker->label());
        QCOMPARE(legend, QStringList({QStringLiteral("PPO, second seed"), QStringLiteral("0002-rl"),
                                      QStringLiteral("train"), QStringLiteral("held-out")}));
        QCOMPARE(rewards.data().series.size(), 4);
        Q_EMIT rewards.chart()->legend()->markers()[1]->clicked();
        QCOMPARE(rewards.hiddenSeries().size(), 2);
        for (const int hidden : rewards.hiddenSeries())
            QVERIFY(rewards.data().series[hidden].name.startsWith(QLatin1String("0002-rl")));
        Q_EMIT rewards.chart()->legend()->markers()[3]->clicked(); // held-out, of which one was hidden
        QCOMPARE(rewards.hiddenSeries().size(), 3);
        Q_EMIT rewards.chart()->legend()->markers()[1]->clicked();
        QCOMPARE(rewards.hiddenSeries().size(), 1);
        Q_EMIT rewards.chart()->legend()->markers()[3]->clicked();
        Q_EMIT rewards.chart()->legend()->markers()[3]->clicked();
        QVERIFY(rewards.hiddenSeries().isEmpty());
        // And so is the range.
        QTest::keyClick(panel.charts()[2], Qt::Key_Plus);
        const ChartView zoomed = panel.charts()[2]->view();
        for (ChartWidget* chart : panel.charts())
            QCOMPARE(chart->view().x, zoomed.x);
        QTest::keyClick(panel.charts()[0], Qt::Key_0);
        for (ChartWidget* chart : panel.charts())
            QVERIFY(!chart->zoomed());
    }

    // The worker's phase names the step, and so does the header: once is enough.
    void stepIsShownOnce_data()
    {
        QTest::addColumn<QString>("phase");
        QTest::addColumn<QString>("shown");
        QTest::newRow("rl") << "iteration 3/10: sampling"
                            << "sampling";
        QTest::newRow("sft") << "step 17/400"
                             << "";
        QTest::newRow("evaluate") << "evaluating after iteration 3"
                                  << "evaluating after iteration 3";
    }
    void stepIsShownOnce()
    {
        QFETCH(QString, phase);
        QFETCH(QString, shown);
        RunSummary run;
        run.name = "0001-rl";
        run.stage = "rl";
        run.status = RunStatus::Running;
        run.heartbeat.emplace();
        run.heartbeat->phase = phase.toStdString();
        run.heartbeat->step = 3;
        run.heartbeat->totalSteps = 10;
        RunHeader header;
        header.setRun(run);
        QStringList texts;
        for (const QLabel* label : header.findChildren<QLabel*>())
            if (label->isVisibleTo(&header))
                texts.append(label->text());
        QCOMPARE(texts.filter(QStringLiteral("step")).size(), 1);
        QCOMPARE(texts.contains(shown), !shown.isEmpty());
        QVERIFY(!texts.contains(phase) || phase == shown);
    }

    void cleanup() { QCOMPARE(test::takeWarnings(), QStringList()); }
    void cleanupTestCase() { m_session.reset(); }

private:
    std::filesystem::path path() const
    {
        return std::filesystem::path(m_directory.path().toStdString()) / "project";
    }
    void open(TrainingPage& page, const QString& run) { test::openRun(page, m_session.get(), run); }

    QTemporaryDir m_directory;
    test::LiveRuns m_live;
    std::unique_ptr<ProjectSession> m_session;
};

SPARSERL_GUI_TEST_MAIN(TestTraining)
#include "tst_widgets_training.moc"

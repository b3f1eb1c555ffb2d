// SPDX-License-Identifier: Apache-2.0
// Which runs of a list a filter leaves.
#include "project/queries/run_filter.h"

#include <QTest>
#include <cmath>

using namespace sparserl;

namespace {

RunSummary makeRun(const std::string& name, const std::string& stage, RunStatus status, double last)
{
    RunSummary run;
    run.name = name;
    run.stage = stage;
    run.status = status;
    run.headline = "reward";
    run.lastValue = last;
    return run;
}

std::vector<RunSummary> someRuns()
{
    std::vector<RunSummary> runs{makeRun("0001-sft", "sft", RunStatus::Done, 0.25),
                                 makeRun("0002-rl", "rl", RunStatus::Failed, std::nan("")),
                                 makeRun("0003-rl", "rl", RunStatus::Running, 0.5),
                                 makeRun("0004-rl", "rl", RunStatus::Done, 0.75)};
    runs[0].headline = "loss";
    runs[0].notes.tags = {"Good start"};
    runs[1].title = "PPO, another seed";
    runs[1].notes.note = "went to NaN at 12:30";
    runs[1].step = 7;
    runs[2].hasWorker = true;
    runs[2].parentRun = "0001-sft";
    runs[2].notes.starred = true;
    runs[2].step = 20;
    runs[3].notes.archived = true;
    return runs;
}

RunFigures figuresOf(const RunSummary& run)
{
    RunFigures figures;
    ParameterTexts parameters{{"seed", run.name.substr(0, 4) == "0001" ? "8" : "9"}};
    if (run.name == "0002-rl") {
        figures.metrics = {{"kernel/correct_rate", {{"held-out", 0.8}}}, {"foreign/metric", {{"train", 1}}}};
        parameters = {{"seed", "7"}, {"rl.lr", "0.5"}, {"rl.kind", "grpo"}, {"rl.whiten", "true"}};
    } else if (run.name == "0003-rl") {
        figures.metrics = {{"kernel/correct_rate", {{"held-out", 0.25}, {"train", 0.75}}}};
        parameters = {{"rl.lr", "1e-4"}, {"rl.kind", "ppo"}, {"rl.whiten", "false"}};
    }
    figures.parameters = std::make_shared<const ParameterTexts>(std::move(parameters));
    return figures;
}

} // namespace

class TestRunFilter : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void leaves_data()
    {
        QTest::addColumn<QString>("filter");
        QTest::addColumn<QString>("seen"); // the numbers of the runs
        const auto row = [](const char* filter, const char* seen) {
            QTest::newRow(filter) << filter << seen;
        };
        row("", "123");
        row("   ", "123");
        row("rl", "23");
        row("stage:rl", "23");
        row("-stage:rl", "1");
        row("STATUS:Failed", "2");
        row("tag:good", "1");
        row("\"good start\"", "1");
        row("good seed", "");
        row("another ppo", "2");
        row("nan", "2");
        row("12:30", "2"); // a key is letters only
        row("is:starred", "3");
        row("is:working", "3");
        row("-is:working stage:rl", "2");
        row("status = running", "3");
        row("status = stopped", "");
        row("sft.lr > 0", ""); // some stage has it, no run here does
        row("sft.lr > 0 or rl.lr < 1", "23");
        row("from:0001", "3");
        row("name:0001", "1");
        row("0001", "13");
        row("is:archived", "4");
        row("is:archived stage:sft", "");
        row("last>0.25", "3");
        row("last>=0.25", "13");
        row("last<1", "13"); // what is no number is neither
        row("step=7", "2");
        row("step<=7 -step=7", "1");
        row("-last>0", "2");
        row("status = failed or last > 0.3", "23");
        row("stage = rl and not (status = failed)", "3");
        row("tag = \"good start\"", "1");
        row("tag = good", ""); // whole; ~ looks for a part
        row("tag ~ good", "1");
        row("tag != nothing", "123");
        row("is = archived", "4");
        row("not is = archived", "123");
        row("-tag:\"good start\"", "23");
        row("correct_rate > 0.5", "23"); // of the second there is no other split
        row("correct_rate:held-out > 0.5", "2");
        row("correct_rate:train < 1", "3");
        row("kernel/correct_rate < 0.76", "3");
        row("correct_rate != 0.75", "2"); // the first has none; the second has one on held-out
        row("foreign/metric >= 1", "2");
        row("rl.lr <= 1e-4", "3");
        row("rl.lr = 0.0001", "3"); // as a number, however it is written
        row("rl.lr < 1", "23");
        row("rl.kind = GRPO", "2");
        row("rl.kind ~ po", "23");
        row("rl.kind != grpo", "3"); // the first has no such parameter
        row("rl.whiten = true", "2");
        row("rl.whiten = 0", "3");
        row("seed = 7 or seed = 8", "12");
    }
    void leaves()
    {
        QFETCH(QString, filter);
        QFETCH(QString, seen);
        const RunNames names{{"rl.lr", "rl.kind", "rl.whiten", "seed"},
                             {"sft.lr"},
                             {{"foreign/metric", {"train"}}},
                             {"Good start"}};
        const auto parsed = RunFilter::parse(filter.toStdString(), &names);
        QVERIFY2(parsed, parsed ? "" : parsed.error().sentence().c_str());
        QString found;
        for (const RunSummary& run : someRuns())
            if (parsed->matches(run, figuresOf(run)))
                found += QLatin1Char(run.name[3]);
        QCOMPARE(found, seen);
    }

    void mistakesAreSaid_data()
    {
        QTest::addColumn<QString>("filter");
        QTest::addColumn<QString>("named");
        QTest::newRow("key") << "colour:red"
                             << "colour";
        QTest::newRow("state") << "is:happy"
                               << "happy";
        QTest::newRow("no number") << "last>much"
                                   << "last";
        QTest::newRow("empty number") << "step>="
                                      << "step";
        QTest::newRow("text compared") << "stage>3"
                                       << "stage";
        const auto row = [](const char* filter, const char* named) {
            QTest::newRow(filter) << filter << named;
        };
        row("stag = rl", "runs have no \"stag\" (character 1). Did you mean stage?");
        row("rl and corect_rate > 1",
            "runs have no \"corect_rate\" (character 8). Did you mean correct_rate?");
        row("rl.lrr > 1", "runs have no \"rl.lrr\" (character 1). Did you mean rl.lr?");
        row("(rl", "this ( is not closed (character 1)");
        row("rl.lr > fast", "\"fast\" is no number (character 9). Compare rl.lr with a number");
        row("correct_rate ~ 1", "correct_rate is a number: ~ looks for a part of a text (character 14)");
        row("is = happy", "a run cannot be \"happy\" (character 6). Use starred");
        row("status = live", "no run has the status \"live\" (character 10). Use queued, running, silent");
        row("status:lost", "no run has the status \"lost\"");
        row("sft.rl > 1", "Did you mean sft.lr?");
    }
    void mistakesAreSaid()
    {
        QFETCH(QString, filter);
        QFETCH(QString, named);
        const RunNames names{{"rl.lr"}, {"sft.lr"}, {}, {}};
        const auto parsed = RunFilter::parse(filter.toStdString(), &names);
        QVERIFY(!parsed);
        const QString said = QString::fromStdString(parsed.error().sentence());
        QVERIFY2(said.contains(named), qPrintable(said));
    }

    // What is offered can be written; what the filter needs of a run is known.
    void namesAreUnderstood()
    {
        for (const RunFilterName& name : runFilterNames()) {
            QVERIFY(!name.help.empty());
            const std::string value = name.key == "is"       ? " = starred"
                                      : name.key == "status" ? " = failed"
                                      : name.number          ? " >= 0"
                                                             : " = x";
            QVERIFY2(RunFilter::parse(name.key + value), name.key.c_str());
        }
        const auto parsed = RunFilter::parse("critic/rewards/mean:held-out > 1 or rl.lr < 3");
        QVERIFY(parsed);
        QCOMPARE(parsed->figures().size(), std::size_t(2));
        QCOMPARE(parsed->figures()[0].text(), std::string("metric:critic/rewards/mean:held-out"));
        QCOMPARE(parsed->figures()[1].text(), std::string("parameter:rl.lr"));
        for (const RunFigure& figure : parsed->figures())
            QVERIFY(RunFigure::fromText(figure.text()) == figure);
        QVERIFY(!RunFigure::fromText("parameter:"));
        QVERIFY(!RunFigure::fromText("colour"));
    }
};

QTEST_APPLESS_MAIN(TestRunFilter)
#include "tst_run_filter.moc"

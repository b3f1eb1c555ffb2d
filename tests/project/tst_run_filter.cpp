// SPDX-License-Identifier: Apache-2.0
// Which runs of a list a filter leaves.
#include "project/run_filter.h"

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
                                 makeRun("0003-rl", "rl", RunStatus::Live, 0.5),
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
        row("is:running", "3");
        row("-is:running stage:rl", "2");
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
    }
    void leaves()
    {
        QFETCH(QString, filter);
        QFETCH(QString, seen);
        const auto parsed = RunFilter::parse(filter.toStdString());
        QVERIFY2(parsed, parsed ? "" : parsed.error().sentence().c_str());
        QString found;
        for (const RunSummary& run : someRuns())
            if (parsed->matches(run))
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
    }
    void mistakesAreSaid()
    {
        QFETCH(QString, filter);
        QFETCH(QString, named);
        const auto parsed = RunFilter::parse(filter.toStdString());
        QVERIFY(!parsed);
        QVERIFY(QString::fromStdString(parsed.error().sentence()).contains(named));
    }

    // What is offered can be written.
    void wordsAreUnderstood()
    {
        for (const std::string& word : RunFilter::words()) {
            const std::string whole = word.back() == '>'   ? word + "1"
                                      : word.back() == ':' ? word + "x"
                                                           : word;
            QVERIFY2(RunFilter::parse(whole), whole.c_str());
        }
    }
};

QTEST_APPLESS_MAIN(TestRunFilter)
#include "tst_run_filter.moc"

// SPDX-License-Identifier: Apache-2.0
// Whatever a job does to its runner, it ends alone: the fake runner does what each job says.
#include "base/json.h"
#include "base/time.h"
#include "evaluation/runners/job_trials.h"
#include "tests/patience.h"

#include <QTest>
#include <csignal>
#include <deque>
#include <list>

using namespace sparserl;

class TrialsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void everyFailureEndsAlone_data();
    void everyFailureEndsAlone();
    void aFreshProcessMayDo_data();
    void aFreshProcessMayDo();
    void ourOwnBreakDown();
    void whatNoRunnerIsGivenIsOurs();
    void othersGoOn();
    void oneControlForMany();
    void abandonedControls();
    void manyFailuresAtOnce();

private:
    TrialJob trial(const std::string& what, const std::string& until = {}, double wall = 20)
    {
        TrialJob made;
        made.job.role = RunnerRole::Sim;
        made.job.body = {{"type", "job"}, {"do", what}, {"until", until}};
        made.job.wallSeconds = wall;
        made.control = m_control;
        made.task = "do a job";
        return made;
    }
    void submit(TrialJob job) { m_flows.emplace_back(tryIt(std::move(job))).start(); }
    void submit(const std::string& what, const std::string& until = {}, double wall = 20)
    {
        submit(trial(what, until, wall));
    }
    Flow<> tryIt(TrialJob job)
    {
        const std::string what = job.job.body["do"];
        const auto read = [](const nlohmann::json& answer) -> Result<std::string> {
            if (answer["type"] != "good")
                return fail("this is no answer");
            return answer["type"];
        };
        const auto tried = co_await m_trials->run(std::move(job), read);
        if (tried.answer)
            m_taken.push_back(what);
        else
            m_blamed.push_back(tried.blamed);
    }
    Flow<Status> control()
    {
        ++m_controls;
        PoolJob job;
        job.role = RunnerRole::Sim;
        job.body = {{"type", "control"}, {"do", m_controlDoes}};
        job.fresh = job.urgent = true;
        const JobOutcome outcome = co_await m_pool->run(std::move(job));
        co_return outcome.kind == JobOutcome::Kind::Answered ? Status() : Status(fail(outcome.reason));
    }
    /// Until nothing is left, or something broke.
    bool drain()
    {
        const double until = monotonicSeconds() + test::patienceSeconds();
        while (m_pool->pending() > 0 && m_heard.broken.empty()) {
            if (!m_pool->pump(100) || monotonicSeconds() > until)
                return false;
        }
        return true;
    }

    struct Heard : Machinery
    {
        std::vector<Error> broken;
        std::vector<std::string> said;
        void log(const std::string& sentence) override { said.push_back(sentence); }
        void breakDown(Error error) override { broken.push_back(std::move(error)); }
    };
    std::unique_ptr<RunnerPool> m_pool;
    std::unique_ptr<JobTrials> m_trials;
    std::shared_ptr<Control> m_control;
    std::string m_controlDoes;
    int m_controls = 0;
    std::vector<std::string> m_taken;
    std::vector<JobOutcome> m_blamed;
    Heard m_heard;
    std::list<Flow<>> m_flows;
};

void TrialsTest::init()
{
    m_flows.clear();
    PoolOptions options;
    options.runnerPath = SPARSERL_TEST_DIR "/fake_runner";
    options.runners = {1, 2};
    auto pool = RunnerPool::start(options);
    QVERIFY2(pool.has_value(), pool ? "" : pool.error().sentence().c_str());
    m_pool = std::move(*pool);
    m_trials = std::make_unique<JobTrials>(*m_pool, m_heard);
    m_controlDoes.clear();
    m_controls = 0;
    m_taken.clear();
    m_blamed.clear();
    m_heard = {};
    m_control = std::make_shared<Control>([this] { return control(); });
}

void TrialsTest::everyFailureEndsAlone_data()
{
    QTest::addColumn<QByteArray>("what");
    QTest::addColumn<int>("kind");
    const auto row = [](const char* what, JobOutcome::Kind kind) {
        QTest::newRow(what) << QByteArray(what) << static_cast<int>(kind);
    };
    for (const char* what : {"crash", "abort", "deep", "memory", "leave", "fail", "rubbish", "half",
                             "endless", "files", "flood", "other", "cpu"})
        row(what, JobOutcome::Kind::Crashed);
    row("hang", JobOutcome::Kind::Hung);
    for (const char* what : {"refuse", "nonsense", "killed"})
        row(what, JobOutcome::Kind::Failed);
}

void TrialsTest::everyFailureEndsAlone()
{
    QFETCH(QByteArray, what);
    QFETCH(int, kind);
    for (int i = 0; i < 3; ++i)
        submit("good");
    submit(what.toStdString(), {}, what == "hang" ? 0.3 : 20);
    for (int i = 0; i < 3; ++i)
        submit("good");
    QVERIFY(drain());
    QVERIFY2(m_heard.broken.empty(), m_heard.broken.empty() ? "" : m_heard.broken[0].sentence().c_str());
    QCOMPARE(m_taken.size(), std::size_t(6));
    QCOMPARE(m_blamed.size(), std::size_t(1));
    QCOMPARE(static_cast<int>(m_blamed[0].kind), kind);
    QVERIFY(!m_blamed[0].reason.empty());
    // Who used up its CPU time did so by itself; of everything else our own program is the judge.
    QCOMPARE(m_controls, what == "cpu" ? 0 : 1);
    QCOMPARE(m_blamed[0].signal == SIGXCPU, what == "cpu");
    QCOMPARE(m_trials->blamed(), std::int64_t(1));
}

void TrialsTest::aFreshProcessMayDo_data()
{
    QTest::addColumn<QByteArray>("what");
    for (const char* what : {"crash", "leave", "rubbish", "other", "refuse", "nonsense", "hang"})
        QTest::newRow(what) << QByteArray(what);
}

/// What fails only after other jobs is not the program's fault.
void TrialsTest::aFreshProcessMayDo()
{
    QFETCH(QByteArray, what);
    for (int i = 0; i < 6; ++i) // Nobody is fresh after this, or one spare is.
        submit("good");
    QVERIFY(drain());
    for (int i = 0; i < 3; ++i)
        submit(what.toStdString(), "fresh", what == "hang" ? 0.3 : 20);
    QVERIFY(drain());
    QVERIFY(m_heard.broken.empty() && m_blamed.empty());
    QCOMPARE(m_taken.size(), std::size_t(9));
    QCOMPARE(m_controls, 0);
}

void TrialsTest::ourOwnBreakDown()
{
    m_controlDoes = "crash";
    submit("refuse");
    QVERIFY(drain());
    QVERIFY(m_blamed.empty() && m_taken.empty());
    QCOMPARE(m_heard.broken.size(), std::size_t(1));
    const auto sentence = m_heard.broken[0].sentence();
    QVERIFY2(sentence.find("could not do a job (this cannot be done)") != std::string::npos &&
                 sentence.find("nor one of our own") != std::string::npos,
             sentence.c_str());
}

/// A job that cannot be sent says nothing about its program, and the runner goes on.
void TrialsTest::whatNoRunnerIsGivenIsOurs()
{
    auto shared = SharedBuffer::create(64);
    QVERIFY(shared.has_value());
    const auto buffer = std::make_shared<SharedBuffer>(std::move(*shared));
    TrialJob many = trial("good");
    for (std::size_t i = 0; i <= Channel::maxFiles; ++i)
        many.job.matrices.emplace_back("matrix " + std::to_string(i), buffer);
    submit(std::move(many));
    QVERIFY(drain());
    QVERIFY(m_blamed.empty() && m_taken.empty());
    QCOMPARE(m_heard.broken.size(), std::size_t(1));
    QVERIFY(m_heard.broken[0].sentence().find("files") != std::string::npos);
    QCOMPARE(m_controls, 0);
    m_heard.broken.clear();
    submit("good");
    QVERIFY(drain());
    QCOMPARE(m_taken.size(), std::size_t(1));
}

/// Forty jobs are served by one runner while the other waits for one that hangs, twice.
void TrialsTest::othersGoOn()
{
    submit("hang", {}, 1);
    for (int i = 0; i < 40; ++i)
        submit("good");
    while (m_taken.size() < 40) {
        QVERIFY(m_pool->pump(100).has_value());
        QVERIFY(m_blamed.empty());
    }
    QVERIFY(drain());
    QCOMPARE(m_blamed.size(), std::size_t(1));
}

/// Those who ask while one runs share the next: what began before they failed says nothing about them.
void TrialsTest::oneControlForMany()
{
    std::deque<Awaited<Status>> runs;
    const auto run = [&runs]() -> Flow<Status> {
        const Status& status = co_await runs.emplace_back();
        co_return status;
    };
    Control control(run);
    int good = 0, bad = 0;
    std::list<Flow<>> flows;
    const auto count = [&]() -> Flow<> {
        const Status status = co_await control.ask();
        ++(status ? good : bad);
    };
    const auto ask = [&] { flows.emplace_back(count()).start(); };
    ask();
    for (int i = 0; i < 5; ++i)
        ask();
    QCOMPARE(runs.size(), std::size_t(1));
    runs[0].set({});
    QCOMPARE(good, 1);
    QCOMPARE(runs.size(), std::size_t(2));
    runs[1].set(fail("broken"));
    QCOMPARE(bad, 5);
    QCOMPARE(runs.size(), std::size_t(2));
    ask();
    flows.clear();
    control.abandon();
    ask();
    runs[2].set({}); // Of the past.
    QCOMPARE(good, 1);
    runs[3].set({});
    QCOMPARE(good, 2);
    // Who asks because of an answer has it of the next run.
    const auto twice = [&]() -> Flow<> {
        const Status first = co_await control.ask();
        const Status second = co_await control.ask();
        good += first && second ? 1 : 0;
    };
    flows.emplace_back(twice()).start();
    QCOMPARE(runs.size(), std::size_t(5));
    runs[4].set({});
    QCOMPARE(runs.size(), std::size_t(6));
    QCOMPARE(good, 2);
    runs[5].set({});
    QCOMPARE(good, 3);
}

/// What was given up is gone, wherever it waits: the pool and the control go on for others.
void TrialsTest::abandonedControls()
{
    submit("nonsense");
    while (m_controls == 0)
        QVERIFY(m_pool->pump(100).has_value());
    m_flows.clear();
    m_pool->abandon();
    m_control->abandon();
    submit("refuse");
    QVERIFY(drain());
    QCOMPARE(m_blamed.size(), std::size_t(1)); // The first is forgotten.
    QCOMPARE(m_controls, 2);
    // One that is given up while its job runs does not hear of it, and others do.
    submit("good");
    m_flows.clear();
    submit("good");
    QVERIFY(drain());
    QCOMPARE(m_taken.size(), std::size_t(1));
}

void TrialsTest::manyFailuresAtOnce()
{
    const std::vector<std::string> ways{"crash",   "leave", "refuse", "nonsense",
                                        "rubbish", "good",  "good",   "good"};
    for (int i = 0; i < 80; ++i)
        submit(ways[static_cast<std::size_t>(i) % ways.size()]);
    QVERIFY(drain());
    QVERIFY(m_heard.broken.empty());
    QCOMPARE(m_taken.size(), std::size_t(30));
    QCOMPARE(m_blamed.size(), std::size_t(50));
}

QTEST_GUILESS_MAIN(TrialsTest)
#include "trials_test.moc"

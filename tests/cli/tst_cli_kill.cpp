// SPDX-License-Identifier: Apache-2.0
// kill -9 of the worker and of the window, 20 times each at random moments, against the real programs. (The
// same for runners is in tests/evaluation.)
#include "base/rng.h"
#include "base/secret.h"
#include "project/index/index.h"
#include "project/run/journal.h"
#include "project/run/metrics.h"
#include "side_by_side.h"
#include "tests/drawn_share.h"
#include "tests/patience.h"

#include <QCoreApplication>
#include <QProcess>
#include <QProcessEnvironment>
#include <QTemporaryDir>
#include <QTest>
#include <cstdint>

#include <nlohmann/json.hpp>
#include <set>
#include <signal.h>

using namespace sparserl;

namespace {

const char* const projectFile = R"([project]
format = 1
title = 'Kill test'
[[matrix]]
name = 'grid'
generator = 'stencil2d(n=8)'
split = 'train'
[[matrix]]
name = 'rows'
generator = 'random(rows=60,cols=50,mean=9)'
split = 'train'
[[matrix]]
name = 'held'
generator = 'banded(n=70,band=3)'
split = 'held-out'
)";

// A policy too small to learn anything: what counts is that every stage does all of its work.
const char* const jobFile = R"([[stage]]
run = 'pretrain'
preset = 'pretrain'
set = ['threads=1', 'policy.d_model=16', 'policy.d_ff=16', 'policy.heads=2', 'policy.encoder_layers=1', 'policy.decoder_layers=1',
       'tokenizer.vocabulary=700', 'policy.max_tokens=250', 'pretrain.texts=200', 'pretrain.steps=24', 'pretrain.batch=4',
       'eval.every=8', 'checkpoint.every=4']
[[stage]]
run = 'sft'
preset = 'quickstart-sft'
parent = 'pretrain'
set = ['threads=1', 'judge.seed=7', 'sft.steps=24', 'sft.batch=4', 'sft.programs_per_matrix=4', 'sft.heldout_programs=2',
       'eval.every=8', 'checkpoint.every=4', 'policy.max_tokens=250', 'sft.variety=0']
[[stage]]
run = 'ppo'
preset = 'quickstart-ppo'
parent = 'sft'
set = ['threads=1', 'judge.seed=7', 'rl.iterations=12', 'rl.matrices=2', 'rl.samples=3', 'eval.every=4', 'checkpoint.every=2']
[[stage]]
run = 'evaluation'
preset = 'quickstart-evaluate'
parent = 'ppo'
set = ['threads=1', 'judge.seed=7', 'evaluate.samples=4']
)";

void write(const QString& path, const char* text)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(text);
}

void makeProject(const QString& path)
{
    QVERIFY(QDir().mkpath(path));
    write(path + QStringLiteral("/project.toml"), projectFile);
    write(path + QStringLiteral("/job.toml"), jobFile);
}

QString program(const char* name)
{
    return QStringLiteral(SPARSERL_BIN_DIR "/") + QLatin1String(name);
}

void startJob(QProcess& process, const QString& project)
{
    process.setProcessChannelMode(QProcess::MergedChannels);
    process.start(program("sparserl"), {QStringLiteral("--quiet"), QStringLiteral("job"), project});
}

/// Everything a run says but when it was said and how long things took.
std::vector<std::string> essence(const QString& run)
{
    std::vector<std::string> lines;
    const auto entries = readWholeJournal(run.toStdString());
    if (!entries) {
        return {entries.error().sentence()};
    }
    for (const JournalEntry& entry : *entries) {
        nlohmann::json json = toJson(entry);
        const std::string kind = json["kind"];
        if (kind == "state" || kind == "log" || kind == "control") {
            continue; // A resumed run says once more that it runs.
        }
        if (kind == "metric" && json["split"] == systemSplit) {
            continue; // Comes by the clock.
        }
        for (const char* key : {"seq", "gen", "t"}) {
            json.erase(key);
        }
        if (kind == "metric") {
            for (auto value = json["values"].begin(); value != json["values"].end();) {
                const std::string& name = value.key();
                const bool ofTheClock =
                    name.starts_with("timing") || name.starts_with("perf/") || name.starts_with("judge/");
                value = ofTheClock ? json["values"].erase(value) : std::next(value);
            }
        } else if (kind == "verdict") {
            json["record"].erase("judge_seconds");
        }
        lines.push_back(json.dump());
    }
    return lines;
}

void compare(const QString& quiet, const QString& killed)
{
    for (const char* run : {"pretrain", "sft", "ppo", "evaluation"}) {
        const QString name = QStringLiteral("/runs/") + QLatin1String(run);
        const auto expected = essence(quiet + name);
        const auto got = essence(killed + name);
        for (std::size_t i = 0; i < std::min(expected.size(), got.size()); ++i)
            QVERIFY2(expected[i] == got[i],
                     (expected[i].substr(0, 800) + "\n" + got[i].substr(0, 800)).c_str());
        QCOMPARE(got.size(), expected.size());
    }
}

void checkIndex(const QString& project)
{
    auto indexer = Indexer::open(project.toStdString());
    QVERIFY2(indexer.has_value(), indexer ? "" : indexer.error().sentence().c_str());
    QVERIFY(indexer->update().has_value());
    const auto before = dumpIndex(project.toStdString());
    QVERIFY(before.has_value());
    QCOMPARE(QString::fromStdString(*indexer->integrityCheck()), QStringLiteral("ok"));
    QVERIFY(indexer->rebuild().has_value());
    const auto after = dumpIndex(project.toStdString());
    QVERIFY(after.has_value());
    QVERIFY2(*before == *after, "reindexing gives other tables");
}

} // namespace

class TestCliKill : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_scratch;
    const test::DrawnShare m_share{3};
    /// Of moments in which something is killed, others every time.
    const int m_most = m_share.everything() ? 20 : 7;
    const std::uint64_t m_seed = drawSecret();

private Q_SLOTS:
    void initTestCase() { qInfo("moments of seed %llu", static_cast<unsigned long long>(m_seed)); }

    /// Interrupted so many times or not at all: the journals say the same, nothing is lost, nothing is there
    /// twice.
    void worker()
    {
        const QString quiet = m_scratch.filePath(QStringLiteral("quiet"));
        makeProject(quiet);
        QProcess undisturbed;
        startJob(undisturbed, quiet);
        QVERIFY(undisturbed.waitForFinished(test::patience(120000)));
        QVERIFY2(undisturbed.exitCode() == 0, undisturbed.readAll().constData());

        // A quick machine finishes a job between two kills; then the next job takes the remaining ones.
        Rng random(m_seed);
        int kills = 0;
        for (int round = 0; kills < m_most; ++round) {
            const QString killed = m_scratch.filePath(QStringLiteral("killed-%1").arg(round));
            makeProject(killed);
            for (bool done = false; !done;) {
                QProcess job;
                startJob(job, killed);
                const int longest =
                    kills == m_most ? test::patience(120000) : 50 + static_cast<int>(random.below(1200));
                if (job.waitForFinished(longest)) {
                    QVERIFY2(job.exitCode() == 0, job.readAll().constData());
                    done = true;
                } else {
                    QVERIFY2(kills < m_most, "the job does not end");
                    ::kill(static_cast<pid_t>(job.processId()), SIGKILL);
                    QVERIFY(job.waitForFinished(test::patience()));
                    ++kills;
                }
            }
            compare(quiet, killed);
            checkIndex(killed);
        }
    }

    /// Windows die while a job writes: the job does not notice, the index stays sound, the next window opens.
    void window()
    {
        const QString project = m_scratch.filePath(QStringLiteral("windows"));
        makeProject(project);
        QProcess job;
        startJob(job, project);
        Rng random(m_seed + 1);
        for (int i = 0; i < m_most; ++i) {
            QProcess window;
            window.start(program("sparserl-workbench"), {project});
            QVERIFY(window.waitForStarted(test::patience()));
            window.waitForFinished(100 + static_cast<int>(random.below(1200)));
            QVERIFY2(window.state() == QProcess::Running, window.readAllStandardError().constData());
            ::kill(static_cast<pid_t>(window.processId()), SIGKILL);
            QVERIFY(window.waitForFinished(test::patience()));
        }
        QVERIFY(job.state() == QProcess::NotRunning || job.waitForFinished(test::patience(120000)));
        QVERIFY2(job.exitCode() == 0, job.readAll().constData());
        checkIndex(project);
    }

    /// A signal that asks for the end ends the window in order: the index of a project that is not trusted
    /// goes with it.
    void windowAskedToEnd()
    {
        const QString project = m_scratch.filePath(QStringLiteral("sent")),
                      temporary = m_scratch.filePath(QStringLiteral("tmp"));
        makeProject(project);
        QVERIFY(QDir().mkpath(project + QStringLiteral("/runs/0001-sft")) && QDir().mkpath(temporary));
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.remove(QStringLiteral("SPARSERL_TRUST"));
        environment.insert(QStringLiteral("HOME"), m_scratch.filePath(QStringLiteral("stranger")));
        environment.insert(QStringLiteral("XDG_CONFIG_HOME"), m_scratch.filePath(QStringLiteral("stranger")));
        environment.insert(QStringLiteral("TMPDIR"), temporary);
        const auto indexes = [&] {
            return QDir(temporary).entryList({QStringLiteral("sparserl-index*")}, QDir::Dirs).size();
        };
        for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
            QProcess window;
            window.setProcessEnvironment(environment);
            window.start(program("sparserl-workbench"), {project});
            QVERIFY(window.waitForStarted(test::patience()));
            QTRY_COMPARE_WITH_TIMEOUT(indexes(), 1, test::patience());
            for (int twice = 0; twice < 2; ++twice) // as `timeout` does: its child, then the group
                ::kill(static_cast<pid_t>(window.processId()), signal);
            QVERIFY(window.waitForFinished(test::patience()));
            QCOMPARE(window.exitStatus(), QProcess::NormalExit);
            QCOMPARE(window.exitCode(), 128 + signal);
            QCOMPARE(indexes(), 0);
        }
    }
};

int main(int argc, char** argv)
{
    TestCliKill killing;
    if (argc == 1 && !test::copyForThisPart()) // both wait most of their time
        return test::runParts(argv[0], test::partsOf(TestCliKill::staticMetaObject),
                              [](const auto&) { return std::string(); });
    const QCoreApplication application(argc, argv);
    QTEST_SET_MAIN_SOURCE_PATH
    return QTest::qExec(&killing, argc, argv);
}
#include "tst_cli_kill.moc"

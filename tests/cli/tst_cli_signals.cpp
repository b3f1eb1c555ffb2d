// SPDX-License-Identifier: Apache-2.0
// SIGINT, SIGTERM and SIGHUP at random moments of every command, against the real programs: how it ends, how
// soon, what was printed, what stays behind, and that a project goes on afterwards.
// SPARSERL_SIGNAL_ROUNDS=N sends N times as many.
#include "base/json.h"
#include "base/rng.h"
#include "programs.h"
#include "side_by_side.h"
#include "tests/drawn_share.h"
#include "tests/patience.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QTest>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

using namespace sparserl;
using namespace sparserl::test;
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point begin)
{
    return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// CPU seconds, of all processes together, in which a program ends after a signal: three seconds by the
/// clock, which a busy machine makes longer, of as many cores as there are, and some room.
const double mostCpu = 10.0 * std::max(2u, std::thread::hardware_concurrency());

/// CPU time of a process and of its children that have ended, and of those that live.
double cpuOf(const std::string& pid)
{
    const auto stat = readFile("/proc/" + pid + "/stat").value_or("");
    const auto name = stat.rfind(')');
    if (name == std::string::npos)
        return 0;
    std::istringstream words(stat.substr(name + 2));
    std::string word;
    for (int i = 3; i < 14; ++i)
        words >> word;
    long long ticks = 0;
    for (int i = 14; i <= 17; ++i)
        if (long long more = 0; words >> more)
            ticks += more;
    double seconds = static_cast<double>(ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
    std::ifstream children("/proc/" + pid + "/task/" + pid + "/children");
    for (std::string child; children >> child;)
        seconds += cpuOf(child);
    return seconds;
}

/// CPU time of children of this process that were waited for, with theirs.
double cpuOfEnded()
{
    rusage usage{};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/// Whether a process is one of ours by now, and not the shell, and this signal cannot end it by itself.
bool handles(int pid, int signal)
{
    const std::string proc = fmt::format("/proc/{}", pid);
    std::error_code ignored;
    if (!fs::read_symlink(proc + "/exe", ignored).filename().string().starts_with("sparserl"))
        return false;
    const auto status = readFile(proc + "/status").value_or("");
    for (const char* name : {"SigBlk:", "SigIgn:", "SigCgt:"})
        if (const auto at = status.find(name); at != std::string::npos)
            if (std::strtoull(status.c_str() + at + 7, nullptr, 16) >> (signal - 1) & 1)
                return true;
    return false;
}

struct Line
{
    const char* name;
    const char* arguments;        ///< "%1" becomes a number that is new each time.
    int status = 0;               ///< Of the undisturbed command.
    const char* after = nullptr;  ///< A shell line that must succeed after each signal.
    const char* before = nullptr; ///< One that makes what it needs.
};

/// One of every command; those for a GPU fail at once here, and must do so however they are disturbed.
const Line lines[] = {
    {"features", "features 'random(rows=60000,cols=60000,mean=20)'"},
    {"multiply", "multiply big.mtx"},
    {"import", "import big.mtx --generate 'random(rows=9000,mean=9)'"},
    {"import into a project", "import big.mtx --project imports%1", 0,
     "$SPARSERL project reindex imports%1 && $SPARSERL import small.mtx --project imports%1",
     "$SPARSERL project new imports%1"},
    {"pack", "pack big.mtx small.mtx --level 6 --out p%1.pack", 0,
     "test ! -e p%1.pack || $SPARSERL pack --list p%1.pack"},
    {"policy import", "policy import " SPARSERL_SOURCE_DIR "/tests/policy/fixtures/codet5/tied --out i%1", 0,
     "test ! -e i%1 || test -e i%1/DONE"},
    {"policy tokens", "policy tokens " SPARSERL_SOURCE_DIR "/tests/policy/fixtures/codet5/tied big.mtx"},
    {"judge", "judge k0.cu k1.cu k2.cu --matrix 'stencil2d(n=40)' --device sim --task spmv"},
    {"compare", "compare k0.cu k1.cu --matrix 'stencil2d(n=40)' --device sim"},
    {"control", "control project/runs/long set checkpoint.keep=5"}, // one that is done refuses it
    {"corpus sample", "corpus sample --task spmv -n 300 --out programs%1"},
    {"corpus check", "corpus check --task spmv --family S1 -n 3 --inputs 1"},
    {"corpus scan", "corpus scan sources --out texts%1 --refused refused%1", 0,
     "test ! -e texts%1 || head -1 texts%1 | grep sparserl-corpus"},
    {"corpus recommend", "corpus recommend big.mtx --out recommended%1"},
    {"bench",
     "bench small.mtx 'stencil2d(n=30)' --device sim --limit-per-matrix 3 --samples 3 --csv t%1.csv"},
    {"search", "search small.mtx --device sim --bench-programs 2 --candidates 6 --rounds 1 --csv s%1.csv"},
    {"train", "train quickstart-sft --run project/runs/t%1 --set sft.steps=4 ", 0,
     "test ! -e project/runs/t%1 || $SPARSERL worker project/runs/t%1"},
    {"worker", "worker project/runs/long", 0, nullptr},
    {"job", "job jobs", 0, nullptr},
    {"generate", "generate --policy project/runs/base --matrix small.mtx -n 4 --device sim --out g%1"},
    {"evaluate", "evaluate --policy project/runs/base --matrices small.mtx -k 1 -n 4 --device sim"},
    {"evaluate, kept",
     "evaluate --policy project/runs/base --matrices small.mtx -k 1 -n 4 --device sim --run "
     "project/runs/e%1"},
    {"export", "export --program k0.cu --matrix small.mtx --out b%1", 0,
     "test ! -e b%1 || test -e b%1/manifest.json"},
    // So small a policy writes nothing that is correct.
    {"specialise",
     "specialise --policy project/runs/base --matrix small.mtx --out s%1 --iterations 1 --samples 2 --device "
     "sim "
     "--set threads=1",
     1, "test ! -e s%1/project.toml || $SPARSERL runs --project s%1"},
    {"ablate",
     "ablate table-3 --project jobs --set rl.iterations=1 --set rl.samples=2 --set rl.matrices=1 "
     "--set evaluate.samples=2 --out t%1.md --set sft.steps=2 ",
     0, nullptr},
    {"help", "--help"},
    {"list of presets", "train --list"},
    {"runs", "runs --project project"},
    {"runs RUN", "runs project/runs/base"},
    {"project new", "project new new%1", 0, "test ! -e new%1/project.toml || $SPARSERL runs --project new%1"},
    {"project matrices", "project matrices project --held-out held"},
    {"project reindex", "project reindex project"},
    {"doctor", "doctor"},
    {"device info", "device info"},
    {"device diff", "device diff --pairs 2", 1},
    {"device calibrate",
     "device calibrate small.mtx big.mtx --device sim --programs 3 --samples 3 --no-fit --data c%1.jsonl"},
    {"operator show", "operator show " SPARSERL_SOURCE_DIR "/tests/fuzz/corpus/operator_graph/linear"},
    {"operator run", "operator run " SPARSERL_SOURCE_DIR "/tests/fuzz/corpus/operator_graph/linear"},
    {"operator import", "operator import " SPARSERL_SOURCE_DIR "/tests/operator/tasks/no_model.py --out o%1",
     1, "test ! -e o%1"},
    {"operator synthesize", "operator synthesize y%1 -n 6", 0,
     "for one in y%1/*/; do test ! -e $one/task.json || $SPARSERL operator show $one/full.json || exit 1; "
     "done"},
    {"device attack", "device attack " SPARSERL_ATTACKS " --device sim --only write"},
};

/// Commands that write into a project on a disk that fails.
constexpr const char* faultyLines[] = {
    "pack small.mtx --out faulty%1/p.pack",
    "corpus sample --task spmv -n 3 --out faulty%1/c",
    "corpus recommend small.mtx --out faulty%1/r",
    "import small.mtx --project faulty%1",
    "export --program k0.cu --matrix small.mtx --out faulty%1/b",
    "generate --policy project/runs/base --matrix small.mtx -n 2 --no-judge --out faulty%1/g",
    "bench small.mtx --device sim --limit-per-matrix 1 --samples 3 --csv faulty%1/t.csv",
    "search small.mtx --device sim --bench-programs 1 --candidates 1 --rounds 1 --csv faulty%1/s.csv",
    "project reindex faulty%1",
    "train quickstart-sft --run faulty%1/runs/t --set sft.steps=1 "};

std::string numbered(std::string text, int number)
{
    for (std::size_t at; (at = text.find("%1")) != std::string::npos;)
        text.replace(at, 2, std::to_string(number));
    return text;
}

/// Fills the folder that all commands work in; says what went wrong.
std::string prepare(const fs::path& folder)
{
    const auto put = [](const fs::path& file, const std::string& text) {
        if (const auto written = writeFileAtomic(file, text); !written)
            qFatal("%s", written.error().sentence().c_str());
    };
    put(folder / "small.mtx", "%%MatrixMarket matrix coordinate real general\n"
                              "4 4 5\n1 1 1\n2 2 2\n3 3 3\n4 4 4\n4 1 5\n");
    std::string big = "%%MatrixMarket matrix coordinate real general\n100000 100000 400000\n";
    for (int i = 0; i < 400000; ++i)
        big += fmt::format("{} {} {}.5\n", i % 100000 + 1, (i * 7) % 100000 + 1, i);
    put(folder / "big.mtx", big);
    for (int i = 0; i < 400; ++i) {
        std::string source = "// SPDX-License-Identifier: MIT\n";
        for (int k = 0; k < 200; ++k)
            source +=
                fmt::format("__global__ void f{0}_{1}(float* a{1}) {{ a{1}[threadIdx.x] = {0}; }}\n", i, k);
        put(folder / "sources" / fmt::format("f{}.cu", i), source);
    }
    for (const char* project : {"project", "jobs"})
        put(folder / project / "project.toml", tinyProject);
    std::string set, text = tinySft;
    for (std::size_t at; (at = text.find("--set ")) != std::string::npos; text.erase(0, at + 6))
        if (const auto word = text.substr(at + 6, text.find(' ', at + 6) - at - 6); !word.empty())
            set += (set.empty() ? "'" : ", '") + word + "'";
    put(folder / "jobs/job.toml",
        "[[stage]]\nrun = 'sft'\npreset = 'quickstart-sft'\nset = ['sft.steps=6', " + set +
            "]\n[[stage]]\nrun = 'ppo'\npreset = 'quickstart-ppo'\nparent = 'sft'\nset = ['threads=1', "
            "'rl.iterations=3', 'rl.matrices=2', 'rl.samples=3', 'eval.every=2', "
            "'checkpoint.every=2']\n");
    const auto made = shell(folder,
                            "$SPARSERL corpus sample --task spmv --family S1 -n 3 --out one && i=0 && "
                            "for f in one/*.cu; do cp $f k$i.cu; i=$((i+1)); done && "
                            "$SPARSERL --quiet train quickstart-sft --run "
                            "project/runs/base --set sft.steps=4 " +
                                std::string(tinySft),
                            200);
    return made.status.ok() ? std::string() : made.output + made.error;
}

struct Ended
{
    bool signalled = false;
    int code = 0;
    bool begun = false; ///< The program itself had the signal in its hands when it came.
    double seconds = 0; ///< From the signal to the end.
    double cpu = 0;     ///< CPU time that it and its children took in those.
    std::string output, error;
    int orphans = 0; ///< Processes that outlive it.
};

} // namespace

class TestCliSignals : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        // Orphans become children of this process.
        QCOMPARE(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
        if (const char* rounds = std::getenv("SPARSERL_SIGNAL_ROUNDS"))
            m_rounds = std::max(1, std::atoi(rounds));
        if (const auto copy = copyForThisPart()) {
            m_folder = *copy;
            return;
        }
        m_dir = std::make_unique<TempDir>(std::move(*TempDir::create("signals")));
        m_folder = m_dir->path();
        const std::string wrong = prepare(m_folder);
        QVERIFY2(wrong.empty(), wrong.c_str());
    }

    /// Programs are stored when they are finished, so that no end loses them; an interruption says how many.
    void finishedProgramsAreStored()
    {
        const fs::path out = folder() / "interrupted", said = folder() / "interrupted.txt";
        const auto stored = [&] {
            std::error_code none;
            return std::distance(fs::directory_iterator(out, none), fs::directory_iterator());
        };
        for (const int signal : {SIGKILL, SIGINT}) {
            fs::remove_all(out);
            auto process = startShell(
                folder(), "exec $SPARSERL generate --policy project/runs/base --matrix small.mtx -n 20000 "
                          "--max-tokens 8 --no-judge --out interrupted 2>interrupted.txt >/dev/null");
            QVERIFY2(comesTrue([&] { return stored() > 2; }), readFile(said).value_or("").c_str());
            process.killGroup(signal);
            const auto status = process.wait(patienceSeconds(30));
            QVERIFY(status.has_value());
            QVERIFY(stored() < 20000);
            if (signal == SIGKILL)
                continue;
            QCOMPARE(status->code, 130);
            const QRegularExpression kept(QStringLiteral(
                "interrupted; ([0-9,]+) of 20,000 programs are finished and in interrupted\n"));
            const QString text = QString::fromStdString(readFile(said).value_or(""));
            const auto match = kept.match(text);
            QVERIFY2(match.hasMatch(), qPrintable(text));
            QCOMPARE(static_cast<long>(stored()), match.captured(1).remove(QLatin1Char(',')).toLong());
        }
    }

    void everyCommand_data()
    {
        QTest::addColumn<int>("line");
        for (int i = 0; i < static_cast<int>(std::size(lines)); ++i)
            QTest::newRow(lines[i].name) << i;
    }

    void everyCommand()
    {
        QFETCH(int, line);
        const Line& one = lines[line];
        const bool job = std::string_view(one.name) == "job", worker = std::string_view(one.name) == "worker";
        if (worker || std::string_view(one.name) == "control")
            QVERIFY(shell(folder(), longRun()).status.code == 130);
        const auto prepare = [&](int number) {
            const auto made = one.before ? shell(folder(), numbered(one.before, number)) : RunOutput();
            QVERIFY2(made.status.ok(), made.error.c_str());
        };
        // Undisturbed, for its time.
        double whole = 3;
        if (!job && !worker) {
            prepare(++m_number);
            const auto begin = Clock::now();
            const auto output = shell(folder(), command(one, m_number) + " >/dev/null", 120);
            whole = secondsSince(begin);
            QVERIFY2(output.status.code == one.status, (output.status.sentence() + output.error).c_str());
        }
        Rng rng(static_cast<std::uint64_t>(100 + line));
        double slowest = 0;
        int caught = 0, counted = 0;
        for (int round = 0; round < m_rounds; ++round) {
            for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
                const double delay = rng.uniform() * std::min(whole, 8.0);
                const int number = ++m_number;
                prepare(number);
                const Ended ended = disturb(command(one, number), signal, delay);
                const std::string about =
                    fmt::format("{}: signal {} after {:.2f} s: {} {} after {:.2f} s\n{}\n{}", one.name,
                                signal, delay, ended.signalled ? "signal" : "status", ended.code,
                                ended.seconds, ended.output.substr(0, 500), ended.error);
                // By the signal itself only before the program has begun.
                QVERIFY2(ended.signalled ? ended.code == signal && !ended.begun
                                         : ended.code == 130 || ended.code == one.status,
                         about.c_str());
                QVERIFY2(ended.cpu < mostCpu, about.c_str());
                QVERIFY2(ended.code != 130 || !ended.begun || saysInterrupted(ended), about.c_str());
                QCOMPARE(ended.orphans, 0);
                checkLines(ended.output, about);
                for (const char* bad : {"terminate called", "Assertion", "internal error", "runtime error"})
                    QVERIFY2(ended.error.find(bad) == std::string::npos, about.c_str());
                checkFolder(about);
                if (one.after) {
                    const auto after = shell(folder(), numbered(one.after, number) + " >/dev/null", 200);
                    QVERIFY2(after.status.ok(), (about + after.output + after.error).c_str());
                }
                slowest = std::max(slowest, ended.seconds);
                caught += ended.code == 130 ? 1 : 0;
                ++counted;
            }
        }
        qInfo("%-22s %2d of %2d interrupted, at most %.2f s until the end, %.2f s undisturbed", one.name,
              caught, counted, slowest, whole);
        if (job) {
            const auto end = shell(folder(), "$SPARSERL --quiet job jobs", 200);
            QVERIFY2(end.status.ok(), end.error.c_str());
        }
        const auto index = shell(folder(), "$SPARSERL --json project reindex project");
        const auto json = parseJson(index.output);
        QVERIFY2(index.status.ok() && json && (*json)["integrity"] == "ok" && (*json)["problems"].empty(),
                 (index.output + index.error).c_str());
    }

    /// Nothing in these looks at the signal for a while: they are ended after three seconds, and say so.
    void workThatDoesNotStop_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addColumn<QString>("line");
        const QString large = QStringLiteral(" 'rmat(scale=22,degree=16)'");
        QTest::newRow("features") << QStringLiteral("features") + large
                                  << QStringLiteral("sparserl: interrupted\n");
        QTest::newRow("corpus recommend")
            << QStringLiteral("corpus recommend") + large << QStringLiteral("sparserl: interrupted\n");
        QTest::newRow("import") << QStringLiteral("import --project project --generate") + large
                                << QStringLiteral("sparserl: interrupted; no matrix was imported\n");
    }
    void workThatDoesNotStop()
    {
        QFETCH(QString, command);
        QFETCH(QString, line);
        const Ended ended = disturb("$SPARSERL " + command.toStdString(), SIGINT, 1);
        QCOMPARE(ended.code, 130);
        QVERIFY2(QString::fromStdString(ended.error).endsWith(line), ended.error.c_str());
    }

    /// A gradient update of minutes, in small pieces: given up at once, and what was learned before is saved.
    void longUpdate()
    {
        const std::string run =
            "$SPARSERL train quickstart-ppo --run project/runs/update --parent base "
            "--set threads=1 --set rl.iterations=4 --set rl.matrices=2 --set rl.samples=48 "
            "--set rl.epochs=100 --set rl.micro_batch=1 --set rl.value_pretrain=0 "
            "--set rl.max_tokens=120 --set eval.samples=0";
        const Ended ended = disturb(run, SIGINT, 0, folder() / "project/runs/update", "updating");
        qInfo("in an update: status %d after %.2f s: %s", ended.code, ended.seconds, ended.error.c_str());
        QCOMPARE(ended.code, 130);
        QVERIFY2(ended.cpu < mostCpu, ended.error.c_str());
        QVERIFY2(ended.error.find("interrupted; ending within 3 seconds") != std::string::npos,
                 ended.error.c_str());
        QVERIFY2(ended.output.find("Interrupted at step 0") != std::string::npos, ended.output.c_str());
    }

    /// One piece takes minutes: nothing can be saved, and it says so. (A heartbeat does not come before its
    /// end.)
    void longPiece()
    {
        const std::string run = pieceOfMinutes("piece");
        const Ended ended =
            disturb(run, SIGTERM, 2, folder() / "project/runs/piece/checkpoints/step-000000/DONE");
        qInfo("in a long piece: status %d after %.2f s: %s", ended.code, ended.seconds, ended.error.c_str());
        QCOMPARE(ended.code, 130);
        QVERIFY2(ended.cpu < mostCpu, ended.error.c_str());
        QVERIFY2(ended.error.find("stopped before the current step was saved") != std::string::npos,
                 ended.error.c_str());
        const auto runs = shell(folder(), "$SPARSERL --json runs --project project | grep '\"piece\"'");
        QVERIFY2(runs.status.ok(), runs.error.c_str());
        const auto row = parseJson(runs.output);
        QVERIFY2(row && (*row)["status"] == "stopped", runs.output.c_str());
        QVERIFY2(runs.output.find("Interrupted before the current step was saved") != std::string::npos,
                 runs.output.c_str());
    }

    /// On a disk that takes its time: it says within three seconds that it is still saving, and what is saved
    /// is whole.
    void whileACheckpointIsWrittenSlowly()
    {
        const fs::path run = folder() / "project/runs/slow";
        const std::string pending = (run / "checkpoints/.tmp-step-000002").string();
        const Ended ended =
            disturb("env LD_PRELOAD=" SPARSERL_FAULTS " SPARSERL_FAULT_KIND=slow SPARSERL_FAULT_AT=1 "
                    "SPARSERL_FAULT_ROOT=" +
                        pending +
                        " $SPARSERL --quiet train quickstart-sft --run project/runs/slow --set sft.steps=4 "
                        "--set checkpoint.every=2 " +
                        tinySft,
                    SIGTERM, 0, pending);
        qInfo("in a slow checkpoint: status %d after %.2f s: %s", ended.code, ended.seconds,
              ended.error.c_str());
        QCOMPARE(ended.code, 130);
        QVERIFY2(ended.seconds > 3, "the disk was not slow");
        QVERIFY2(ended.error.find("a checkpoint is still being saved") != std::string::npos,
                 ended.error.c_str());
        QVERIFY2(ended.output.find("Interrupted at step 2") != std::string::npos, ended.output.c_str());
        QVERIFY(fs::exists(run / "checkpoints/step-000002/DONE") && !fs::exists(pending));
        const auto resumed = shell(folder(), "$SPARSERL --quiet train --run project/runs/slow", 200);
        QVERIFY2(resumed.status.ok(), resumed.error.c_str());
        QVERIFY(fs::exists(run / "checkpoints/step-000004/DONE"));
    }

    /// A disk that fails at the moment of Ctrl-C: what fails a command is said all the same.
    void errorsThatComeWithASignal_data()
    {
        QTest::addColumn<QString>("arguments");
        for (const char* line : faultyLines)
            QTest::newRow(line) << QString::fromLatin1(line);
    }

    void errorsThatComeWithASignal()
    {
        QFETCH(QString, arguments);
        const std::string line =
            arguments.toStdString() + (arguments.startsWith(QLatin1String("train")) ? tinySft : "");
        const auto run = [&](const char* kind, int at) {
            const int number = ++m_number;
            const fs::path place = folder() / fmt::format("faulty{}", number);
            const auto made = shell(folder(), "$SPARSERL --quiet project new " + place.string());
            auto ended =
                shell(folder(),
                      fmt::format("SPARSERL_FAULT_KIND={} SPARSERL_FAULT_AT={} SPARSERL_FAULT_ROOT={} "
                                  "LD_PRELOAD=" SPARSERL_FAULTS " $SPARSERL --quiet {}",
                                  kind, at, place.string(), numbered(line, number)),
                      100);
            ended.error = std::regex_replace(ended.error, std::regex("[^ ]*faulty[0-9]+[^ :]*"),
                                             "PLACE"); // they differ
            if (!made.status.ok())
                ended.error = "the project was not made";
            return ended;
        };
        int failed = 0;
        for (int at = 1; at <= 6; ++at) {
            const RunOutput alone = run("eio", at), together = run("signal", at);
            const std::string about =
                fmt::format("operation {}: {} {}\nwith a signal: {} {}", at, alone.status.sentence(),
                            alone.error, together.status.sentence(), together.error);
            QVERIFY2(alone.status.code == 0 || alone.status.code == 1, about.c_str());
            if (alone.status.code == 1) {
                QVERIFY2(together.status.code == 1 || together.status.code == 130, about.c_str());
                QVERIFY2(!alone.error.empty() && together.error.find(alone.error) != std::string::npos,
                         about.c_str());
            } else {
                QVERIFY2(together.status.code == 130 || together.status.code == 0, about.c_str());
            }
            failed += alone.status.code;
        }
        QVERIFY(failed > 0); // the disk was in its way
    }

    void whileProgramsAreJudged()
    {
        // Sixty programs that differ: no machine has judged them all on this matrix when the signal comes.
        const auto sampled =
            shell(folder(), "$SPARSERL corpus sample -n 60 --variety 1 --seed 5 --out many >/dev/null");
        QVERIFY2(sampled.status.ok(), sampled.error.c_str());
        const Ended ended = disturb("$SPARSERL judge many/*.cu --matrix 'stencil2d(n=900)' --device sim "
                                    "--task spmv",
                                    SIGINT, 2.5);
        qInfo("while judging: status %d after %.2f s", ended.code, ended.seconds);
        QCOMPARE(ended.code, 130);
        QVERIFY(ended.cpu < mostCpu);
        QCOMPARE(ended.orphans, 0);
    }

    /// Killed in the middle of a long job: its runners do not finish that for nobody.
    void runnersDieWithTheirParent()
    {
        SpawnOptions options;
        options.argv = {SPARSERL_BIN_DIR "/sparserl",
                        "--quiet",
                        "judge",
                        "k0.cu",
                        "--matrix",
                        "random(rows=200000,cols=200000,mean=40)",
                        "--device",
                        "sim",
                        "--task",
                        "spmv",
                        "--runners",
                        "2"};
        options.workingDirectory = folder();
        options.output = StreamEnd::null();
        options.error = StreamEnd::null();
        auto process = spawn(options);
        QVERIFY2(process, process ? "" : process.error().sentence().c_str());
        const std::string parent = std::to_string(process->pid());
        const auto locked = [&] { // at least two, and none is only about to be
            const auto runners = childrenOf(parent);
            return runners.size() >= 2 &&
                   std::all_of(runners.begin(), runners.end(), [](const std::string& pid) {
                       return readFile("/proc/" + pid + "/status").value_or("").find("Seccomp:\t2") !=
                              std::string::npos;
                   });
        };
        QTRY_VERIFY_WITH_TIMEOUT(locked() || process->poll(), test::patience());
        QVERIFY2(!process->poll(), "it was judged before it could be killed");
        // One that is stopped would take for ever.
        for (const std::string& runner : childrenOf(parent))
            ::kill(std::stoi(runner), SIGSTOP);
        ::kill(process->pid(), SIGKILL);
        QVERIFY(process->wait(test::patienceSeconds()));
        const auto left = [&] {
            while (::waitpid(-1, nullptr, WNOHANG) > 0) {
            }
            return childrenOf(std::to_string(::getpid())).size();
        };
        QTRY_COMPARE_WITH_TIMEOUT(left(), std::size_t{0}, test::patience());
    }

    /// In a piece that takes minutes, which is ended after three seconds and says so: without that sentence
    /// it was the second signal. A machine that is busy may need another attempt to send it in time.
    void secondSignalEndsAtOnce()
    {
        std::string said;
        for (int attempt = 0; attempt < 5; ++attempt) {
            const std::string name = fmt::format("twice{}", attempt);
            const Ended ended =
                disturb(pieceOfMinutes(name), SIGINT, 2,
                        folder() / "project/runs" / name / "checkpoints/step-000000/DONE", {}, 2, 1.3);
            qInfo("twice: status %d after %.2f s", ended.code, ended.seconds);
            QCOMPARE(ended.code, 130);
            QVERIFY2(ended.output.find("Interrupted at step") == std::string::npos, ended.output.c_str());
            if (ended.error.find("ended in the middle") == std::string::npos)
                return;
            said += ended.error;
        }
        QFAIL(said.c_str());
    }

    /// timeout(1) sends two within a moment, which ask once: what has been done is saved. A process that got
    /// no time between them for a second takes them for two, so there are several attempts.
    void signalsOfOneMomentAreOne()
    {
        std::string said;
        for (int attempt = 0; attempt < 5; ++attempt) {
            const std::string name = fmt::format("project/runs/moment{}", attempt);
            const Ended ended =
                disturb("$SPARSERL train quickstart-sft --set sft.steps=1000000 --set alarm.loss_action=off "
                        "--set eval.every=0 --set checkpoint.every=1000000 " +
                            std::string(tinySft) + " --run " + name,
                        SIGTERM, 1, folder() / name / "checkpoints/step-000000/DONE", {}, 2, 0.05);
            qInfo("of one moment: status %d after %.2f s", ended.code, ended.seconds);
            QCOMPARE(ended.code, 130);
            if (ended.output.find("Interrupted at step") != std::string::npos)
                return;
            said += ended.output + ended.error;
        }
        QFAIL(said.c_str());
    }

private:
    std::string command(const Line& one, int number) const
    {
        std::string text = numbered(std::string("$SPARSERL --json ") + one.arguments, number);
        if (std::string_view(one.name) == "train" || std::string_view(one.name) == "ablate")
            text += tinySft;
        return text;
    }

    /// A run that takes a while, begun and interrupted. An earlier one goes: its checkpoints would say that
    /// this one has begun.
    std::string longRun() const
    {
        return "rm -rf project/runs/long; $SPARSERL train quickstart-sft --run project/runs/long --set "
               "sft.steps=100000 --set "
               "alarm.loss_action=off "
               "--set eval.every=0 " +
               std::string(tinySft) +
               " & sleep 1; while ! test -e project/runs/long/checkpoints; do sleep 0.2; done; sleep 1; "
               "kill $!; wait $!";
    }

    /// A run whose first step takes minutes.
    static std::string pieceOfMinutes(const std::string& name)
    {
        return "$SPARSERL train quickstart-sft --run project/runs/" + name +
               " --set sft.steps=4 --set policy.d_model=512 --set policy.d_ff=2048 "
               "--set policy.encoder_layers=4 --set policy.decoder_layers=4 --set tokenizer.vocabulary=700 "
               "--set threads=1 --set sft.programs_per_matrix=4 --set sft.heldout_programs=1 --set "
               "sft.batch=600 "
               "--set sft.micro_batch=600 --set sft.variety=0 --set eval.every=0";
    }

    /// Runs a command and signals it `times` times, `apart` seconds apart: after `delay`, or once the file
    /// `until` is there and the run's heartbeat there says `phase`.
    Ended disturb(const std::string& command, int signal, double delay, const fs::path& until = {},
                  const std::string& phase = {}, int times = 1, double apart = 0.1)
    {
        SpawnOptions options;
        options.argv = {"/bin/bash", "-c", "exec " + command + " >output 2>error"};
        options.workingDirectory = folder();
        options.extraEnvironment = {{"SPARSERL", SPARSERL_BIN_DIR "/sparserl"},
                                    {"TMPDIR", (folder() / "tmp").string()}};
        for (const char* file : {"output", "error"})
            fs::remove(folder() / file);
        auto process = spawn(options);
        if (!process)
            qFatal("%s", process.error().sentence().c_str());
        const auto started = Clock::now();
        if (!until.empty())
            while (!isThere(until, phase) && secondsSince(started) < patienceSeconds(100) && !process->poll())
                std::this_thread::sleep_for(std::chrono::milliseconds(50));
        std::this_thread::sleep_for(std::chrono::duration<double>(delay));
        Ended ended;
        const double endedBefore = cpuOfEnded(), cpuBefore = cpuOf(std::to_string(process->pid()));
        ended.begun = handles(process->pid(), signal);
        const auto begin = Clock::now();
        for (int i = 0; i < times; ++i) {
            ::kill(process->pid(), signal);
            if (i + 1 < times)
                std::this_thread::sleep_for(std::chrono::duration<double>(apart));
        }
        const auto status = process->wait(test::patienceSeconds(100));
        ended.seconds = secondsSince(begin);
        ended.cpu = cpuOfEnded() - endedBefore - cpuBefore;
        if (!status)
            qFatal("it does not end: %s", command.c_str());
        ended.signalled = status->signalled;
        ended.code = status->code;
        ended.output = readFile(folder() / "output").value_or("");
        ended.error = readFile(folder() / "error").value_or("");
        comesTrue([&] {
            while (::waitpid(-1, nullptr, WNOHANG) > 0) {
            }
            ended.orphans = static_cast<int>(childrenOf(std::to_string(::getpid())).size());
            return ended.orphans == 0;
        });
        return ended;
    }

    /// The last line of a command, or of a stage's output, says that it was interrupted.
    static bool saysInterrupted(const Ended& ended)
    {
        const auto says = [](const std::string& text) {
            return text.find("nterrupted") != std::string::npos ||
                   text.find("stopped before the current step") != std::string::npos;
        };
        return says(ended.error) || says(ended.output);
    }

    static bool isThere(const fs::path& path, const std::string& phase)
    {
        if (phase.empty())
            return fs::exists(path);
        for (const char* name : {"heartbeat.json", "heartbeat"})
            if (const auto text = readFile(path / name); text && text->find(phase) != std::string::npos)
                return true;
        return false;
    }

    static std::vector<std::string> childrenOf(const std::string& pid)
    {
        std::ifstream file("/proc/" + pid + "/task/" + pid + "/children");
        std::vector<std::string> all;
        for (std::string word; file >> word;)
            all.push_back(word);
        return all;
    }

    /// Every line is whole, whatever happened.
    static void checkLines(const std::string& output, const std::string& about)
    {
        QVERIFY2(output.empty() || output.back() == '\n', about.c_str());
        std::istringstream in(output);
        for (std::string line; std::getline(in, line);)
            QVERIFY2(parseJson(line).has_value(), (line + "\n" + about).c_str());
    }

    /// Nothing half-written is left, neither here nor in the project nor among temporary files.
    void checkFolder(const std::string& about) const
    {
        for (const auto& entry : fs::recursive_directory_iterator(folder())) {
            const std::string name = entry.path().filename().string();
            const bool left = name.find(".tmp-") != std::string::npos || name.starts_with(".bundle-") ||
                              entry.path().parent_path() == folder() / "tmp";
            QVERIFY2(!left, (entry.path().string() + "\n" + about).c_str());
        }
    }

    const fs::path& folder() const { return m_folder; }
    std::unique_ptr<TempDir> m_dir; ///< Where it is not a copy.
    fs::path m_folder;
    int m_rounds = 1;
    int m_number = 0;
};

int main(int argc, char** argv)
{
    TestCliSignals test;
    if (argc == 1 && !copyForThisPart()) {
        std::map<std::string, std::vector<std::string>> rows;
        const test::DrawnShare share(12);
        std::vector<std::pair<std::string, std::string>> all; // At least one of each.
        for (const Line& line : lines)
            all.emplace_back("everyCommand", line.name);
        for (const char* line : faultyLines)
            all.emplace_back("errorsThatComeWithASignal", line);
        const auto always = share.oneOfEach(all);
        for (const auto& [function, line] : all)
            if (always.contains(line) || share.wider(function == "everyCommand" ? 2 : 4).has(line))
                rows[function].push_back(line);
        return runParts(argv[0], partsOf(*test.metaObject(), rows), prepare);
    }
    const QCoreApplication application(argc, argv);
    QTEST_SET_MAIN_SOURCE_PATH
    return QTest::qExec(&test, argc, argv);
}
#include "tst_cli_signals.moc"

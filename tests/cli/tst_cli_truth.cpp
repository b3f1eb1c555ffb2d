// SPDX-License-Identifier: Apache-2.0
// What scripts rely on, against the real program: streams that take nothing, signals at any moment, wrong
// usage, numbers that do not fit, inputs that are none, and text of others on a terminal.
#include "base/files.h"
#include "base/json.h"
#include "base/rng.h"
#include "base/subprocess.h"

#include <QTest>
#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <sys/stat.h>
#include <thread>

using namespace sparserl;
namespace fs = std::filesystem;

namespace {

const std::string program = SPARSERL_BIN_DIR "/sparserl";

/// A shell line in `folder`; $SPARSERL is the program.
RunOutput shell(const fs::path& folder, const std::string& line, double seconds = 60)
{
    SpawnOptions options;
    options.argv = {"/bin/bash", "-c", line};
    options.workingDirectory = folder;
    options.output = options.error = StreamTarget::pipe();
    options.extraEnvironment = {{"SPARSERL", program}};
    auto output = runToEnd(options, {}, seconds);
    if (!output)
        qFatal("%s", output.error().sentence().c_str());
    return std::move(*output);
}

struct Line
{
    const char* name;
    const char* arguments;
    bool speaks; ///< Writes to stdout where it works.
};

/// One of every command that needs no policy and no GPU.
constexpr Line lines[] = {
    {"help", "--help", true},
    {"version", "--version", true},
    {"features", "features good.mtx", true},
    {"features, JSON", "--json features good.mtx", true},
    {"features of a generator", "features 'stencil2d(n=8)'", true},
    {"multiply", "multiply good.mtx", true},
    {"import", "import good.mtx", true},
    {"corpus", "corpus --help", true},
    {"train --list", "train --list", true},
    {"train --parameters", "--json train --parameters", true},
    {"project new", "project new p/$RANDOM$RANDOM", true},
    {"project reindex", "project reindex project", true},
    {"runs", "runs --project project", true},
    {"pack --list", "pack --list good.pack", true},
    {"no such file", "features none.mtx", false},
    {"no such file, JSON", "--json features none.mtx", true},
    {"wrong usage", "features", false},
    {"wrong usage, JSON", "--json features", true},
};

} // namespace

class TestCliTruth : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_dir = std::make_unique<TempDir>(std::move(*TempDir::create("truth")));
        const std::string matrix =
            "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 2 2\n3 3 3\n";
        QVERIFY(writeFileAtomic(folder() / "good.mtx", matrix).has_value());
        const auto made =
            shell(folder(), "$SPARSERL project new project && $SPARSERL pack good.mtx --out good.pack");
        QVERIFY2(made.status.ok(), made.error.c_str());
    }

    void unwritableStreams_data()
    {
        QTest::addColumn<QByteArray>("arguments");
        QTest::addColumn<QByteArray>("redirection");
        QTest::addColumn<bool>("fails");
        for (const Line& line : lines) {
            const struct
            {
                const char* name;
                const char* redirection;
                bool fails;
            } streams[] = {{"full stdout", ">/dev/full 2>/dev/null", line.speaks},
                           {"closed stdout", ">&- 2>/dev/null", line.speaks},
                           {"full stderr", ">/dev/null 2>/dev/full", false},
                           {"closed stderr", ">/dev/null 2>&-", false},
                           {"both full", ">/dev/full 2>&1", true},
                           {"both closed", ">&- 2>&-", true},
                           {"all closed", "<&- >&- 2>&-", true}};
            for (const auto& stream : streams)
                QTest::addRow("%s, %s", line.name, stream.name)
                    << QByteArray(line.arguments) << QByteArray(stream.redirection) << stream.fails;
            QTest::addRow("%s, broken pipe", line.name)
                << QByteArray(line.arguments) << QByteArray("|") << line.speaks;
        }
    }

    /// Never 0 where something could not be written, never a crash, nothing but the exit statuses of the
    /// manual.
    void unwritableStreams()
    {
        QFETCH(QByteArray, arguments);
        QFETCH(QByteArray, redirection);
        QFETCH(bool, fails);
        const std::string command = "$SPARSERL " + arguments.toStdString();
        const auto output =
            redirection == "|"
                ? shell(
                      folder(),
                      "(sleep 0.1; " + command +
                          " 2>error; echo $? >status) | :; sleep 0.1; "
                          "while ! test -s status; do sleep 0.05; done; s=$(cat status); rm status; exit $s")
                : shell(folder(), command + " " + redirection.toStdString());
        const std::string what = fmt::format("status {}: {}", output.status.code, output.error);
        QVERIFY2(!output.status.signalled &&
                     (output.status.code == 0 || output.status.code == 1 || output.status.code == 2),
                 what.c_str());
        if (fails)
            QVERIFY2(output.status.code == 1, what.c_str());
    }

    void signalsAtRandomMoments_data()
    {
        QTest::addColumn<QByteArray>("arguments");
        QTest::newRow("features") << QByteArray("features 'random(rows=300000,cols=300000,mean=20)'");
        QTest::newRow("judge") << QByteArray(
            "judge k.cu --matrix 'stencil2d(n=64)' --device sim --task spmv");
        QTest::newRow("corpus") << QByteArray("corpus sample --task spmv -n 2000 --out programs");
        QTest::newRow("reindex") << QByteArray("project reindex project");
        QTest::newRow("doctor") << QByteArray("doctor");
        QTest::newRow("help") << QByteArray("--help");
    }

    /// It ends within three seconds and a bit, with 130, or with the status it would have had.
    void signalsAtRandomMoments()
    {
        QFETCH(QByteArray, arguments);
        const auto sampled =
            shell(folder(), "$SPARSERL corpus sample --task spmv --family S1 -n 1 --out one && "
                            "cp $(ls one/* | head -1) k.cu");
        QVERIFY2(sampled.status.ok(), sampled.error.c_str());
        Rng rng(3);
        for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
            for (int i = 0; i < 4; ++i) {
                SpawnOptions options;
                options.argv = {"/bin/bash", "-c",
                                "exec $SPARSERL " + arguments.toStdString() + " >/dev/null 2>&1"};
                options.workingDirectory = folder();
                options.extraEnvironment = {{"SPARSERL", program}};
                auto process = spawn(options);
                QVERIFY(process.has_value());
                std::this_thread::sleep_for(std::chrono::duration<double>(rng.uniform() * 0.8));
                process->killGroup(signal);
                const auto begin = std::chrono::steady_clock::now();
                const auto status = process->wait(10);
                const double seconds =
                    std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
                QVERIFY(status.has_value());
                QVERIFY2(seconds < 5, std::to_string(seconds).c_str());
                // By the signal itself only before main() has begun.
                const bool expected =
                    status->signalled ? status->code == signal : status->code == 130 || status->code == 0;
                QVERIFY2(expected, status->sentence().c_str());
            }
        }
    }

    void sentences_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("contains");
        const auto row = [](const char* name, const char* line, int status, const char* contains) {
            QTest::newRow(name) << QByteArray(line) << status << QByteArray(contains);
        };
        row("no arguments", "$SPARSERL", 2, "subcommand");
        row("unknown option", "$SPARSERL features --what good.mtx", 2, "--what");
        row("number that wraps", "$SPARSERL corpus sample --task spmv -n 99999999999999999999 --out x", 2,
            "99999");
        row("negative seed", "$SPARSERL judge good.mtx --matrix good.mtx --seed -1", 2, "seed");
        row("seed beyond 64 bits", "$SPARSERL judge good.mtx --matrix good.mtx --seed 18446744073709551616",
            2, "seed");
        row("seed that is none", "$SPARSERL judge good.mtx --matrix good.mtx --seed 0x", 2, "seed");
        row("named pipe", "rm -f pipe; mkfifo pipe; timeout 20 $SPARSERL features pipe", 1,
            "not a regular file");
        row("named pipe as a program",
            "rm -f pipe; mkfifo pipe; timeout 20 $SPARSERL judge pipe --matrix good.mtx", 1, "named pipe");
        row("folder as a matrix", "$SPARSERL features project", 1, "folder");
        row("deleted working folder", "mkdir gone && cd gone && rmdir ../gone && $SPARSERL runs", 1,
            "working folder");
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // They map terabytes before main().
        row("huge dimensions",
            "printf '%%%%MatrixMarket matrix coordinate real general\\n2147483647 2147483647 1\\n1 1 1\\n' > "
            "huge.mtx; "
            "ulimit -v 4000000; $SPARSERL features huge.mtx",
            1, "huge.mtx|ulimit -v|memory");
#endif
        row("a matrix of a pack", "$SPARSERL features good.pack#good", 0, "good.pack#good");
        row("a pack", "$SPARSERL multiply good.pack", 0, "sum of y");
        row("a matrix that the pack has not", "$SPARSERL features good.pack#other", 1, "other");
    }

    void sentences()
    {
        QFETCH(QByteArray, line);
        QFETCH(int, status);
        QFETCH(QByteArray, contains);
        const auto output = shell(folder(), line.toStdString());
        const std::string text = output.output + output.error;
        QVERIFY2(!output.status.signalled && output.status.code == status,
                 (output.status.sentence() + ": " + text).c_str());
        bool found = false;
        for (const QByteArray& one : contains.split('|'))
            found = found || text.find(one.toStdString()) != std::string::npos;
        QVERIFY2(found, text.c_str());
    }

    void wrongUsageIsJsonWithJson()
    {
        for (const char* arguments :
             {"--json", "--json features", "features --json", "--json features --what x",
              "judge good.mtx --json --seed -1 --matrix good.mtx"}) {
            const auto output = shell(folder(), std::string("$SPARSERL ") + arguments);
            QCOMPARE(output.status.code, 2);
            const auto json = parseJson(output.output);
            QVERIFY2(json && json->contains("error") && !(*json)["error"]["what"].get<std::string>().empty(),
                     output.output.c_str());
        }
    }

    /// Names of files are other people's text.
    void controlCharactersStayAway()
    {
        const std::string name = "a\x1b]0;title\x07\xc2\x9b"
                                 "2J\xe2\x80\xae"
                                 "xtm.mtx";
        fs::copy_file(folder() / "good.mtx", folder() / name, fs::copy_options::overwrite_existing);
        for (const char* line : {"$SPARSERL features a*.mtx", "$SPARSERL --json features a*.mtx",
                                 "$SPARSERL features a*.mtx.none b$'\\e[2J'", "$SPARSERL import a*.mtx",
                                 "$SPARSERL --json import $'b\\e[2J\\u202e'", "$SPARSERL $'b\\e[2J'",
                                 "$SPARSERL --json $'b\\e[2J'"}) {
            const auto output = shell(folder(), line);
            const std::string text = output.output + output.error;
            QVERIFY(!text.empty());
            for (const char* raw : {"\x1b", "\x07", "\xc2\x9b", "\xe2\x80\xae"})
                QVERIFY2(text.find(raw) == std::string::npos, line);
        }
        const auto json = parseJson(shell(folder(), "$SPARSERL --json features a*.mtx").output);
        QVERIFY(json && (*json)["file"] == name); // what is read back is the name
    }

private:
    const fs::path& folder() const { return m_dir->path(); }
    std::unique_ptr<TempDir> m_dir;
};

QTEST_GUILESS_MAIN(TestCliTruth)
#include "tst_cli_truth.moc"

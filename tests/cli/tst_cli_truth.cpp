// SPDX-License-Identifier: Apache-2.0
// What scripts rely on, against the real program: streams that take nothing, wrong
// usage, numbers that do not fit, inputs that are none, and text of others on a terminal.
#include "base/json.h"
#include "machine/device_model.h"
#include "programs.h"
#include "side_by_side.h"
#include "tests/drawn_share.h"
#include "tests/patience.h"

#include <QCoreApplication>
#include <QRegularExpression>
#include <QTest>
#include <algorithm>
#include <csignal>
#include <fmt/format.h>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <utility>
#include <vector>

using namespace sparserl;
using namespace sparserl::test;
namespace fs = std::filesystem;

namespace {

const std::string program = SPARSERL_BIN_DIR "/sparserl";

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

constexpr const char* starved[] = {"doctor", "judge", "train"};

/// Whether a command, such as "policy score", is one of those that load LibTorch.
bool loadsTensors(const std::string& command)
{
    static constexpr std::string_view names[] = {
#define SPARSERL_COMMAND(NAME)
#define SPARSERL_TRAINING_COMMAND(NAME, DESCRIPTION) #NAME,
#include "app/cli/commands.def"
#undef SPARSERL_COMMAND
#undef SPARSERL_TRAINING_COMMAND
    };
    return std::find(std::begin(names), std::end(names), command.substr(0, command.find(' '))) !=
           std::end(names);
}

/// Fills the folder that all commands work in; says what went wrong.
std::string prepare(const fs::path& folder)
{
    const auto written = writeFileAtomic(
        folder / "good.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 2 2\n3 3 3\n");
    if (!written)
        return written.error().sentence();
    const auto made =
        shell(folder, "$SPARSERL project new project && $SPARSERL pack good.mtx --out good.pack && "
                      "$SPARSERL corpus sample --task spmv --family S1 -n 1 --out one && "
                      "cp $(ls one/* | head -1) k.cu");
    return made.status.ok() ? std::string() : made.output + made.error;
}

} // namespace

class TestCliTruth : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        if (const auto copy = copyForThisPart()) {
            m_folder = *copy;
            return;
        }
        m_dir = std::make_unique<TempDir>(std::move(*TempDir::create("truth")));
        m_folder = m_dir->path();
        const std::string wrong = prepare(m_folder);
        QVERIFY2(wrong.empty(), wrong.c_str());
    }

    void unwritableStreams_data()
    {
        QTest::addColumn<QByteArray>("arguments");
        QTest::addColumn<QByteArray>("redirection");
        QTest::addColumn<bool>("fails");
        const test::DrawnShare share(8);
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
            std::vector<std::pair<std::string, std::string>>
                ways; // Each line meets one of these, and more by lot.
            for (const auto& stream : streams)
                ways.emplace_back(line.name, std::string(line.name) + stream.name);
            ways.emplace_back(line.name, std::string(line.name) + "broken pipe");
            const auto always = share.oneOfEach(ways);
            for (const auto& stream : streams)
                if (share.has(std::string(line.name) + stream.name) ||
                    always.contains(std::string(line.name) + stream.name))
                    QTest::addRow("%s, %s", line.name, stream.name)
                        << QByteArray(line.arguments) << QByteArray(stream.redirection) << stream.fails;
            if (share.has(std::string(line.name) + "broken pipe") ||
                always.contains(std::string(line.name) + "broken pipe"))
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

    /// Results that do not reach their file are missed nowhere else: the command says so.
    void aFullDiskIsSaid()
    {
        for (const char* arguments :
             {"--help", "features 'stencil2d(n=4)'", "--json features 'stencil2d(n=4)'", "runs --help"}) {
            for (const char* where : {">/dev/full", ">&-"}) {
                const auto output = shell(folder(), std::string("$SPARSERL ") + arguments + " " + where);
                const std::string what = fmt::format("{} {}: {}", arguments, where, output.error);
                QVERIFY2(output.status.code == 1, what.c_str());
                QVERIFY2(output.error.find("standard output: cannot write the results") != std::string::npos,
                         what.c_str());
            }
            const auto piped = shell(folder(), std::string("$SPARSERL ") + arguments + " | :");
            QVERIFY2(piped.error.empty(), piped.error.c_str());
        }
    }

    /// From inside of a run, too: the project is the one around it.
    void runsAreListedInAnyFolderOfTheProject()
    {
        const auto made =
            shell(folder(), "$SPARSERL project new around && mkdir -p around/runs/one/checkpoints && "
                            "printf \"[run]\\nstage = 'sft'\\n\" > around/runs/one/run.toml");
        QVERIFY2(made.status.ok(), made.error.c_str());
        for (const char* where :
             {"around", "around/runs", "around/runs/one", "around/runs/one/checkpoints"}) {
            const auto listed = shell(folder(), std::string("cd ") + where + " && $SPARSERL runs");
            QVERIFY2(listed.status.ok() && listed.output.find("one") != std::string::npos,
                     listed.error.c_str());
        }
        const auto one = shell(folder(), "cd around/runs && $SPARSERL runs one");
        QVERIFY2(one.status.ok() && one.output.find("one: ") != std::string::npos, one.error.c_str());
    }

    void sentences_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<int>("status");
        QTest::addColumn<QByteArray>("contains");
        const auto row = [](const char* name, const char* line, int status, const char* contains) {
            QTest::newRow(name) << QByteArray(line) << status << QByteArray(contains);
        };
        row("a job whose parameters are no list",
            "printf '[[stage]]\\nrun = \"a\"\\npreset = \"quickstart-sft\"\\nset = \"sft.steps=3\"\\n' > "
            "project/job.toml; $SPARSERL job project",
            1, "job.toml:4");
        row("a job with a number as a name",
            "printf '[[stage]]\\nrun = \"a\"\\npreset = 5\\n' > project/job.toml; $SPARSERL job project", 1,
            "job.toml:3");
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
        row("bench of a file that is none", "echo no > bad.mtx; $SPARSERL bench bad.mtx --device sim", 1,
            "bad.mtx");
        row("bench of two files, one of them none",
            "echo no > bad.mtx; $SPARSERL bench bad.mtx good.mtx --device sim --limit-per-matrix 1 --samples "
            "3 --no-cold",
            1, "bad.mtx:1");
        row("search of a file that is none", "echo no > bad.mtx; $SPARSERL search bad.mtx --device sim", 1,
            "bad.mtx");
        row("search of two files, one of them none",
            "echo no > bad.mtx; $SPARSERL search bad.mtx good.mtx --device sim --bench-programs 2 "
            "--candidates 3 --rounds 1 --out records; s=$?; test -e records/1-good-*.cu && exit $s",
            1, "bad.mtx:1");
        row("search of nothing", "$SPARSERL search --device sim", 2, "nothing to search");
        row("search with a source that is none",
            "$SPARSERL search good.mtx --device sim --share grid=0.5,policy=0.5", 2, "policy");
        row("search with shares of more than all",
            "$SPARSERL search good.mtx --device sim --share grid=0.7,edits=0.7", 2, "add up");
        row("search with a share that is no number",
            "$SPARSERL search good.mtx --device sim --share grid=much", 2, "grid=much");
        row("search over no columns", "$SPARSERL search good.mtx --task spmm --columns 1", 2, "--columns");
        row("search on GPUs without numbers", "$SPARSERL search good.mtx --gpus x", 2, "GPUs");
        row("bench of nothing", "$SPARSERL bench --device sim", 2, "no matrix");
        row("generation that is a number",
            "mkdir -p policy; echo "
            "'{\"sparserl\":{\"format\":1,\"generation\":5,\"embedding\":{\"mode\":\"raw\","
            "\"max_entries\":8,\"pe_dim\":8,\"feature_tokens\":0}},\"vocab_size\":300,\"d_model\":8,\"d_kv\":"
            "8,"
            "\"d_ff\":8,\"num_layers\":1,\"num_heads\":1}' > policy/config.json; touch "
            "policy/model.safetensors; "
            "$SPARSERL generate --policy policy --matrix good.mtx --no-judge",
            1, "generation settings");
        row("a run in another project",
            "mkdir -p other; $SPARSERL project new other; $SPARSERL import good.mtx --project other; "
            "$SPARSERL train quickstart-sft --run project/runs/x --project other",
            1, "belongs to the project");
        row("a run in a project without matrices",
            "$SPARSERL train quickstart-sft --run project/runs/x; s=$?; "
            "test ! -e project/runs/x && exit $s",
            1, "no matrices");
        // A mistyped parent must not leave a run behind that can never begin.
        row("a parent that is none",
            "mkdir -p typo; $SPARSERL project new typo; $SPARSERL import good.mtx --project typo; "
            "$SPARSERL train quickstart-ppo --run typo/runs/x --parent stf; s=$?; "
            "test ! -e typo/runs/x && exit $s",
            1, "no policy here");
        row("an algorithm that is none",
            "mkdir -p typo2; $SPARSERL project new typo2; $SPARSERL import good.mtx --project typo2; "
            "$SPARSERL train quickstart-ppo --run typo2/runs/x --set rl.algorithm=gropo; s=$?; "
            "test ! -e typo2/runs/x && exit $s",
            2, "rl.algorithm");
        row("compile says where a program is wrong, and speaks of no export",
            "sed '0,/;$/s/;$//' k.cu > syn.cu; $SPARSERL compile k.cu syn.cu", 1,
            "sparserl: syn.cu:5: expected a \";\"");
        row("a generator that is none", "$SPARSERL features 'rmatt(scale=10)'", 1,
            "no matrix generator \"rmatt\". Did you mean rmat? Generators are ");
        row("bench with families of the other task", "$SPARSERL bench good.mtx --families M1", 2,
            "M1 is a family for spmm. Add --task spmm");
        row("a table of an unknown format is refused at once",
            "$SPARSERL evaluate --policy policy --matrix good.mtx --table x.pdf", 2, ".csv, .md or .tex");
        row("pass@k of too few samples", "$SPARSERL evaluate --policy policy --matrix good.mtx -n 1 -k 5", 2,
            "-k 5 needs -n of at least 5");
        row("judge of a program that is not there", "$SPARSERL judge --matrix good.mtx none.cu", 1,
            "sparserl: none.cu: ");
        row("a project without a job", "$SPARSERL project new nojob; $SPARSERL job nojob", 1,
            "the project has no job");
        row("a command that needs another one", "$SPARSERL control x", 2, "It has status, ");
        row("a number out of its range", "$SPARSERL bench good.mtx --samples 0", 2,
            "0 is not in the range from 3 to 1000");
        row("help of a command", "$SPARSERL help judge", 0, "Usage: sparserl judge");
        row("help of a command that trains", "$SPARSERL help evaluate", 0, "Usage: sparserl evaluate");
        row("help", "$SPARSERL help", 0, "Usage: sparserl");
        row("version", "test \"$($SPARSERL version)\" = \"$($SPARSERL --version)\" && $SPARSERL -V", 0, "");
        row("a matrix of a pack", "$SPARSERL features good.pack#good", 0, "good.pack#good");
        row("a pack", "$SPARSERL multiply good.pack", 0, "sum of y");
        row("a matrix that the pack has not", "$SPARSERL features good.pack#other", 1, "other");
    }

    /// Everything that reads a file says what the file's format forbids, and where.
    void warnings_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<bool>("inJson");
        QTest::newRow("import") << QByteArray("import w.mtx") << true;
        QTest::newRow("import into a project")
            << QByteArray("import w.mtx --project w && $SPARSERL --json runs --project w") << true;
        QTest::newRow("features") << QByteArray("features w.mtx") << true;
        QTest::newRow("multiply") << QByteArray("multiply w.mtx") << true;
        QTest::newRow("bench") << QByteArray(
                                      "bench w.mtx --device sim --limit-per-matrix 1 --samples 3 --no-cold")
                               << true;
        QTest::newRow("search")
            << QByteArray("search w.mtx --device sim --bench-programs 1 --candidates 1 --rounds 1") << false;
        QTest::newRow("judge") << QByteArray("judge k.cu --matrix w.mtx --device sim") << false;
        QTest::newRow("pack") << QByteArray("pack w.mtx --out w.pack") << false;
        QTest::newRow("export") << QByteArray("export --program k.cu --matrix w.mtx --out $RANDOM$RANDOM")
                                << false;
        QTest::newRow("corpus recommend") << QByteArray("corpus recommend w.mtx -n 1") << false;
        QTest::newRow("corpus check")
            << QByteArray("corpus check --task spmv --family S1 -n 1 --inputs 1 --matrix w.mtx") << false;
        QTest::newRow("device calibrate")
            << QByteArray("device calibrate w.mtx --device sim --programs 2 --samples 3 "
                          "--no-fit --data w.jsonl")
            << false;
    }

    void warnings()
    {
        QFETCH(QByteArray, line);
        QFETCH(bool, inJson);
        const auto made =
            shell(folder(),
                  "printf '%%%%MatrixMarket matrix coordinate integer symmetric extra\n3 3 5\n1 1 1\n2 1 2\n"
                  "1 2 2\n2 2 0.5\n3 3 3\n' > w.mtx; rm -rf w; $SPARSERL project new w");
        QVERIFY2(made.status.ok(), made.error.c_str());
        const auto output = shell(folder(), "$SPARSERL --json " + line.toStdString(), 120);
        QVERIFY2(output.status.ok(), (output.status.sentence() + output.error).c_str());
        const std::string name = line.startsWith("corpus") || line.startsWith("device") ||
                                         line.startsWith("pack") || line.startsWith("bench") ||
                                         line.startsWith("search")
                                     ? "w"
                                     : "w.mtx";
        for (const char* said :
             {":1: the banner has more than five words; \"extra\"", ":5: the file is symmetric",
              ":6: the banner says integer", ": an entry names the same place"})
            QVERIFY2(output.error.find("sparserl: warning: " + name + said) != std::string::npos,
                     output.error.c_str());
        if (!inJson)
            return;
        const auto json = parseJson(output.output.substr(0, output.output.find('\n')));
        QVERIFY2(json && (*json)["warnings"].size() == 4, output.output.c_str());
        QCOMPARE((*json)["warnings"][0]["line"].get<int>(), 1);
        QVERIFY(!(*json)["warnings"][0]["text"].get<std::string>().empty());
    }

    /// What a project's library knows of a file is in the journal of the runs that use it.
    void warningsReachTheJournal()
    {
        const auto output = shell(
            folder(),
            "printf '%%%%MatrixMarket matrix coordinate real general extra\n40 40 4\n1 1 1\n2 1 2\n1 2 2\n3 "
            "3 3\n' > "
            "j.mtx; rm -rf j; $SPARSERL project new j && $SPARSERL --quiet import j.mtx --project j && "
            "$SPARSERL --quiet "
            "train quickstart-sft --run j/runs/one --set sft.steps=1 --set eval.every=0 " +
                std::string(tinySft) + "; grep -c 'j.mtx:1: the banner has more' j/runs/one/journal.jsonl",
            120);
        QVERIFY2(output.output.find("\n1\n") != std::string::npos || output.output.starts_with("1\n"),
                 (output.output + output.error).c_str());
    }

    /// Every number of every command, as --help lists them: what is none, or does not fit, is wrong usage.
    /// Each meets one of these values always, and the others by lot: each try is a process. What loads
    /// LibTorch for it, for a third of a second, is tried with one number of each command, and others by lot.
    void numbers_data()
    {
        QTest::addColumn<QByteArray>("command");
        std::vector<std::string> commands{""};
        for (std::size_t i = 0; i < commands.size(); ++i) {
            const auto said = shell(folder(), "$SPARSERL " + commands[i] + " --help");
            QVERIFY(said.status.ok());
            const std::string& help = m_help[commands[i]] = said.output;
            const std::size_t at = help.find("\nSubcommands:");
            std::istringstream in(at == std::string::npos ? std::string() : help.substr(at + 13));
            for (std::string line; std::getline(in, line);)
                if (line.starts_with("  ") && line.size() > 2 && line[2] != ' ')
                    commands.push_back(commands[i] + (commands[i].empty() ? "" : " ") +
                                       line.substr(2, line.find(' ', 2) - 2));
            if (!commands[i].empty() && at == std::string::npos)
                QTest::newRow(commands[i].c_str()) << QByteArray::fromStdString(commands[i]);
        }
        QVERIFY(commands.size() > 22); // those of sparserl-training too
    }

    void numbers()
    {
        QFETCH(QByteArray, command);
        std::string needed = " ";
        bool hasMatrix = false;
        std::vector<std::pair<std::string, std::string>> options;
        std::istringstream in(m_help.at(command.toStdString()));
        for (std::string line; std::getline(in, line);) {
            std::istringstream words(line);
            std::string name, type;
            words >> name >> type;
            name = name.substr(name.rfind(',') + 1);
            for (const char* kind : {"N", "NUMBER"})
                if (name.starts_with("-") && type == kind)
                    options.emplace_back(name, kind);
            hasMatrix = hasMatrix || name == "MATRIX";
            const bool isOther = name == "--matrix" && hasMatrix; // one option with two names
            if (line.starts_with("  ") && line.find(" REQUIRED") != std::string::npos && !isOther)
                needed += (name.starts_with("-") ? name + " x " : std::string("x "));
        }
        std::vector<std::pair<std::string, std::string>> tries; // option, line
        const test::DrawnShare share(8);
        if (loadsTensors(command.toStdString())) {
            std::vector<std::pair<std::string, std::string>> all;
            for (const auto& [name, kind] : options)
                all.emplace_back("one", "number " + name);
            const auto always = share.oneOfEach(all);
            std::erase_if(options, [&](const auto& option) {
                const std::string name = "number " + option.first;
                return !share.has(name) && !always.contains(name);
            });
        }
        for (const auto& [name, kind] : options) {
            std::vector<std::string> values{"99999999999999999999", "-99999999999999999999", "twelve"};
            if (kind == "NUMBER")
                values = {"nan", "inf", "-inf", "1e400", "twelve"};
            std::vector<std::pair<std::string, std::string>> ways;
            for (const std::string& value : values)
                ways.emplace_back(name, name + value);
            const auto always = share.oneOfEach(ways);
            for (const std::string& value : values)
                if (share.has(name + value) || always.contains(name + value))
                    tries.emplace_back(name, "$SPARSERL " + command.toStdString() + needed + name +
                                                 (name.starts_with("--") ? "=" : "") + value);
        }
        std::vector<RunOutput> outputs(tries.size());
        sideBySide(tries.size(), [&](std::size_t i) { outputs[i] = shell(folder(), tries[i].second); });
        for (std::size_t i = 0; i < tries.size(); ++i)
            QVERIFY2(
                !outputs[i].status.signalled && outputs[i].status.code == 2 &&
                    outputs[i].error.find(tries[i].first) != std::string::npos &&
                    outputs[i].error.size() < 400,
                (tries[i].second + ": " + outputs[i].status.sentence() + "\n" + outputs[i].error).c_str());
    }

    /// With less address space than it takes, every command says so, or works; none crashes.
    void limitedMemory_data()
    {
        QTest::addColumn<QByteArray>("command");
        QTest::newRow("doctor") << QByteArray("doctor");
        QTest::newRow("judge") << QByteArray("judge k.cu --matrix good.mtx --device sim");
        QTest::newRow("train") << QByteArray("train quickstart-sft --run limited/runs/v$RANDOM$RANDOM "
                                             "--set sft.steps=1 --set eval.every=0 ")
                                      .append(tinySft);
    }

    void limitedMemory()
    {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
        QSKIP("They map terabytes before main().");
#endif
        QFETCH(QByteArray, command);
        fs::remove_all(folder() / "limited");
        QVERIFY(writeFileAtomic(folder() / "limited/project.toml", tinyProject));
        int worked = 0, refused = 0;
        for (const int mebibytes : {16, 300, 1100, 2200, 4500, 6500, 20000}) {
            const auto output = shell(folder(),
                                      fmt::format("ulimit -v {}; exec $SPARSERL --quiet {}", mebibytes * 1024,
                                                  command.toStdString()),
                                      120);
            const std::string about = fmt::format("{} MiB: {}\n{}{}", mebibytes, output.status.sentence(),
                                                  output.output, output.error);
            qInfo("%s", about.c_str());
            QVERIFY2(!output.status.signalled, about.c_str());
            // 127: the loader could not even map the libraries, and said so.
            QVERIFY2(output.status.code == 0 || output.status.code == 1 || output.status.code == 127,
                     about.c_str());
            if (output.status.code == 1)
                QVERIFY2(output.error.find("ulimit -v") != std::string::npos, about.c_str());
            if (output.status.code == 127)
                QVERIFY2(output.error.find("shared") != std::string::npos, about.c_str());
            const bool doctor = command == "doctor";
            if (output.status.code == 0 && doctor && mebibytes < 5000)
                QVERIFY2(output.output.find("ulimit -v") != std::string::npos, about.c_str());
            if (output.status.code == 0 && command.startsWith("judge"))
                QVERIFY2(output.output.find("correct") != std::string::npos, about.c_str());
            worked += output.status.code == 0 ? 1 : 0;
            refused += output.status.code != 0 ? 1 : 0;
        }
        QVERIFY(worked >= 1 && refused >= 1);
    }

    /// Every line of a journal entry has its time, and its number grows in each run.
    void jobLines()
    {
        std::string set, text = std::string(tinySft) + " ";
        for (std::size_t at = text.find("--set "); at != std::string::npos; at = text.find("--set ", at + 1))
            set += (set.empty() ? "'" : ", '") + text.substr(at + 6, text.find(' ', at + 6) - at - 6) + "'";
        QVERIFY(writeFileAtomic(folder() / "jobs/project.toml", tinyProject));
        QVERIFY(writeFileAtomic(
            folder() / "jobs/job.toml",
            "[[stage]]\nrun = 'sft'\npreset = 'quickstart-sft'\nset = ['sft.steps=3', " + set +
                "]\n[[stage]]\nrun = 'ppo'\npreset = 'quickstart-ppo'\nparent = 'sft'\nset = ['threads=1', "
                "'rl.iterations=2', 'rl.matrices=2', 'rl.samples=2', 'eval.every=1']\n[[stage]]\nrun = "
                "'evaluation'\n"
                "preset = 'quickstart-evaluate'\nparent = 'ppo'\nset = ['threads=1', "
                "'evaluate.samples=2']\n"));
        for (const char* command :
             {"job jobs", "train --run jobs/runs/again quickstart-sft --set sft.steps=2 "}) {
            const std::string line = command;
            const auto output =
                shell(folder(), "$SPARSERL --json " + line + (line.starts_with("train") ? tinySft : ""), 200);
            QVERIFY2(output.status.ok(), (output.status.sentence() + output.error).c_str());
            std::map<std::string, std::int64_t> last;
            std::istringstream in(output.output);
            double time = 0;
            for (std::string entry; std::getline(in, entry);) {
                const auto json = parseJson(entry);
                QVERIFY2(json && json->contains("kind"), entry.c_str());
                QVERIFY2(jsonValue(*json, "t", 0.0) > 1.6e9 && jsonValue(*json, "t", 0.0) >= time,
                         entry.c_str());
                time = jsonValue(*json, "t", 0.0);
                const std::string run = jsonValue<std::string>(*json, "run", {});
                const auto number = jsonValue<std::int64_t>(*json, "seq", -1);
                QVERIFY2(number >= 0 && (!last.contains(run) || number > last[run]), entry.c_str());
                last[run] = number;
            }
            QCOMPARE(last.size(), std::size_t(line.starts_with("job") ? 3 : 1));
        }
        // What the runs drew for themselves (judge.seed) is no difference from the job; what it now asks for
        // is.
        const auto again = shell(folder(), "$SPARSERL job jobs", 200);
        QVERIFY2(again.status.ok() && again.error.empty(), again.error.c_str());
        const auto other = shell(
            folder(), "sed -i 's/rl.iterations=2/rl.iterations=3/' jobs/job.toml; $SPARSERL job jobs", 200);
        QVERIFY2(other.status.ok(), other.error.c_str());
        QVERIFY2(other.error.find("warning: the run ppo has rl.iterations = 2, not 3: a run keeps") !=
                         std::string::npos &&
                     other.error.find("judge.seed") == std::string::npos,
                 other.error.c_str());
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

    /// Counters of a program that is wrong are those of a small case, not of the matrix.
    void comparisonsWithWrongPrograms()
    {
        const auto output =
            shell(folder(), "sed 's/y.row. = sum;/y[row] = sum + 1;/' k.cu > wrong.cu; "
                            "$SPARSERL compare k.cu wrong.cu 'stencil2d(n=20)' --device sim --seed 1");
        const QString text = QString::fromStdString(output.output);
        QVERIFY2(output.status.ok(), output.error.c_str());
        QVERIFY2(text.contains(QRegularExpression(QStringLiteral("\nwarp instructions +[0-9,]+ +- +-\n"))),
                 output.output.c_str());
        QVERIFY2(text.endsWith(QLatin1String("\nB: not measured, as it is not correct (wrong-result)\n")),
                 output.output.c_str());
    }

    /// With --json all of them print JSON only, with an error where they fail.
    void sentencesInJson_data()
    {
        sentences_data();
    }
    void sentencesInJson()
    {
        QFETCH(QByteArray, line);
        QFETCH(int, status);
        const auto output = shell(folder(), line.replace("$SPARSERL", "$SPARSERL --json").toStdString());
        QVERIFY2(!output.status.signalled && output.status.code == status,
                 (output.status.sentence() + ": " + output.output + output.error).c_str());
        bool error = false;
        std::istringstream in(output.output);
        for (std::string entry; std::getline(in, entry);) {
            const auto json = parseJson(entry);
            QVERIFY2(json && json->is_object(), entry.c_str());
            error = error ||
                    !jsonValue<std::string>(jsonValue(*json, "error", nlohmann::json()), "what", {}).empty();
        }
        QVERIFY2(error == (status != 0), output.output.c_str());
    }

    void helpIsJsonWithJson()
    {
        for (const char* arguments : {"--json --help", "features --help --json", "--json corpus --help"}) {
            const auto output = shell(folder(), std::string("$SPARSERL ") + arguments);
            QCOMPARE(output.status.code, 0);
            const auto json = parseJson(output.output);
            QVERIFY2(json && jsonValue<std::string>(*json, "help", {}).find("Usage") != std::string::npos,
                     output.output.c_str());
        }
        const auto version = parseJson(shell(folder(), "$SPARSERL --json --version").output);
        QVERIFY(version && !jsonValue<std::string>(*version, "version", {}).empty());
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

    /// `--model` takes a file, and what is recommended for that device is another list.
    void recommendationsAreForTheModel()
    {
        DeviceModel few = defaultDeviceModel();
        few.name = "few multiprocessors";
        few.smCount = 4;
        QVERIFY(writeFileAtomic(folder() / "h200.toml", toToml(defaultDeviceModel())).has_value());
        QVERIFY(writeFileAtomic(folder() / "few.toml", toToml(few)).has_value());
        for (const std::string task : {"spmv", "spmm --columns 32"}) {
            const auto listed = [&](const std::string& model) {
                const auto output = shell(folder(), "$SPARSERL --json corpus recommend -n 40 --task " + task +
                                                        model + " 'stencil2d(n=120,points=5)'");
                return output.status.ok() ? output.output : std::string();
            };
            const std::string usual = listed("");
            QVERIFY(!usual.empty());
            QCOMPARE(listed(" --model h200.toml"), usual);
            const std::string other = listed(" --model few.toml");
            QVERIFY(!other.empty() && other != usual);
        }
        const auto refused = shell(folder(), "$SPARSERL corpus recommend --model none.toml good.mtx");
        QVERIFY(!refused.status.ok());
        QVERIFY2(refused.error.find("neither known nor a file") != std::string::npos, refused.error.c_str());
    }

private:
    const fs::path& folder() const
    {
        return m_folder;
    }
    std::unique_ptr<TempDir> m_dir;            ///< Where it is not a copy.
    std::map<std::string, std::string> m_help; ///< Of each command, as numbers_data() has read it.
    fs::path m_folder;
};

int main(int argc, char** argv)
{
    TestCliTruth test;
    if (argc == 1 && !copyForThisPart()) {
        std::map<std::string, std::vector<std::string>> rows;
        for (const char* name : starved)
            rows["limitedMemory"].emplace_back(name);
        return runParts(argv[0], partsOf(*test.metaObject(), rows), prepare);
    }
    const QCoreApplication application(argc, argv);
    QTEST_SET_MAIN_SOURCE_PATH
    return QTest::qExec(&test, argc, argv);
}
#include "tst_cli_truth.moc"
